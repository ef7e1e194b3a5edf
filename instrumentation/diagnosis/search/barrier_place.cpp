// One text with the barrier at every place between two lines, each switched on alone.
#include "instrumentation/diagnosis/search/barrier_place.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/calls.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/source_trials.h"

#include <algorithm>
#include <tuple>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;
using rewrite::Slot;

constexpr uint64_t kMostWork = 6 * kWorkPerSecond;
constexpr size_t kMostPlaces = 48;

// The lines from one to the other, and of a loop that holds both or begins behind the first all.
struct Lines {
    int first = 0, last = 0;
};
Lines lines_between(const rewrite::Source& source, int a, int b) {
    Lines out{std::min(a, b), std::max(a, b)};
    const Lines between = out;
    for (const rewrite::Body& body : source.bodies)
        for (const rewrite::Statement& st : body.statements) {
            if (st.word != "for" && st.word != "while") continue;
            const int first = source.at(st.first).line, last = source.at(st.body_last).line;
            if (first > between.last || last < between.last) continue;
            out.last = std::max(out.last, last);
            if (first < between.first) out.first = std::min(out.first, first + 1);
        }
    return out;
}

// Loops that hold the place, and not both lines.
int64_t loops_around(const rewrite::Source& source, const Rewrite& place, int a, int b) {
    int64_t out = 0;
    for (const rewrite::Body& body : source.bodies)
        for (const rewrite::Statement& st : body.statements) {
            if (st.word != "for" && st.word != "while") continue;
            const size_t begin = source.at(st.first).begin, end = source.at(st.body_last).end;
            const bool holds = place.edits.front().begin > begin && place.edits.front().begin < end;
            const int first = source.at(st.first).line, last = source.at(st.body_last).line;
            const bool both = first <= std::min(a, b) && last >= std::max(a, b);
            out += holds && !both ? 1 : 0;
        }
    return out;
}

std::vector<Rewrite> places(
    const rewrite::Source& source,
    const std::vector<Slot>& slots,
    const Lines& lines,
    const std::string& barrier
) {
    std::vector<Rewrite> out;
    for (const Slot& slot : slots) {
        const bool between = slot.line >= lines.first && slot.last_line <= lines.last;
        const bool statement = slot.kind == Slot::Kind::statement && slot.alone;
        if (!between || (slot.kind != Slot::Kind::insertion && !statement)) continue;
        const bool behind =
            slot.kind == Slot::Kind::insertion && slot.begin > 0 && source.text[slot.begin - 1] == ';';
        Rewrite r{
            "race_shared",
            3,
            "",
            barrier,
            slot.line,
            {{slot.begin, 0, behind ? " " + barrier : barrier + " "}}};
        out.push_back(std::move(r));
    }
    if (out.size() > kMostPlaces) out.clear();
    return out;
}

// Lines of one of a finding's places: its own, and those that it was inlined at.
std::vector<int> lines_of(
    const Symptoms& s, const compile::Unit& unit, const capture::Finding& f, bool other
) {
    const capture::Where& where = other ? f.other : f.where;
    std::vector<int> out;
    if (const auto own = line_in(unit, where.file, where.line)) out.push_back(*own);
    for (const capture::InlinedCall& call : capture::inlined_calls(s.capture, f, other))
        if (const auto line = line_in(unit, call.file, call.line)) out.push_back(*line);
    return out;
}

// The innermost function, which may be one that another declares; null: none.
const rewrite::Body* function_of(const rewrite::Source& s, int line) {
    const rewrite::Body* out = nullptr;
    for (const rewrite::Body& body : s.bodies) {
        const bool holds = line >= s.at(body.open).line && line <= s.at(body.close).line;
        if (holds && (out == nullptr || body.open > out->open)) out = &body;
    }
    return out;
}

// Where one of them is in a function that the other calls, the line of the call.
std::optional<std::pair<int, int>> in_one_function(
    const Symptoms& s, const OpenSource& open, const capture::Finding& f
) {
    const std::vector<int> of_a = lines_of(s, open.unit, f, false), of_b = lines_of(s, open.unit, f, true);
    if (of_a.empty() || of_b.empty()) return std::nullopt;
    for (const int first : of_a)
        for (const int last : of_b)
            if (const auto* const body = function_of(open.source, first);
                body != nullptr && body == function_of(open.source, last))
                return std::pair(first, last);
    return std::pair(of_a.front(), of_b.front());
}

}  // namespace

std::optional<Mended> barrier_place(
    const Symptoms& s, const capture::Finding& race, const std::string& barrier
) {
    const Experiment& e = s.experiment;
    const std::optional<OpenSource> open = open_source(s);
    if (!open) return std::nullopt;
    const std::optional<std::pair<int, int>> lines = in_one_function(s, *open, race);
    if (!lines) return std::nullopt;
    const int first = lines->first, last = lines->second;
    const std::vector<Slot> slots = rewrite::slots_of(open->source);
    std::vector<Rewrite> all = places(open->source, slots, lines_between(open->source, first, last), barrier);
    if (all.empty()) return std::nullopt;
    // A barrier in a loop that holds one of the lines alone does as well, and is hardly what is meant.
    // Behind the later line, at a loop's very end, rather than before the first one, at its begin.
    const auto turn = [&](const Rewrite& r) {
        const int from = std::min(first, last), to = std::max(first, last);
        const bool behind = r.edits.front().text.starts_with(' ');
        const int zone = r.line > to || (r.line == to && behind && from < to) ? 1
            : r.line < from || (r.line == from && !behind && from < to)       ? 2
                                                                              : 0;
        return std::tuple(loops_around(open->source, r, first, last), zone, zone == 1 ? -r.line : 0);
    };
    std::stable_sort(all.begin(), all.end(), [&](const Rewrite& x, const Rewrite& y) {
        return turn(x) < turn(y);
    });
    Work spent = 0;
    const CountedWork counted(&spent);
    SourceTrials t = trials_of(s, {s}, *open, all, {spent, kMostWork});
    t.queue.tried_after = 0;  // the first place alone is reported
    t.queue.prove = {
        [&](size_t k) { return where_in(t.unit, all[k].line); },
        [&](size_t k) { return proven_by_compiler(t, all[k]); }};
    const auto as_it_is = [&](const TrialOptions& o) {
        return try_variant(e, s.prover, open->quick.as_it_is.ptx, 0, o);
    };
    if (!choose_trial(t.queue.setup, as_it_is, kQuickTimes).empty()) return std::nullopt;
    t.queue.setup.block.races = true;
    for (const std::vector<size_t>& batch : batches_of(t)) try_batch(t, s.prover, batch);
    SearchResult out;
    take_proven(t.queue, out);
    if (out.mended.empty()) return std::nullopt;
    return std::move(out.mended.front());
}

}  // namespace wl::diagnosis
