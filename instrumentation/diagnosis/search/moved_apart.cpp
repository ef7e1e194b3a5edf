#include "instrumentation/diagnosis/search/moved_apart.h"

#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/rewrite/source.h"
#include "instrumentation/diagnosis/search/smaller_shape.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <utility>

namespace wl::diagnosis {

namespace {

using Names = std::set<std::string, std::less<>>;

void add_words(Names& to, const std::string& text) {
    for (const std::string_view w : rewrite::words_of(text)) to.emplace(w);
}

void for_each(std::vector<manifest::Argument>& all, const std::function<void(manifest::Argument&)>& visit) {
    for (manifest::Argument& a : all) visit(a), for_each(a.fields, visit);
}

void for_each(
    std::vector<manifest::LaunchRule>& all, const std::function<void(manifest::LaunchRule&)>& visit
) {
    for (manifest::LaunchRule& l : all) visit(l), for_each(l.launches, visit);
}

// Parameters that a number of the source is made of, through others.
Names made_of(const manifest::Kernel& k, Names names) {
    for (size_t n = k.params.size(); n-- > 0;)
        if (names.contains(k.params[n].first)) add_words(names, k.params[n].second);
    return names;
}

// By a word of the source.
Names behind_word(manifest::Kernel& k, std::string_view word) {
    Names out;
    const auto look = [&](const manifest::Argument& a) {
        if (a.shape.empty() && a.name == word) add_words(out, a.value);
    };
    for_each(k.args, look);
    for (const auto& [name, value] : k.define)
        if (name == word) add_words(out, value);
    for_each(k.launches, [&](const manifest::LaunchRule& l) {
        if (l.args)
            for (const manifest::LaunchArgument& a : *l.args) look(a.own);
        for (const std::string& extent : l.block)
            if (word == "blockDim") add_words(out, extent);
        for (const std::string& extent : l.grid)
            if (word == "gridDim") add_words(out, extent);
    });
    return made_of(k, std::move(out));
}

// With those that inputs are drawn between.
Names with_ranges(manifest::Kernel& k, const std::vector<Value>& all, Names names) {
    for_each(k.args, [&](const manifest::Argument& a) {
        Names range;
        add_words(range, a.fill);
        std::erase_if(range, [&](const std::string& w) {
            return std::none_of(all.begin(), all.end(), [&](const Value& v) { return v.first == w; });
        });
        if (std::any_of(range.begin(), range.end(), [&](const std::string& w) { return names.contains(w); }))
            names.merge(range);
    });
    return names;
}

constexpr int64_t kTimes = 4;

int64_t times(int64_t value, bool more) {
    return more ? kTimes * value : std::max<int64_t>(value / kTimes, 1);
}

// A word, the parameters that it stands for, and whether these are to be larger or smaller.
struct Step {
    std::string_view word;
    Names params;
    bool more = false;
};

Moved moved_by(const manifest::Problem& p, const std::vector<Value>& all, const std::vector<Step>& steps) {
    Moved out{p.kernel, {}, {}};
    std::vector<std::string> changes;
    for (const auto& [param, value] : all) {
        int64_t now = value;
        for (const Step& step : steps)
            if (step.params.contains(param)) now = times(value, step.more);
        out.options.set.emplace_back(param, std::to_string(now));
        if (now == value) continue;
        out.times *= static_cast<double>(now) / static_cast<double>(value);
        changes.push_back(fmt::format("{} = {}", param, now));
    }
    // Numbers of their own, of no parameter.
    for_each(out.kernel.args, [&](manifest::Argument& a) {
        for (const Step& step : steps) {
            if (a.name != step.word || !a.shape.empty() || !is_plain_number(a.value)) continue;
            const int64_t was = std::strtoll(a.value.c_str(), nullptr, 10);
            if (times(was, step.more) == was) continue;
            a.value = std::to_string(times(was, step.more));
            changes.push_back(fmt::format("{} = {}", a.name, a.value));
        }
    });
    out.name = join(changes, ", ");
    return out;
}

}  // namespace

std::vector<Moved> moved_apart(const manifest::Problem& p, const std::vector<std::string_view>& words) {
    constexpr size_t kMost = 8, kMostWords = 3;
    const std::vector<Value> all = free_values(p);
    manifest::Kernel kernel = p.kernel;
    std::vector<std::vector<Step>> ways;
    std::vector<Step> some;  // the first smaller, the others larger
    for (const std::string_view word : words) {
        const Names names = with_ranges(kernel, all, behind_word(kernel, word));
        const bool known =
            std::any_of(some.begin(), some.end(), [&](const Step& s) { return s.word == word; });
        if (names.empty() || known || some.size() == kMostWords) continue;
        for (const bool more : {false, true})
            ways.push_back({
                {word, names, more}
            });
        some.push_back({word, names, !some.empty()});
    }
    if (some.size() > 1) {
        ways.push_back(some);
        for (Step& s : some) s.more = !s.more;
        ways.push_back(some);
    }
    std::vector<Moved> out;
    for (const std::vector<Step>& steps : ways) {
        Moved moved = moved_by(p, all, steps);
        const bool known =
            std::any_of(out.begin(), out.end(), [&](const Moved& m) { return m.name == moved.name; });
        if (!moved.name.empty() && !known && out.size() < kMost) out.push_back(std::move(moved));
    }
    return out;
}

}  // namespace wl::diagnosis
