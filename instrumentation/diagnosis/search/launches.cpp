// Lines of entries and of what they call.
#include "instrumentation/diagnosis/search/launches.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/prove/draws.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/execution/reach.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>

namespace wl::diagnosis {

namespace {

std::set<int> lines_of_entry(
    const Experiment& e, const std::string& name, const std::vector<std::optional<int>>& line
) {
    std::set<int> out;
    const ptx::Function& entry = entry_of(e.module, name);
    const auto index = static_cast<int>(&entry - e.module.functions.data());
    for (const int f : execution::reachable_functions(e.module, index))
        for (const ptx::Instruction& i : e.module.functions[static_cast<size_t>(f)].code)
            for (int32_t l = i.location; l >= 0; l = e.module.locations[static_cast<size_t>(l)].inlined_at)
                if (line[static_cast<size_t>(l)]) out.insert(*line[static_cast<size_t>(l)]);
    return out;
}

// "home" of `table.home`, "place" of `geometry::place`.
std::string last_name(std::string_view word) {
    const size_t at = word.find_last_of(".>:");
    return std::string(at == word.npos ? word : word.substr(at + 1));
}

// What a kernel calls by its text, itself among it: an optimised build has no lines of some of it.
std::set<size_t> bodies_of(const rewrite::Source& s, const std::string& entry) {
    std::map<std::string, std::vector<size_t>> named;
    for (size_t b = 0; b < s.bodies.size(); ++b)
        if (const int name = rewrite::name_of(s, s.bodies[b]); name >= 0)
            named[last_name(s.word(name))].push_back(b);
    std::string kernel = entry.substr(0, entry.find_first_of("(<"));
    if (const size_t space = kernel.rfind(' '); space != kernel.npos) kernel = kernel.substr(space + 1);
    std::set<size_t> out;
    std::vector<size_t> left = named[last_name(kernel)];
    while (!left.empty()) {
        const size_t b = left.back();
        left.pop_back();
        if (!out.insert(b).second) continue;
        for (int k = s.bodies[b].open; k < s.bodies[b].close; ++k) {
            const auto called = named.find(last_name(s.word(k)));
            if (called != named.end()) left.insert(left.end(), called->second.begin(), called->second.end());
        }
    }
    return out;
}

}  // namespace

LaunchLines launch_lines(const Experiment& e, const compile::Unit& unit, const rewrite::Source& source) {
    LaunchLines out{e.problem.at};
    if (!manifest::is_sequence(e.problem)) return out;
    out.first_of_body.assign(source.bodies.size(), LaunchLines::kNone);
    const std::vector<std::optional<int>> line = lines_of_locations(e.module, unit);
    std::set<std::string> known;
    for (size_t launch = 0; launch <= out.at; ++launch) {
        if (!known.insert(e.entries[launch]).second) continue;
        const std::set<int> lines = lines_of_entry(e, e.entries[launch], line);
        if (launch < out.at) out.before.insert(lines.begin(), lines.end());
        const std::set<size_t> called = bodies_of(source, demangle(e.entries[launch]));
        for (size_t b = 0; b < source.bodies.size(); ++b) {
            const rewrite::Body& body = source.bodies[b];
            const auto at = lines.lower_bound(source.at(body.open).line);
            const bool has_code = at != lines.end() && *at <= source.at(body.close).line;
            if (has_code || called.contains(b)) out.first_of_body[b] = std::min(out.first_of_body[b], launch);
        }
    }
    return out;
}

std::optional<size_t> first_launch(
    const LaunchLines& lines, const rewrite::Source& source, const rewrite::Rewrite& change
) {
    size_t out = LaunchLines::kNone;
    for (size_t k = 0; k < change.edits.size() && !lines.first_of_body.empty(); ++k) {
        const size_t begin = change.edits[k].begin;
        const auto body = std::find_if(source.bodies.begin(), source.bodies.end(), [&](const auto& b) {
            return source.at(b.open).begin <= begin && begin < source.at(b.close).end;
        });
        if (body == source.bodies.end()) return std::nullopt;
        out = std::min(out, lines.first_of_body[static_cast<size_t>(body - source.bodies.begin())]);
    }
    return lines.first_of_body.empty() ? lines.at : out;
}

namespace {

// Of other draws of the inputs the first that goes wrong at the end; empty: none.
std::string wrong_draw(Prover& prover, const ptx::Module& changed, uint64_t work) {
    constexpr uint64_t kMost = 8'000'000;  // warp instructions on all draws
    uint64_t done = 0;
    for (const uint64_t seed : draws_of(prover, 1, static_cast<double>(work))) {
        done += work;
        if (done > kMost || inputs_of(prover, seed).same_data) break;
        const Trial t = try_sequence(prover, changed, {.blocks = {}, .seed_offset = seed});
        if (t.finished && t.bad == 0) continue;
        return t.finished
            ? fmt::format(
                  "after all launches {} of {} elements are wrong with another seed", t.bad, t.compared
              )
            : "with another seed a launch of the sequence does not come to its end";
    }
    return {};
}

// Results that are infinite or NaN with values far beyond those that the inputs are drawn from, where the
// program as it is has none.
std::string infinite_draw(Prover& prover, const ptx::Module& changed, uint64_t work) {
    constexpr uint64_t kMost = 2'000'000;  // warp instructions
    if (work > kMost) return {};
    for (const uint64_t seed : {kWild + 1, kWild + 2}) {
        if (inputs_of(prover, seed).same_data) continue;
        const TrialOptions options{.blocks = {}, .seed_offset = seed};
        const Trial t = try_sequence(prover, changed, options);
        if (t.finished && t.bad_infinite == 0) continue;
        const Trial as_it_is = try_sequence(prover, prover.experiment.module, options);
        if (!as_it_is.finished || as_it_is.bad_infinite > 0) continue;
        return t.finished
            ? fmt::format(
                  "with values 16 times as large {} of {} elements are not finite", t.bad_infinite, t.compared
              )
            : "with values 16 times as large a launch of the sequence does not come to its end";
    }
    return {};
}

}  // namespace

std::optional<Behind> behind_all(Prover& prover, const ptx::Module& changed) {
    const manifest::Problem& p = prover.experiment.problem;
    if (!manifest::is_sequence(p) || tries_on_device(prover.experiment)) return std::nullopt;
    const Trial t = try_sequence(prover, changed);
    const Trial& as_it_is = try_unedited_sequence(prover);
    Behind out{{}, {}, t.warp_instructions, as_it_is.warp_instructions, t.outputs, 0, is_clean(t)};
    out.launches = static_cast<int64_t>(p.launches.size());
    // What others see as well is no fault of the change.
    const auto is_news = [&](const execution::Incident& i) {
        return i.kind != execution::Incident::Kind::uniform_reduction &&
            std::none_of(as_it_is.incidents.begin(), as_it_is.incidents.end(), [&](const auto& o) {
                   return o.kind == i.kind;
               });
    };
    const auto news = std::find_if(t.incidents.begin(), t.incidents.end(), is_news);
    if (news != t.incidents.end()) {
        const char* name = is_race(news->kind) ? race_name(news->kind) : fault_name(news->kind);
        out.wrong = fmt::format(
            "another launch then has a finding of its own: {}", name == nullptr ? "a hazard" : name
        );
    } else if (!t.finished) {
        out.wrong = "a launch of the sequence does not come to its end";
    } else if (t.bad > 0) {
        out.wrong = fmt::format(
            "after all {} launches {} of {} elements are wrong", p.launches.size(), t.bad, t.compared
        );
    } else if (!writes_as_much(t, as_it_is.of_output)) {
        out.wrong = fmt::format(
            "after all {} launches fewer elements are written: {}, where it were {}",
            p.launches.size(),
            t.outputs,
            as_it_is.outputs
        );
    } else if (t.compared > 0) {
        out.wrong = wrong_draw(prover, changed, t.warp_instructions);
        if (out.wrong.empty()) out.lacks = infinite_draw(prover, changed, t.warp_instructions);
    }
    return out;
}

}  // namespace wl::diagnosis
