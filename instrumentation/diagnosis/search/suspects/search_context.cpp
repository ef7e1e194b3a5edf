// From lines that are known to have taken part, by what stands around them.
#include "instrumentation/diagnosis/search/suspects/search_context.h"

#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/suspects/makers.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cstdlib>

namespace wl::diagnosis {

namespace {

constexpr int kNear = 2;  // lines: a statement, its loop and its condition

// What decides whether a suspected line runs: the heads of loops and conditions around it.
void add_heads(const rewrite::Source& source, rewrite::SearchContext& context) {
    std::vector<int> heads;
    for (const rewrite::Body& body : source.bodies)
        for (const rewrite::Statement& head : body.statements) {
            if (head.body_last < 0) continue;
            const int first = source.at(head.last).line, last = source.at(last_decided(source, head)).line;
            const bool governs =
                std::any_of(context.suspicion.begin(), context.suspicion.end(), [&](const auto& l) {
                    return l.second == 0 && l.first > first && l.first <= last;
                });
            if (governs) heads.push_back(source.at(head.first).line);
        }
    for (const int line : heads) context.suspicion.try_emplace(line, 1);
}

// Of a sequence: what launches before it have code of, and what stands between, which may have none of its
// own.
void add_launches_before(const OpenSource& open, rewrite::SearchContext& context) {
    const LaunchLines& l = open.launches;
    for (const int line : l.before) context.suspicion.try_emplace(line, 1);
    for (size_t b = 0; b < l.first_of_body.size(); ++b) {
        const rewrite::Body& body = open.source.bodies[b];
        for (int k = body.open; k < body.close && l.first_of_body[b] < l.at; ++k)
            context.suspicion.try_emplace(open.source.at(k).line, 2);
    }
}

}  // namespace

rewrite::SearchContext search_context_of(
    const Symptoms& s, const std::vector<Suspect>& suspects, const OpenSource& open
) {
    const Experiment& e = s.experiment;
    rewrite::SearchContext out{numbers_in_play(e), {}};
    for (const Suspect& each : suspects) {
        const std::optional<int> at = line_in(open.unit, each.file, each.line);
        for (int line = at.value_or(0) - kNear; at && line <= *at + kNear; ++line) {
            const int suspicion_rank = std::max(each.suspicion_rank, std::abs(line - *at));
            const auto [known, fresh] = out.suspicion.try_emplace(line, suspicion_rank);
            known->second = std::min(known->second, suspicion_rank);
        }
    }
    const std::set<int> located = located_lines(e, open.unit);
    // Nobody made what is wrong: whatever line could have.
    if (out.suspicion.empty())
        for (const int line : located) out.suspicion.emplace(line, 2);
    const Dim3& grid = manifest::launch_of(e.problem).grid;
    out.axes = std::string(grid.x > 1 ? "x" : "") + (grid.y > 1 ? "y" : "") + (grid.z > 1 ? "z" : "");
    add_heads(open.source, out);
    add_constants(open.source, located, out);
    add_unread(open.source, out);
    // Of what somebody reads that nobody wrote, the writers come first.
    const bool unwritten = std::any_of(s.incidents.begin(), s.incidents.end(), [](const auto& i) {
        return i.kind == execution::Incident::Kind::uninitialised_read;
    });
    add_writers(open.source, unwritten ? 0 : 1, out);
    add_launches_before(open, out);
    out.values_right = s.first_bad < 0;
    return out;
}

}  // namespace wl::diagnosis
