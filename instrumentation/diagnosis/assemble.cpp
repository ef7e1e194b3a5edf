// Two passes over one launch, and what each leaves in the capture.
#include "instrumentation/diagnosis/assemble.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/diagnosis/early_return.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/record.h"
#include "instrumentation/diagnosis/timer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

// The block worth looking at: of the first bad tile, else of the first incident, else block 0.
int64_t block_to_record(const capture::Capture& c, const std::vector<execution::Incident>& incidents) {
    const int bad = analysis::first_bad_tile(c);
    if (bad >= 0 && c.tiles[static_cast<size_t>(bad)].block != capture::kWholeLaunch)
        return c.tiles[static_cast<size_t>(bad)].block;
    for (const execution::Incident& i : incidents) {
        if (i.kind != execution::Incident::Kind::uniform_reduction && i.first.block >= 0)
            return i.first.block;
    }
    return 0;
}

// Warp instructions that are recorded of a block whose loop does not end.
constexpr uint64_t kEndlessRecord = uint64_t{1} << 20;

void add_incidents(std::vector<execution::Incident>& to, const std::vector<execution::Incident>& from) {
    for (const execution::Incident& i : from) {
        const bool known = std::any_of(to.begin(), to.end(), [&](const execution::Incident& k) {
            return k.kind == i.kind && k.first.site == i.first.site && k.second.site == i.second.site;
        });
        if (!known) to.push_back(i);
    }
}

// What the kernel printed, for a reader of the capture.
void note_printed(const execution::RunResult& result, capture::Capture& c) {
    constexpr size_t kMost = 200;
    for (size_t k = 0; k < std::min(result.printed.size(), kMost); ++k) {
        const execution::Printed& p = result.printed[k];
        const std::string text = p.text.substr(0, p.text.find_last_not_of('\n') + 1);
        c.notes.push_back(
            p.block < 0 ? "printed: " + text
                        : fmt::format("printed by block {}, thread {}: {}", p.block, p.thread, text)
        );
    }
    if (result.printed.size() > kMost)
        c.notes.push_back(fmt::format("{} more calls of printf are not shown", result.printed.size() - kMost)
        );
    if (result.prints_lost > 0)
        c.notes.push_back(fmt::format(
            "{} calls of printf are lost: they are beyond the 1 MiB that a launch may print",
            result.prints_lost
        ));
}

bool has_compared(const capture::Capture& c) {
    return std::any_of(c.tiles.begin(), c.tiles.end(), [](const capture::Tile& t) { return t.compared > 0; });
}

}  // namespace

void describe_launch(const Experiment& e, const execution::Executable& executable, capture::Capture& c) {
    capture::Launch& l = c.launch;
    l.kernel = e.problem.kernel.name, l.entry = e.entry, l.faults = e.problem.faults,
    l.params = e.problem.params;
    const manifest::BoundLaunch& bound = manifest::launch_of(e.problem);
    l.grid = bound.grid, l.block = bound.block, l.dynamic_shared = bound.shared, l.name = bound.name,
    l.number = static_cast<int>(e.problem.at) + 1, l.all = static_cast<int>(e.problem.launches.size());
    for (size_t k = 0; k < e.problem.launches.size() && manifest::is_sequence(e.problem); ++k) {
        const manifest::BoundLaunch& one = e.problem.launches[k];
        c.launches.push_back({one.name, e.entries[k], one.grid, one.block, 0, 0, 0, {}});
    }
    l.static_shared = executable.static_shared;
    l.arch = e.options.arch, l.build = e.options.debug ? "debug" : "optimised",
    l.executor = e.options.executor.name;
    l.inputs = e.problem.inputs.empty() ? "manifest" : e.problem.inputs;
    l.seed = e.problem.seed, l.schedule_seed = e.options.schedule_seed;
    c.sites = executable.listing->sites;
}

Observer observer_of(const Experiment& e, const execution::Executable& executable, capture::Capture& c) {
    return {
        .problem = e.problem,
        .listing = *executable.listing,
        .reference = e.reference ? &*e.reference : nullptr,
        .wanted = e.options.reference,
        .keep = false,
        .capture = c,
        .unsettled = e.unsettled.get()};
}

Pass run_pass(
    const Experiment& e, const execution::Executable& executable, Prepared& prepared, capture::Capture& c
) {
    Pass pass;
    Observer observer = observer_of(e, executable, c);
    const Timer all;
    execution::RunOptions options = run_options(e.options, "run");
    options.marks = observer.reference != nullptr;
    // For who dumps before a fault, and has no second pass to record in.
    options.recording = e.options.recording;
    if (options.recording.barriers)
        options.arrays = observer.arrays =
            arrays_of(e.module, *executable.listing, prepared.launch.dynamic_shared);
    options.on_tile = [&](execution::TileSnapshot&& s) { add_tile(observer, std::move(s)); };
    execution::RunResult result = executable.run(prepared.launch, prepared.memory, options);
    if (result.cancelled) throw_cancelled();
    pass.contest = std::move(result.contest);
    c.counters.emplace_back("warp_instructions", static_cast<double>(result.warp_instructions));
    c.seconds.emplace_back("run", seconds(all));
    c.covered.blocks = static_cast<int64_t>(result.blocks);
    drop_part_exited(e, result.incidents);
    add_incidents(pass.incidents, result.incidents);
    c.notes.insert(c.notes.end(), result.notes.begin(), result.notes.end());
    note_printed(result, c);
    finish(observer);
    pass.finished = result.blocks == count(prepared.launch.grid);
    return pass;
}

void compare_pass(
    const Experiment& e,
    const execution::Executable& executable,
    const execution::GlobalMemory& memory,
    capture::Capture& c
) {
    Observer observer = observer_of(e, executable, c);
    const Timer compare;
    compare_outputs(observer, memory);
    finish(observer);
    if (has_compared(c)) c.covered.blocks_compared = c.covered.blocks;
    c.seconds.emplace_back("compare", seconds(compare));
}

bool never_ends(execution::Incident::Kind kind) {
    using Kind = execution::Incident::Kind;
    return kind == Kind::endless_loop || kind == Kind::endless_wait || kind == Kind::deadlock;
}

bool ends_early(const std::vector<execution::Incident>& incidents) {
    using Kind = execution::Incident::Kind;
    return std::any_of(incidents.begin(), incidents.end(), [](const execution::Incident& i) {
        return never_ends(i.kind) || i.kind == Kind::trap || i.kind == Kind::assertion ||
            i.kind == Kind::device_fault;
    });
}

bool is_endless(const std::vector<execution::Incident>& incidents) {
    return std::any_of(incidents.begin(), incidents.end(), [](const execution::Incident& i) {
        return i.kind == execution::Incident::Kind::endless_loop;
    });
}

void record_pass(
    const Experiment& e,
    const execution::Executable& executable,
    capture::Capture& c,
    std::vector<execution::Incident>& incidents
) {
    if (!e.options.recorded_pass || !e.options.executor.can.record) return;
    const Timer record;
    report(e.options, "record", 0);
    std::vector<int64_t> blocks = e.options.record;
    const int64_t block = block_to_record(c, incidents);
    std::erase(blocks, block);
    blocks.insert(blocks.begin(), block);
    Experiment shown = e;
    if (is_endless(incidents)) shown.options.budget = kEndlessRecord;
    Observer observer = observer_of(shown, executable, c);
    add_incidents(incidents, record_blocks(shown, executable, observer, blocks));
    c.seconds.emplace_back("record", seconds(record));
}

}  // namespace wl::diagnosis
