// The third pass over a launch, made only when it can tell something.
#include "instrumentation/diagnosis/rules/uninitialised.h"

#include "instrumentation/diagnosis/orders/idle_reads.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/prove/judge.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/emulator/poison/poison.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace wl::diagnosis {

namespace {

using Kind = emulator::Incident::Kind;

// Only these can become findings of their own.
bool is_open(
    const Experiment& e, const std::vector<emulator::Incident>& incidents, const emulator::Incident& i
) {
    return is_followed(i) &&
        (i.kind != Kind::uninitialised_read ||
         !explained_by_race(e.module, entry_of(e.module, e.entry), incidents, i));
}

std::vector<int64_t> these_first(const std::set<int64_t>& first, int64_t blocks) {
    std::vector<int64_t> out(first.begin(), first.end());
    for (int64_t block = 0; block < blocks; ++block)
        if (!first.contains(block)) out.push_back(block);
    return out;
}

// Index of the site's source line in `lines`, which gains it if need be. A site without a line is one of its
// own.
size_t line_of(const Experiment& e, std::vector<capture::Where>& lines, uint32_t site) {
    const capture::Where where = where_of(e.module, entry_of(e.module, e.entry), site);
    const auto known = std::find_if(lines.begin(), lines.end(), [&](const capture::Where& line) {
        return line.line > 0 && same_line(line, where);
    });
    if (known != lines.end()) return static_cast<size_t>(known - lines.begin());
    lines.push_back(where);
    return lines.size() - 1;
}

// By one instruction; of a trace that ended with its answer, by one line.
bool same_read(const Experiment& e, bool by_line, const emulator::Incident& a, const emulator::Incident& b) {
    if (a.first.site == b.first.site) return true;
    if (!by_line) return false;
    const ptx::Function& entry = entry_of(e.module, e.entry);
    const capture::Where where = where_of(e.module, entry, a.first.site);
    return where.line > 0 && same_line(where, where_of(e.module, entry, b.first.site));
}

// Of a trace that did not follow all blocks: how often the line read such a value in all of them, told with
// its first instruction.
void count_reads(
    const Experiment& e,
    std::vector<emulator::Incident>& traced,
    const std::vector<emulator::Incident>& checked
) {
    std::vector<emulator::Incident> out;
    for (emulator::Incident& t : traced) {
        const auto same = [&](const emulator::Incident& k) { return same_read(e, true, k, t); };
        if (std::any_of(out.begin(), out.end(), same)) continue;
        uint64_t reads = 0;
        for (const emulator::Incident& i : checked)
            if (i.kind == t.kind && same(i)) reads += i.count;
        if (reads > 0) t.count = reads;
        out.push_back(std::move(t));
    }
    traced = std::move(out);
}

}  // namespace

bool explained_by_race(
    const ptx::Module& module,
    const ptx::Function& entry,
    const std::vector<emulator::Incident>& incidents,
    const emulator::Incident& uninitialised
) {
    const capture::Where read = where_of(module, entry, uninitialised.first.site);
    for (const emulator::Incident& i : incidents) {
        if (!is_race(i.kind)) continue;
        for (const emulator::Access* a : {&i.first, &i.second})
            if (!a->write && same_line(where_of(module, entry, a->site), read)) return true;
    }
    return false;
}

bool follow_uninitialised(
    const Experiment& e, capture::Capture& c, std::vector<emulator::Incident>& incidents
) {
    emulator::PoisonOptions options;
    std::set<int64_t> seen_in;
    std::vector<capture::Where> lines;
    for (const emulator::Incident& i : incidents) {
        if (!is_open(e, incidents, i)) continue;
        seen_in.insert(i.first.block);
        const size_t line = line_of(e, lines, i.first.site);
        options.until.resize(lines.size());
        options.until[line].push_back(i.first.site);
    }
    if (emulator::may_read_uninitialised(e.module, e.entry))
        options.until.clear();  // no check tells of registers and local memory
    else if (options.until.empty())
        return false;
    else
        options.blocks =
            these_first(seen_in, static_cast<int64_t>(count(manifest::launch_of(e.problem).grid)));
    Prepared prepared = prepare(e);
    options.schedule_seed = e.options.schedule_seed;
    options.on_progress = run_options(e.options, "trace").on_progress;
    const auto program = emulator::lower(e.module, e.entry);
    emulator::PoisonTrace trace =
        emulator::trace_poison({e.module, *program, prepared.launch, prepared.memory}, options);
    if (trace.cancelled) throw_cancelled();
    const auto blocks = static_cast<int64_t>(count(manifest::launch_of(e.problem).grid));
    if (trace.answered) count_reads(e, trace.incidents, incidents);
    if (trace.blocks < blocks && !trace.answered)
        c.notes.push_back(fmt::format(
            "values that nobody initialised were followed in {} of {} blocks only: {}",
            trace.blocks,
            blocks,
            trace.blocks == 0 ? "they wait for each other, or run too long" : "the launch is too long"
        ));
    std::erase_if(incidents, [&](const emulator::Incident& i) {
        if (!is_followed(i)) return false;
        const auto here = [&](const emulator::Incident& t) { return same_read(e, trace.answered, t, i); };
        const bool followed = std::any_of(trace.incidents.begin(), trace.incidents.end(), here);
        const bool harmless = std::binary_search(trace.harmless.begin(), trace.harmless.end(), i.first.site);
        return followed || (harmless && trace.blocks == blocks);
    });
    if (trace.blocks < blocks && !trace.answered) drop_idle_shuffles(e, c, incidents);
    // Of a shuffle the mask is to be mended, wherever its value goes.
    for (emulator::Incident& i : trace.incidents)
        if (i.kind == Kind::lane_not_in_mask) i.second = {};
    std::move(trace.incidents.begin(), trace.incidents.end(), std::back_inserter(incidents));
    return true;
}

}  // namespace wl::diagnosis
