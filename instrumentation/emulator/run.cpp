// A launch: its blocks run on several threads; what they saw is merged so that the result does not depend on
// how many there were.
#include "instrumentation/emulator/run.h"

#include "instrumentation/base/os/memory_limit.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/work.h"
#include "instrumentation/emulator/device.h"
#include "instrumentation/emulator/exec/memory/exact_sums.h"
#include "instrumentation/emulator/global/explore.h"
#include "instrumentation/emulator/global/late_accesses.h"
#include "instrumentation/emulator/global/pair_order.h"
#include "instrumentation/emulator/global/read_only.h"
#include "instrumentation/emulator/observe/banks.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/observe/reductions.h"
#include "instrumentation/emulator/program/load.h"
#include "instrumentation/emulator/schedule/grid.h"
#include "instrumentation/emulator/schedule/printed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <utility>

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

// Threads that had exited before a barrier are no fault.
void tell_who_left(RunResult& result, const Program& program) {
    const auto left =
        std::stable_partition(result.incidents.begin(), result.incidents.end(), [](const Incident& i) {
            return i.kind != Incident::Kind::left_early;
        });
    if (left == result.incidents.end()) return;
    std::set<int> lines;
    for (auto i = left; i != result.incidents.end(); ++i)
        lines.insert(program.listing.sites[i->first.site].line);
    result.notes.push_back(fmt::format(
        "threads had exited before the __syncthreads() of line {}: they count as arrived, and what they "
        "should "
        "have done is missing; first {} {}, from warp {} on",
        fmt::join(lines, ", "),
        left->detail,
        left->first.block,
        left->first.warp
    ));
    result.incidents.erase(left, result.incidents.end());
}

void gather_results(RunResult& result, Grid& grid) {
    const Program& program = *grid.launch.context.program;
    Findings findings;
    std::vector<ReductionCount> reductions(program.reductions.size());
    for (auto& block : grid.left.storage) {
        result.warp_instructions += block->seen.issued;
        merge(findings, std::move(block->seen.findings));
        if (!block->seen.reductions.empty()) add(reductions, block->seen.reductions);
    }
    result.incidents = sorted(std::move(findings));
    tell_who_left(result, program);
    if (grid.launch.context.variant != kPlain && grid.launch.context.options->checks.uniform) {
        for (Incident& i : uniform_reductions(program, reductions)) result.incidents.push_back(std::move(i));
        std::stable_sort(
            result.incidents.begin(),
            result.incidents.end(),
            [](const Incident& a, const Incident& b) { return a.first.block < b.first.block; }
        );
    }
    if (grid.launch.counting) {
        std::vector<const AccessCounter*> counters;
        for (const auto& [block, c] : grid.left.counters) counters.push_back(&c->asked);
        result.accesses = gathered(*grid.launch.counting, counters);
    }
    std::vector<Recorder*> recorders;
    for (auto& r : grid.left.recorders) recorders.push_back(r.get());
    std::sort(recorders.begin(), recorders.end(), [](const Recorder* a, const Recorder* b) {
        return a->record.block < b->record.block;
    });
    merge_owners(result, recorders, *grid.launch.context.memory);
    for (Recorder* r : recorders) {
        result.records.push_back(std::move(r->record));
        result.events.push_back(r->events);
    }
    if (grid.launch.context.options->record) result.stages = program.listing.stages;
}

Variant variant_for(const RunOptions& options) {
    if (options.record) return kRecorded;
    const Checks& c = options.checks;
    return c.races || c.uninitialised || c.uniform ? kChecked : kPlain;
}

// The block of a directed schedule's later access begins first: it is to stand there when the other comes.
void order_by_schedule(std::vector<Start>& starts, uint64_t seed, const std::optional<PairOrder>& directed) {
    if (directed) {
        std::stable_partition(starts.begin(), starts.end(), [&](const Start& s) {
            return s.index == directed->then.block;
        });
    } else if (is_random(seed)) {
        uint64_t state = seed;
        for (size_t k = starts.size(); k > 1; --k) std::swap(starts[k - 1], starts[next_random(state) % k]);
    }
}

// A block is recorded as the whole launch has it: a schedule orders accesses of several blocks.
bool runs_whole(const Program& program, const RunOptions& options) {
    return options.blocks.empty() || (program.waits_for_blocks && !options.alone) ||
        (options.record && options.schedule_seed != 0);
}

// Blocks that are asked for, and those that they may wait for.
std::vector<Start> starts(
    const Program& program,
    const Launch& launch,
    const RunOptions& options,
    const std::optional<PairOrder>& directed
) {
    std::vector<Start> result;
    if (runs_whole(program, options)) {
        check_memory(
            capped_product(count(launch.grid), sizeof(Start)),
            fmt::format("a grid of {} blocks", count(launch.grid))
        );
        result.reserve(count(launch.grid));
        const std::set<int64_t> wanted(options.blocks.begin(), options.blocks.end());
        for (int64_t k = 0; std::cmp_less(k, count(launch.grid)); ++k) {
            if (k % 4096 == 0) check_stop();
            result.push_back({k, wanted.empty() || wanted.contains(k)});
        }
    } else {
        for (const int64_t index : options.blocks) result.push_back({index, true});
    }
    order_by_schedule(result, options.schedule_seed, directed);
    return result;
}

