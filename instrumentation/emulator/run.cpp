// A launch: workers take blocks in order; what they saw is merged so that the result does not depend on how
// many there were.
#include "instrumentation/emulator/banks.h"
#include "instrumentation/emulator/block.h"
#include "instrumentation/emulator/incidents.h"
#include "instrumentation/emulator/load.h"
#include "instrumentation/emulator/record.h"
#include "instrumentation/emulator/reductions.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

namespace wl::emulator {
namespace {

struct Worker {
    Block block;
    uint64_t finished = 0;
    std::vector<std::unique_ptr<Recorder>> recorders;
    AccessCounter counter;
};

struct Shared {
    BlockContext context;
    std::optional<CountingProgram> counting;
    std::vector<int64_t> blocks;
    std::atomic<size_t> next{0};
    std::atomic<uint64_t> done{0};
    std::atomic<bool> cancelled{false};
    std::mutex progress_lock;
    std::chrono::steady_clock::time_point last_progress;
    std::mutex failure_lock;
    std::exception_ptr failure;
};

void report_progress(Shared& shared, bool last) {
    const auto& callback = shared.context.options->on_progress;
    if (!callback) return;
    const std::unique_lock lock(shared.progress_lock, std::try_to_lock);
    if (!lock) return;
    const auto now = std::chrono::steady_clock::now();
    if (!last && now - shared.last_progress < std::chrono::milliseconds(50)) return;
    shared.last_progress = now;
    if (!callback(shared.done, shared.blocks.size())) shared.cancelled = true;
}

void work(Shared& shared, Worker& worker) {
    prepare(worker.block, shared.context);
    const RunOptions& options = *shared.context.options;
    if (shared.counting) {
        prepare(worker.counter, *shared.counting, shared.blocks.front());
        worker.block.counter = &worker.counter;
    }
    while (!shared.cancelled) {
        const size_t k = shared.next++;
        if (k >= shared.blocks.size()) return;
        const int64_t index = shared.blocks[k];
        if (options.record) {
            auto& recorder = worker.recorders.emplace_back(std::make_unique<Recorder>());
            recorder->max_events = options.max_events;
            recorder->record.block = index;
            recorder->record.warps = static_cast<int>(worker.block.warps.size());
            worker.block.recorder = recorder.get();
        }
        if (run_block(worker.block, index)) ++worker.finished;
        ++shared.done;
        report_progress(shared, false);
    }
}

void work_safely(Shared& shared, Worker& worker) {
    try {
        work(shared, worker);
    } catch (...) {
        const std::lock_guard lock(shared.failure_lock);
        if (!shared.failure) shared.failure = std::current_exception();
        shared.cancelled = true;
    }
}

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

void gather_results(RunResult& result, std::vector<Worker>& workers, const Shared& shared) {
    const Program& program = *shared.context.program;
    Findings findings;
    std::vector<ReductionCount> reductions(program.reductions.size());
    std::vector<Recorder*> recorders;
    for (Worker& w : workers) {
        result.blocks += w.finished;
        result.warp_instructions += w.block.issued;
        merge(findings, std::move(w.block.findings));
        if (!w.block.reductions.empty()) add(reductions, w.block.reductions);
        for (auto& r : w.recorders) recorders.push_back(r.get());
    }
    result.incidents = sorted(std::move(findings));
    if (shared.context.variant != kPlain && shared.context.options->checks.uniform) {
        for (Incident& i : uniform_reductions(program, reductions)) result.incidents.push_back(std::move(i));
        std::stable_sort(
            result.incidents.begin(),
            result.incidents.end(),
            [](const Incident& a, const Incident& b) { return a.first.block < b.first.block; }
        );
    }
    if (shared.counting) {
        std::vector<const AccessCounter*> counters;
        counters.reserve(workers.size());
        for (const Worker& w : workers) counters.push_back(&w.counter);
        result.accesses = gathered(*shared.counting, counters);
    }
    std::sort(recorders.begin(), recorders.end(), [](const Recorder* a, const Recorder* b) {
        return a->record.block < b->record.block;
    });
    merge_owners(result, recorders, *shared.context.memory);
    for (Recorder* r : recorders) result.records.push_back(std::move(r->record));
    if (shared.context.options->record) result.stages = program.stages;
}

Variant variant_for(const RunOptions& options) {
    if (options.record) return kRecorded;
    const Checks& c = options.checks;
    return c.races || c.uninitialised || c.uniform ? kChecked : kPlain;
}

}  // namespace

RunResult run(const Program& program, const Launch& launch, GlobalMemory& memory, const RunOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    const Loaded loaded = load(program, memory);
    Shared shared;
    shared.context = {&program, &launch, &options, &memory, variant_for(options), &loaded};
    if (options.count_accesses) {
        shared.counting.emplace(counting_program(program, shared.context.variant, options.row_maps));
        shared.context.program = &shared.counting->program;
    }
    shared.blocks = options.blocks;
    if (shared.blocks.empty()) {
        shared.blocks.resize(count(launch.grid));
        std::iota(shared.blocks.begin(), shared.blocks.end(), 0);
    }
    shared.last_progress = begin;
    const size_t cores = options.threads > 0 ? static_cast<size_t>(options.threads)
                                             : std::max(1u, std::thread::hardware_concurrency());
    std::vector<Worker> workers(std::clamp<size_t>(shared.blocks.size(), 1, cores));
    {
        std::vector<std::jthread> threads;
        for (size_t k = 1; k < workers.size(); ++k)
            threads.emplace_back([&shared, &workers, k] { work_safely(shared, workers[k]); });
        work_safely(shared, workers[0]);
    }
    if (shared.failure) std::rethrow_exception(shared.failure);
    report_progress(shared, true);
    RunResult result;
    result.cancelled = shared.cancelled;
    gather_results(result, workers, shared);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

}  // namespace wl::emulator
