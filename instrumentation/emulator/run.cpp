// A launch: its blocks run on several threads; what they saw is merged so that the result does not depend on
// how many there were.
#include "instrumentation/emulator/banks.h"
#include "instrumentation/emulator/device.h"
#include "instrumentation/emulator/grid.h"
#include "instrumentation/emulator/incidents.h"
#include "instrumentation/emulator/load.h"
#include "instrumentation/emulator/print.h"
#include "instrumentation/emulator/reductions.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <thread>

namespace wl::emulator {
namespace {

// Last writers over all recorded blocks: of two blocks that wrote a byte, the later one in block order.
void merge_owners(RunResult& result, std::vector<Recorder*>& recorders, const GlobalMemory& memory) {
    for (const Allocation& allocation : memory.allocations) {
        std::vector<capture::Owner> owners;
        for (Recorder* r : recorders) {
            const auto found = r->owners.find(&allocation);
            if (found == r->owners.end()) continue;
            if (owners.empty()) owners.resize(allocation.bytes.size());
            for (size_t k = 0; k < found->second.size(); ++k)
                if (found->second[k].warp != capture::Owner::kNobody) owners[k] = found->second[k];
        }
        if (!owners.empty()) result.global_owners.emplace_back(allocation.name, std::move(owners));
    }
}

void gather_results(RunResult& result, Grid& grid) {
    const Program& program = *grid.context.program;
    Findings findings;
    std::vector<ReductionCount> reductions(program.reductions.size());
    for (auto& block : grid.storage) {
        result.warp_instructions += block->issued;
        merge(findings, std::move(block->findings));
        if (!block->reductions.empty()) add(reductions, block->reductions);
    }
    result.incidents = sorted(std::move(findings));
    if (grid.context.variant != kPlain && grid.context.options->checks.uniform) {
        for (Incident& i : uniform_reductions(program, reductions)) result.incidents.push_back(std::move(i));
        std::stable_sort(
            result.incidents.begin(),
            result.incidents.end(),
            [](const Incident& a, const Incident& b) { return a.first.block < b.first.block; }
        );
    }
    if (grid.counting) {
        std::vector<const AccessCounter*> counters;
        for (const auto& [block, c] : grid.counters) counters.push_back(&c->asked);
        result.accesses = gathered(*grid.counting, counters);
    }
    std::vector<Recorder*> recorders;
    for (auto& r : grid.recorders) recorders.push_back(r.get());
    std::sort(recorders.begin(), recorders.end(), [](const Recorder* a, const Recorder* b) {
        return a->record.block < b->record.block;
    });
    merge_owners(result, recorders, *grid.context.memory);
    for (Recorder* r : recorders) {
        result.records.push_back(std::move(r->record));
        result.events.push_back(r->events);
    }
    if (grid.context.options->record) result.stages = program.stages;
}

Variant variant_for(const RunOptions& options) {
    if (options.record) return kRecorded;
    const Checks& c = options.checks;
    return c.races || c.uninitialised || c.uniform ? kChecked : kPlain;
}

// Blocks that are asked for, and those that they may wait for.
std::vector<Start> starts(const Program& program, const Launch& launch, const RunOptions& options) {
    std::vector<Start> result;
    if (options.blocks.empty() || program.waits_for_blocks) {
        result.resize(count(launch.grid));
        const std::set<int64_t> wanted(options.blocks.begin(), options.blocks.end());
        for (size_t k = 0; k < result.size(); ++k) {
            result[k].index = static_cast<int64_t>(k);
            result[k].observed = wanted.empty() || wanted.contains(result[k].index);
        }
    } else {
        for (const int64_t index : options.blocks) result.push_back({index, true});
    }
    return result;
}

// What cooperative groups keep their barrier in: its size, then the barrier (driver_abi.h of cooperative
// groups).
uint64_t place_workspace(GlobalMemory& memory) {
    const std::string name = "workspace of the cooperative launch";
    const uint32_t words[2] = {sizeof(words), 0};
    const auto bytes = std::as_bytes(std::span(words));
    for (Allocation& a : memory.allocations) {
        if (a.name != name) continue;
        a.bytes.assign(bytes.begin(), bytes.end());
        return a.base;
    }
    return allocate(memory, name, {bytes.begin(), bytes.end()});
}

}  // namespace

RunResult run(const Program& program, const Launch& launch, GlobalMemory& memory, const RunOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    const Loaded loaded = load(program, memory);
    Grid grid;
    grid.context = {&program, &launch, &options, &memory, variant_for(options), &loaded};
    if (options.count_accesses) {
        grid.counting.emplace(counting_program(program, grid.context.variant, options.row_maps));
        grid.context.program = &grid.counting->program;
    }
    if (launch.cooperative) grid.context.workspace = place_workspace(memory);
    grid.starts = starts(program, launch, options);
    grid.resident = resident_blocks(launch.block, program.static_shared + launch.dynamic_shared);
    const size_t cores = options.threads > 0 ? static_cast<size_t>(options.threads)
                                             : std::max(1u, std::thread::hardware_concurrency());
    run_grid(grid, std::clamp<size_t>(grid.starts.size(), 1, cores));
    RunResult result = std::move(grid.result);
    for (auto& block : grid.storage)  // of blocks that never ended
        if (!block->printed.empty()) add_printed(result, std::move(block->printed));
    for (const Printed& p : result.printed) result.prints_lost += p.lost;
    result.cancelled = grid.cancelled;
    result.blocks = grid.finished;
    gather_results(result, grid);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

}  // namespace wl::emulator