// What every execution of one launch shares.
struct Execution {
    const Program& program;
    const Launch& launch;
    const RunOptions& options;
    const Loaded& loaded;
    std::optional<PairOrder> directed;
    std::vector<Start> starts;
    size_t workers = 1;
    TurnLog* turns = nullptr;  // to be written
};

// Executes the hooked copy where somebody looks on.
RunResult execute(const Execution& e, GlobalMemory& memory, Hooked* hooked, GlobalCheck* check) {
    Grid grid;
    BlockContext& context = grid.launch.context;
    context.program = &e.program, context.launch = &e.launch, context.options = &e.options;
    context.memory = &memory, context.loaded = &e.loaded, context.variant = variant_for(e.options);
    ExactSums sums;
    if (e.options.exact_sums) context.sums = &sums;
    AccessCounting counting{&e.program, e.options.row_maps};
    if (e.options.count_accesses) {
        count_accesses(*hooked, context.variant);
        grid.launch.counting = &counting;
    }
    if (hooked != nullptr) run_hooked(context, *hooked);
    grid.launch.global = check;
    if (e.launch.cooperative) context.workspace = place_workspace(memory);
    if (e.turns != nullptr) start(*e.turns, memory);
    grid.launch.turns = e.turns;
    grid.launch.starts = e.starts;
    grid.queue.random = e.options.schedule_seed;
    grid.launch.interrupts = is_random(grid.queue.random);
    grid.launch.resident = resident_blocks(e.launch.block, e.program.static_shared + e.launch.dynamic_shared);
    grid.launch.others = other_launches();
    if (grid.launch.others != nullptr)
        grid.launch.resident = std::min(grid.launch.resident, grid.launch.others->most_blocks);
    run_grid(grid, e.workers);
    RunResult result = std::move(grid.left.result);
    result.contest = e.program.contest;
    for (auto& block : grid.left.storage)  // of blocks that never ended
        if (!block->seen.printed.empty()) add_printed(result, std::move(block->seen.printed));
    for (const Printed& p : result.printed) result.prints_lost += p.lost;
    result.cancelled = grid.progress.cancelled;
    result.blocks = grid.queue.finished;
    if (check != nullptr && check->pair != nullptr) result.in_order = had_order(*check->pair);
    gather_results(result, grid);
    return result;
}

bool looks_at_global(const RunOptions& options, const std::vector<Start>& starts) {
    return options.checks.races && !options.record && !options.count_accesses &&
        std::all_of(starts.begin(), starts.end(), [](const Start& s) { return s.observed; });
}

void add_races(RunResult& result, GlobalCheck& check) {
    for (auto& [sites, met] : check.shadow.met) result.contest.met.push_back(std::move(met));
    for (const auto& key : check.shadow.found)
        result.incidents.push_back(std::move(check.shadow.incidents.at(key)));
    std::stable_sort(
        result.incidents.begin(),
        result.incidents.end(),
        [](const Incident& a, const Incident& b) { return a.first.block < b.first.block; }
    );
    if (!check.shadow.full) return;
    result.notes.emplace_back(
        "races in global memory were looked for in a first part of the launch only: it has more than 67 "
        "million intervals of accesses"
    );
}

// With the schedule's order of accesses.
Hooked hooked_for(const Execution& e, GlobalCheck& check) {
    Hooked hooked = hookable(e.program);
    if (looks_at_global(e.options, e.starts)) look_for_races(hooked, variant_for(e.options));
    if (e.turns != nullptr && e.turns->is_told) tell_stores(check, hooked, *e.turns);
    follow(check, hooked, e.options.schedule_seed, e.directed);
    return hooked;
}

// Memory as it was before a launch that may have to be run again; nullptr: it will not be. In what the last
// one of these had: fresh pages cost as much as the copy.
struct Before {
    GlobalMemory memory;
    explicit Before(const GlobalMemory* now) {
        if (now == nullptr) return;
        exchange();
        memory = *now;
    }
    ~Before() {
        if (!memory.allocations.empty()) exchange();
    }
    Before(const Before&) = delete;
    Before& operator=(const Before&) = delete;

private:
    void exchange() {
        static std::mutex lock;
        static auto& spare = *new GlobalMemory;  // programs launch while the process ends, too
        const std::scoped_lock locked(lock);
        std::swap(memory, spare);
    }
};

void note_accesses(RunResult& result, std::shared_ptr<GlobalShadow> shadow, const Program& program) {
    LateAccesses made = late_accesses(std::move(shadow), program);
    if (AccessKeeper* keeper = access_keeper())
        keeper->last = std::move(made);
    else
        result.touched = made.make();
}

