// What one instruction does for several lines, tried in the source, line by line.
#include "instrumentation/diagnosis/search/lifted.h"

#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/source_trials.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace wl::diagnosis {

namespace {

// An `if`'s condition, or what a plain statement decides by.
std::vector<rewrite::Span> conditions_of(const rewrite::Source& s, const rewrite::Statement& st) {
    if (st.word != "if") return deciders_of(s, st);
    const rewrite::Span whole{st.first + 2, st.last - 1};
    if (!s.is(st.first + 1, "(") || whole.first > whole.last) return {};
    return {whole};
}

// Two of each condition, one after the other.
std::vector<rewrite::Rewrite> lifts_of(const rewrite::Source& s, const std::set<int>& lines) {
    std::vector<rewrite::Rewrite> out;
    for (const rewrite::Body& body : s.bodies)
        for (const rewrite::Statement& st : body.statements) {
            const auto line = lines.lower_bound(s.at(st.first).line);
            if (line == lines.end() || *line > s.at(st.last).line) continue;
            for (const auto& [first, last] : conditions_of(s, st)) {
                const size_t begin = s.at(first).begin, length = s.at(last).end - begin;
                for (const char* now : {"true", "false"}) {
                    rewrite::Rewrite r{
                        "never_written", 1, s.words(first, last), now, s.at(st.first).line, {}};
                    r.edits.push_back({begin, length, now});
                    out.push_back(std::move(r));
                }
            }
        }
    return out;
}

}  // namespace

Lifts lift_by_line(const Symptoms& s, const std::vector<std::pair<std::string, int>>& places) {
    constexpr uint64_t kMostWork = 10 * kWorkPerSecond;
    constexpr size_t kMost = 16;  // changes
    Lifts out;
    if (tries_on_device(s.experiment)) return out;
    Work spent = 0;
    const CountedWork counted(&spent);
    const std::optional<OpenSource> open = open_source(s);
    if (!open) return out;
    std::set<int> lines;
    for (const auto& [file, line] : places)
        if (const std::optional<int> at = line_in(open->unit, file, line)) lines.insert(*at);
    std::vector<rewrite::Rewrite> all = lifts_of(open->source, lines);
    if (all.size() > kMost) all.resize(kMost);
    out.tried = all.size() / 2;
    for (size_t k = 0; k < all.size(); k += 2) {
        SourceTrials t = trials_of(s, {s}, *open, all, {spent, kMostWork});
        const size_t begin = all[k].edits.front().begin;
        const auto is_own = [&](const rewrite::Rewrite& r) { return r.edits.front().begin == begin; };
        if (auto mended = first_proven(t, is_own, 2)) out.mends.push_back(std::move(*mended));
    }
    return out;
}

}  // namespace wl::diagnosis
