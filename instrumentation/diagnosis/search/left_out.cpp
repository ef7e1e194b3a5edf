// Which lines are executed, by a watcher that looks on.
#include "instrumentation/diagnosis/search/left_out.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/prove/watch.h"
#include "instrumentation/diagnosis/rewrite/writer.h"
#include "instrumentation/diagnosis/search/other_shape.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/manifest/manifest.h"

#include <algorithm>
#include <map>

namespace wl::diagnosis {
namespace {

// What the statement that holds the token governs, and its `else`.
int end_of_governed(const rewrite::Source& s, const rewrite::Body& body, const rewrite::Statement& st) {
    int end = std::max(st.last, st.body_last);
    if (!s.is(end + 1, "else")) return end;
    if (s.is(end + 2, "{")) return s.at(end + 2).match;
    for (const rewrite::Statement& other : body.statements)
        if (other.first == end + 2) end = std::max(other.last, other.body_last);
    return end;
}

// Lines that the change may leave out: its own statements, with what they govern.
std::set<int> own_lines(const rewrite::Source& s, const rewrite::Rewrite& change) {
    std::set<int> out;
    for (const rewrite::Edit& e : change.edits)
        for (const rewrite::Body& body : s.bodies)
            for (const rewrite::Statement& st : body.statements) {
                const bool touches =
                    s.at(st.first).begin <= e.begin + e.length && s.at(st.last).end >= e.begin;
                if (!touches) continue;
                const int last = s.at(end_of_governed(s, body, st)).line;
                for (int line = s.at(st.first).line; line <= last; ++line) out.insert(line);
            }
    return out;
}

// Lines below the changed heads that they govern.
std::set<int> governed_lines(const rewrite::Source& s, const rewrite::Rewrite& change) {
    std::set<int> out;
    for (const rewrite::Edit& e : change.edits)
        for (const rewrite::Body& body : s.bodies)
            for (const rewrite::Statement& st : body.statements) {
                const bool head = st.word == "if" || st.word == "for" || st.word == "while";
                if (!head || s.at(st.first).begin > e.begin + e.length || s.at(st.last).end < e.begin)
                    continue;
                const int last = s.at(end_of_governed(s, body, st)).line;
                for (int line = s.at(st.last).line + 1; line <= last; ++line) out.insert(line);
            }
    return out;
}

// A build that optimises counts in other ways than the source: it may have nothing left of a head whose loop
// it executes.
std::set<int> heads_of_loops(const rewrite::Source& s) {
    std::set<int> out;
    for (const rewrite::Body& body : s.bodies)
        for (const rewrite::Statement& st : body.statements)
            if (st.word == "for" || st.word == "while")
                for (int line = s.at(st.first).line; line <= s.at(st.last).line; ++line) out.insert(line);
    return out;
}

bool is_shared(const rewrite::Source& s, const rewrite::Variable& v) {
    for (int k = v.from - 1; k > 0 && !s.is(k, ";") && !s.is(k, "{") && !s.is(k, "}"); --k)
        if (s.is(k, "__shared__")) return true;
    return false;
}

// Of memory, as the text says it: `a[k] = held;`, `pivot = best;` of what threads share; `p = pivot;`.
enum class Touches : uint8_t { nothing, reads, stores };
Touches touches(const rewrite::Source& s, int line) {
    Touches out = Touches::nothing;
    for (const rewrite::Body& body : s.bodies)
        for (const rewrite::Statement& st : body.statements) {
            if (s.at(st.first).line > line || s.at(st.last).line < line) continue;
            const int sets = rewrite::assignment_of(s, st);
            const rewrite::Variable* const v = rewrite::variable_set(s, st);
            const bool element = sets > st.first && (s.is(sets - 1, "]") || s.is(st.first, "*"));
            if (element || (v != nullptr && is_shared(s, *v))) return Touches::stores;
            for (int k = st.first; k <= st.last; ++k) {
                const rewrite::Variable* const read = rewrite::variable_at(s, k);
                if (s.is(k, "[") || (read != nullptr && is_shared(s, *read))) out = Touches::reads;
            }
        }
    return out;
}

std::vector<int> between(
    const rewrite::Source& source,
    const rewrite::Rewrite& change,
    const std::set<int>& before,
    const std::set<int>& behind
) {
    if (before.empty() || behind.empty()) return {};
    std::set<int> kept = own_lines(source, change);
    kept.merge(heads_of_loops(source));
    std::vector<int> out;
    for (const int line : before)
        if (!behind.contains(line) && !kept.contains(line)) out.push_back(line);
    return out;
}

// What another block executes with the change is no less of the program than before.
std::vector<int> left_out(
    const Watched& w,
    const rewrite::Rewrite& change,
    const ptx::Module& module,
    const std::set<int>& before,
    const std::set<int>& behind
) {
    std::vector<int> out = between(w.source, change, before, behind);
    if (out.empty() || w.blocks.empty()) return out;
    const std::vector<int64_t> all;
    const std::set<int> by_all = lines_executed({w.prover, w.unit, w.source, all}, module, Text::unit).lines;
    std::erase_if(out, [&](int line) { return by_all.contains(line); });
    return out;
}

// Of some line that the change does not govern.
bool has_fewer_accesses(const ExecutedLines& before, const ExecutedLines& now, const std::set<int>& but_for) {
    std::map<int, int> more;
    for (const auto& [line, access] : before.accesses) ++more[line];
    for (const auto& [line, access] : now.accesses) --more[line];
    return !now.lines.empty() && std::any_of(more.begin(), more.end(), [&](const auto& m) {
        return m.second > 0 && !but_for.contains(m.first);
    });
}

}  // namespace

std::vector<int> lines_turned_off(
    const Watched& w, const Changed& changed, Executed& executed, std::vector<Shape>& shapes
) {
    const Experiment& e = w.prover.experiment;
    if (!executed.optimised || e.options.debug) return {};
    std::set<int> off = governed_lines(w.source, changed.change);
    const auto keep_off = [&](const std::set<int>& now) {
        std::erase_if(off, [&](int line) { return now.contains(line); });
    };
    std::erase_if(off, [&](int line) {
        return !executed.optimised->lines.contains(line) || touches(w.source, line) == Touches::nothing;
    });
    const std::vector<int64_t> all;
    const Watched whole{w.prover, w.unit, w.source, all};
    if (!off.empty()) keep_off(lines_executed(whole, changed.module, Text::unit).lines);
    try {
        if (!off.empty()) {
            if (!executed.debug_build) executed.debug_build = debug_build_of(e);
            const ptx::Module module = changed_module(*executed.debug_build, changed.text);
            const ExecutedLines debug = lines_executed(whole, module, Text::unit);
            if (debug.lines.empty()) return {};
            keep_off(debug.lines);
        }
        for (Shape& shape : shapes) {
            if (off.empty()) break;
            const ptx::Module module = changed_module(*shape.experiment, changed.text);
            keep_off(lines_executed({*shape.prover, w.unit, w.source, all}, module, Text::unit).lines);
        }
    } catch (const Error&) { return {}; }
    return {off.begin(), off.end()};
}

std::vector<int> branches_turned_off(
    const Watched& w, const Changed& changed, Executed& executed, std::vector<Shape>& shapes
) {
    const Experiment& e = w.prover.experiment;
    if (!executed.optimised || executed.optimised->lines.empty() || e.options.debug) return {};
    const std::set<int> own = own_lines(w.source, changed.change);
    if (!has_fewer_accesses(*executed.optimised, lines_executed(w, changed.module, Text::unit), own))
        return {};
    const std::vector<int64_t> all;
    const Watched whole{w.prover, w.unit, w.source, all};
    try {
        if (!executed.debug_build) executed.debug_build = debug_build_of(e);
        if (!executed.whole_debug) {
            const CountedWork once(nullptr);
            executed.whole_debug = lines_executed(whole, executed.debug_build->module, Text::files);
        }
        std::set<std::pair<int, int>> off = executed.whole_debug->accesses;
        const auto keep_off = [&](const Watched& there, const ptx::Module& module) {
            const ExecutedLines now = lines_executed(there, module, Text::unit);
            std::erase_if(off, [&](const auto& a) {
                return now.lines.empty() || now.accesses.contains(a) || own.contains(a.first);
            });
        };
        keep_off(whole, changed_module(*executed.debug_build, changed.text));
        for (Shape& shape : shapes)
            if (!off.empty())
                keep_off(
                    {*shape.prover, w.unit, w.source, all},
                    changed_module(debug_build_of(*shape.experiment), changed.text)
                );
        std::set<int> out;
        for (const auto& [line, access] : off) out.insert(line);
        return {out.begin(), out.end()};
    } catch (const Error&) { return {}; }
}

std::vector<int> lines_left_out(const Watched& w, const Changed& changed, Executed& executed) {
    const Experiment& e = w.prover.experiment;
    if (tries_on_device(e)) return {};
    if (!executed.optimised) {
        const CountedWork once(nullptr);  // who comes first makes it for all
        executed.optimised = lines_executed(w, e.module, Text::files);
    }
    const ExecutedLines behind = lines_executed(w, changed.module, Text::unit), &before = *executed.optimised;
    std::vector<int> out = left_out(w, changed.change, changed.module, before.lines, behind.lines);
    if (out.empty() || e.options.debug) return out;
    try {
        if (!executed.debug) {
            const CountedWork once(nullptr);
            executed.debug_build = debug_build_of(e);
            executed.debug = lines_executed(w, executed.debug_build->module, Text::files);
        }
        const ptx::Module module = changed_module(*executed.debug_build, changed.text);
        const std::set<int> behind_debug = lines_executed(w, module, Text::unit).lines;
        if (executed.debug->lines.empty() || behind_debug.empty()) return out;
        const bool less = behind.instructions < before.instructions;
        std::erase_if(out, [&](int line) {
            const Touches by = touches(w.source, line);
            return by == Touches::nothing || (by == Touches::reads && !less);
        });
        for (const int line : left_out(w, changed.change, module, executed.debug->lines, behind_debug))
            if (std::find(out.begin(), out.end(), line) == out.end()) out.push_back(line);
        std::sort(out.begin(), out.end());
    } catch (const Error&) {  // a build that optimises is all there is
        return out;
    }
    return out;
}

Avoided lines_avoided(const Watched& w, const Changed& changed, Executed& executed, OtherShape& shape) {
    Avoided out{lines_left_out(w, changed, executed)};
    const bool sequence = manifest::is_sequence(w.prover.experiment.problem);
    if (out.lines.empty() && !sequence) out.lines = lines_turned_off(w, changed, executed, shape.shapes);
    if (out.lines.empty() && !sequence) out.lines = branches_turned_off(w, changed, executed, shape.shapes);
    return out.lines.empty() ? loops_stopped(w, changed, executed, shape) : out;
}

}  // namespace wl::diagnosis