// Blocks that nothing orders may run on all workers: whether they race does not depend on who comes first.
// Who races with whom is then found on one.
RunResult execute_checked(Execution e, GlobalMemory& memory) {
    const bool ordered = e.program.orders_blocks || e.launch.cooperative || memory.heap != nullptr,
               one_thread = e.workers == 1 || ordered;
    if (one_thread) e.workers = 1;
    // Variables that this launch placed are not in what was kept.
    const GlobalMemory* kept = e.options.before;
    if (kept != nullptr && kept->allocations.size() != memory.allocations.size()) kept = nullptr;
    const Before before(one_thread || kept != nullptr ? nullptr : &memory);
    const auto kept_check = std::make_shared<GlobalCheck>();
    GlobalCheck& check = *kept_check;
    Hooked hooked = hooked_for(e, check);
    if (e.launch.cooperative) place_workspace(memory);
    start(check, e.program, memory, {.witnesses = one_thread, .blocks_ordered = ordered});
    check.shadow.programmatic = e.launch.programmatic;
    RunResult result = execute(e, memory, &hooked, &check);
    result.reached = reached(check.shadow, e.program);
    for (Incident& i : read_only_loads(check.shadow)) result.incidents.push_back(std::move(i));
    if (e.options.touched) note_accesses(result, {kept_check, &check.shadow}, e.program);
    if (one_thread) {
        add_races(result, check);
        return result;
    }
    if (result.cancelled || (!check.shadow.raced && !check.shadow.full)) return result;
    GlobalMemory again = kept != nullptr ? *kept : before.memory;
    RunOptions quiet = e.options;
    quiet.on_tile = nullptr;
    // All blocks have been through; who may call it off still can.
    if (e.options.on_progress)
        quiet.on_progress = [&](uint64_t, uint64_t of) { return e.options.on_progress(of, of); };
    GlobalCheck exact;
    start(exact, e.program, again, {.witnesses = true});
    const RunResult second =
        execute({e.program, e.launch, quiet, e.loaded, {}, e.starts, 1}, again, &hooked, &exact);
    result.cancelled = result.cancelled || second.cancelled;
    add_races(result, exact);
    return result;
}

RunResult execute_as_asked(const Execution& e, GlobalMemory& memory) {
    if (looks_at_global(e.options, e.starts)) return execute_checked(e, memory);
    if (e.options.count_accesses) {
        Hooked hooked = hookable(e.program);
        return execute(e, memory, &hooked, nullptr);
    }
    if (e.turns == nullptr && e.options.schedule_seed == 0) return execute(e, memory, nullptr, nullptr);
    GlobalCheck check;
    Hooked hooked = hooked_for(e, check);
    return execute(e, memory, &hooked, &check);
}

}  // namespace

RunResult run(const Program& program, const Launch& launch, GlobalMemory& memory, const RunOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    const Loaded loaded = load(program, memory);
    const auto directed = directed_by(options.schedule_seed, schedule_space(program, launch));
    Execution e{program, launch, options, loaded, directed, starts(program, launch, options, directed)};
    const size_t cores = options.threads > 0 ? static_cast<size_t>(options.threads)
                                             : std::max(1u, std::thread::hardware_concurrency());
    // What a block finds, and how often it looks, depends on the schedule alone.
    const bool one_thread =
        options.schedule_seed != 0 || options.exact_sums || (options.record && program.waits_for_blocks);
    e.workers = one_thread ? 1 : std::clamp<size_t>(e.starts.size(), 1, cores);
    RunResult result = execute_as_asked(e, memory);
    constexpr double kLaunch = 50e3;  // of search-work.json, as what follows
    constexpr std::array<double, kVariants> kInstruction = {20, 100, 200};  // of a warp
    count_work(kLaunch + kInstruction[variant_for(options)] * static_cast<double>(result.warp_instructions));
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

namespace {

TurnLog log_launch(const TurnQuestion& q, GlobalMemory& memory, bool is_told) {
    TurnLog log;
    log.block = q.block;
    log.limit = q.limit;
    log.is_told = is_told;
    RunOptions options;
    options.checks = {false, false, false};
    options.schedule_seed = q.schedule_seed;
    options.budget = q.budget;
    options.on_tile = [](TileSnapshot&&) {};  // marks hold the block up
    const Loaded loaded = load(q.program, memory);
    const auto directed = directed_by(q.schedule_seed, schedule_space(q.program, q.launch));
    const auto begun = starts(q.program, q.launch, options, directed);
    execute_as_asked({q.program, q.launch, options, loaded, directed, begun, 1, &log}, memory);
    return log;
}

}  // namespace

TurnLog log_turns(const TurnQuestion& q, const GlobalMemory& memory) {
    GlobalMemory after = execution::copy_of(memory);
    TurnLog log = log_launch(q, after, true);
    if (!log.full && !was_told_all(log, after)) {  // surfaces, bulk copies
        after = execution::copy_of(memory);
        log = log_launch(q, after, false);
    }
    log.seen.clear();
    return log;
}

}  // namespace wl::emulator
