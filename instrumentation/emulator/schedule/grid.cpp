// Blocks of a launch, over workers: see grid.h. A block that spins is set aside; every set-aside one is tried
// again before more begin, in batches that double while that helps nobody, so that a chain of blocks needs
// little memory and a barrier of the whole grid few tries.
#include "instrumentation/emulator/schedule/grid.h"

#include "instrumentation/emulator/global/explore.h"
#include "instrumentation/emulator/global/pair_order.h"
#include "instrumentation/emulator/hash.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/schedule/printed.h"
#include "instrumentation/emulator/schedule/stuck.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace wl::emulator {
namespace {

// Warp instructions that may be issued while all blocks spin and memory stays as it is: loops that count how
// often they looked come to their end within it.
constexpr uint64_t kQuietLaunch = uint64_t{1} << 22;
constexpr uint64_t kQuietBlock = uint64_t{1} << 21;

constexpr uint64_t kMixedBlocks = 4;  // that take turns with each other in a random schedule

struct Job {
    Block* block = nullptr;
    const Start* start = nullptr;  // nullptr: it goes on
    Recorder* recorder = nullptr;
    AccessCounter* counter = nullptr;
};

bool can_begin(const Grid& g) {
    return g.queue.next < g.launch.starts.size() &&
        g.queue.running + g.queue.aside.size() < g.launch.resident;
}

Block* idle_block(Grid& g) {
    if (g.queue.idle.empty()) return g.left.storage.emplace_back(std::make_unique<Block>()).get();
    Block* block = g.queue.idle.back();
    g.queue.idle.pop_back();
    return block;
}

Recorder* recorder_for(Grid& g, const Start& start) {
    if (!start.observed || !g.launch.context.options->record) return nullptr;
    Recorder* r = g.left.recorders.emplace_back(std::make_unique<Recorder>()).get();
    r->max_events = g.launch.context.options->max_events;
    r->record.block = start.index;
    r->record.warps = static_cast<int>((count(g.launch.context.launch->block) + kLanes - 1) / kLanes);
    return r;
}

AccessCounter* counter_for(Grid& g, const Block& block, const Start& start) {
    if (g.launch.counting == nullptr) return nullptr;
    auto& counters = g.left.counters[&block];
    if (counters == nullptr) {
        const auto first = std::find_if(g.launch.starts.begin(), g.launch.starts.end(), [](const Start& s) {
            return s.observed;
        });
        counters = std::make_unique<Counters>();
        for (AccessCounter* c : {&counters->asked, &counters->others})
            begin_counting(*c, *g.launch.counting, first->index);
    }
    return start.observed ? &counters->asked : &counters->others;
}

Job begin(Grid& g) {
    const Start& start = g.launch.starts[g.queue.next++];
    g.queue.fresh -= g.queue.fresh != 0;
    g.queue.stall = {};
    Block* block = idle_block(g);
    return {block, &start, recorder_for(g, start), counter_for(g, *block, start)};
}

// What to run now; nothing: others have to come back first.
Job choose(Grid& g) {
    if (g.queue.aside.empty() || g.queue.fresh > 0) {
        if (can_begin(g)) return begin(g);
        if (g.queue.aside.empty()) return {};
    }
    if (g.queue.retries >= g.queue.aside.size() && can_begin(g)) {
        g.queue.retries = 0;
        g.queue.fresh = g.queue.batch *= 2;
        return begin(g);
    }
    ++g.queue.retries;
    Job job;
    job.block = g.queue.aside.front();
    g.queue.aside.pop_front();
    return job;
}

bool is_logged(const Grid& g, const Block& block) {
    return g.launch.turns != nullptr && g.launch.turns->block == block.now.index;
}

Ended run_turn(Grid& g, Block& block, bool interruptible) {
    if (!is_logged(g, block)) return run_block(block, interruptible);
    const PairRun* pair = pair_of(block);
    turn_begins(
        *g.launch.turns,
        *g.launch.context.memory,
        {issued(block), interruptible, pair != nullptr ? pair->now : PairState{}}
    );
    const Ended ended = run_block(block, interruptible);
    turn_ends(*g.launch.turns, *g.launch.context.memory);
    return ended;
}

void run_job(Grid& g, const Job& job, Ended& ended) {
    Block& block = *job.block;
    if (block.warps.empty()) make_ready(block, g.launch.context);
    if (job.start != nullptr) {
        block.recorder = job.recorder;
        block.counter = job.counter;
        begin_block(block, job.start->index, job.start->observed ? g.launch.context.variant : kPlain);
        block.now.observed = job.start->observed;
        if (g.launch.global != nullptr) begin_global(*g.launch.global, block);
    }
    ended = run_turn(g, block, g.launch.interrupts);
}

// A turn that ends at another poll, or with another answer, may have brought the block further.
constexpr uint64_t kSameSpin = 8, kOtherSpin = 1;

void put_back(Grid& g, Block& block, Ended ended) {
    if (ended == Ended::set_aside) {
        g.queue.stall.in_vain += note_spin(block) ? kSameSpin : kOtherSpin;
        g.queue.aside.push_back(&block);
        return;
    }
    if (ended == Ended::held) {
        g.queue.stall.in_vain += kSameSpin;
        g.queue.aside.push_back(&block);
        return;
    }
    if (ended == Ended::interrupted) {
        if (block.turn.in_vain == 0)
            g.queue.retries = g.queue.stall.in_vain = g.queue.stall.quiet = 0;
        else
            g.queue.stall.in_vain += kOtherSpin;  // it may wait for a block that has not begun
        const auto place =
            static_cast<std::ptrdiff_t>(next_random(g.queue.random) % (g.queue.aside.size() + 1));
        g.queue.aside.insert(g.queue.aside.begin() + place, &block);
        return;
    }
    g.queue.stall = {};
    if (g.launch.interrupts) g.queue.fresh = 1;
    g.queue.batch = std::max<uint64_t>(g.queue.batch / 2, 1);
    if (!block.seen.printed.empty()) add_printed(g.left.result, std::exchange(block.seen.printed, {}));
    ++g.queue.ended;
    if (ended == Ended::finished)
        g.queue.finished += block.now.observed;
    else
        g.queue.given_up = true;
    // As a watchdog ends a launch: what has not begun, or waits, would only take as long again.
    if (ended == Ended::endless) {
        g.queue.next = g.launch.starts.size();
        g.queue.idle.insert(g.queue.idle.end(), g.queue.aside.begin(), g.queue.aside.end());
        g.queue.aside.clear();
    }
    g.queue.idle.push_back(&block);
    if (is_logged(g, block)) g.queue.stopped = true;
}

// ---- nobody comes further

// Nothing can begin, and every block that has begun was tried in vain.
bool stalled(const Grid& g) {
    return !g.queue.aside.empty() && !can_begin(g) &&
        g.queue.stall.in_vain >=
        kSameSpin * g.queue.stall.patience * (g.queue.aside.size() + g.queue.running);
}

uint64_t hash_of_memory(const GlobalMemory& memory) {
    Hash hash;
    for (const Allocation& a : memory.allocations) add(hash, a.bytes);
    return hash.value;
}

// A block that polls nothing, in a program that orders no block after another, works: its budget ends it.
bool may_wait(const Grid& g) {
    const auto& aside = g.queue.aside;
    return g.launch.context.program->orders_blocks ||
        std::any_of(aside.begin(), aside.end(), [](const Block* b) { return b->turn.in_vain > 0; });
}

// Other launches have gone on meanwhile. Before lanes that wait for those of their warp go on without them:
// these may come by what the others do.
bool do_others_help(Grid& g) {
    Others* others = g.launch.others;
    if (others == nullptr || g.queue.given_up || !others->when_stuck()) return false;
    g.queue.stall = {};
    return true;
}

// Every block runs on for one turn, one after the other, while nobody else runs. If neither memory nor any of
// them has changed behind that, none ever will: each goes through the same states again.
void look_at_all(Grid& g) {
    const uint64_t memory = hash_of_memory(*g.launch.context.memory);
    const size_t waiting = g.queue.aside.size();
    bool same = true;
    uint64_t instructions = 0;
    for (size_t k = 0; k < waiting; ++k) {
        Block& block = *g.queue.aside.front();
        g.queue.aside.pop_front();
        const uint64_t before = fingerprint(block), issued_before = issued(block);
        const Ended ended = run_turn(g, block, false);
        instructions += issued(block) - issued_before;
        same = same && fingerprint(block) == before;
        put_back(g, block, ended);
        if (ended != Ended::set_aside) return;
    }
    const bool still = hash_of_memory(*g.launch.context.memory) == memory;
    g.queue.stall.quiet = still ? g.queue.stall.quiet + instructions : 0;
    g.queue.stall.in_vain = 0;
    g.queue.stall.patience = still ? 2 : g.queue.stall.patience * 2;
    if (still && same) {
        if (do_others_help(g)) return;
        bool diverged = false;
        for (Block* block : g.queue.aside) {
            const bool went_on = go_on_diverged(*block);
            diverged = diverged || went_on;
            if (went_on && is_logged(g, *block)) g.launch.turns->diverged = true;
        }
        if (diverged) return;
        return report_stuck(g, true);
    }
    if (may_wait(g) && g.queue.stall.quiet > std::max(kQuietLaunch, kQuietBlock * waiting) &&
        !do_others_help(g))
        report_stuck(g, false);
}

// The directed schedule waits for an access that does not come, and everybody else has stopped, too.
bool let_held_go(Grid& g) {
    PairRun* pair = g.launch.global != nullptr ? g.launch.global->pair.get() : nullptr;
    if (pair == nullptr || !is_waiting(*pair)) return false;
    pair->now.given_up = true;
    g.queue.stall.in_vain = 0;
    return true;
}

// ---- workers

// Called with the lock held. False: the launch is over.
bool take(Grid& g, std::unique_lock<std::mutex>& lock, Job& job) {
    while (!g.queue.stopped) {
        if (stalled(g)) {
            if (g.queue.running == 0) {
                if (!let_held_go(g)) look_at_all(g);
                g.changed.notify_all();
                continue;
            }
        } else {
            job = choose(g);
            if (job.block != nullptr) return true;
            if (g.queue.running == 0) return false;
        }
        g.changed.wait(lock);
    }
    return false;
}

// One worker at a time calls back, the others do not wait for it. False: the launch is to end.
bool report_progress(Grid& g) {
    const auto& callback = g.asked.on_progress;
    if (!callback || g.progress.cancelled) return !g.progress.cancelled;
    const std::unique_lock progress(g.progress.lock, std::try_to_lock);
    if (!progress) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - g.progress.last < std::chrono::milliseconds(50)) return true;
    g.progress.last = now;
    std::unique_lock lock(g.lock, std::try_to_lock);
    if (!lock) return true;  // as where a block that is put back is looked at: the next turn reports
    const uint64_t ended = g.queue.ended;
    lock.unlock();
    if (callback(ended, g.launch.starts.size())) return true;
    lock.lock();
    g.queue.stopped = g.progress.cancelled = true;
    return false;
}

void work(Grid& g) {
    std::unique_lock lock(g.lock);
    for (Job job; take(g, lock, job);) {
        ++g.queue.running;
        lock.unlock();
        Ended ended = Ended::given_up;
        std::exception_ptr failure;
        try {
            run_job(g, job, ended);
            report_progress(g);
        } catch (...) { failure = std::current_exception(); }
        lock.lock();
        --g.queue.running;
        put_back(g, *job.block, ended);
        if (failure) std::rethrow_exception(failure);
        g.changed.notify_all();
    }
}

void work_safely(Grid& g) {
    std::exception_ptr failure;
    try {
        work(g);
    } catch (...) { failure = std::current_exception(); }
    const std::scoped_lock lock(g.lock);
    if (failure) {
        g.queue.failure = failure;
        g.queue.stopped = true;
    }
    g.changed.notify_all();
}

}  // namespace

namespace {
thread_local Others* innermost = nullptr;
}

Others::Others(std::function<bool()> stuck) :
    when_stuck(std::move(stuck)), outer_(std::exchange(innermost, this)) {}
Others::~Others() { innermost = outer_; }
Others* other_launches() { return innermost; }

void run_grid(Grid& grid, size_t workers) {
    grid.progress.last = std::chrono::steady_clock::now();
    grid.asked = grid.options = *grid.launch.context.options;
    grid.options.on_progress = [&grid](uint64_t, uint64_t) { return report_progress(grid); };
    grid.launch.context.options = &grid.options;
    grid.queue.batch = grid.queue.fresh = grid.launch.interrupts ? kMixedBlocks : workers;
    {
        std::vector<std::jthread> threads;
        for (size_t k = 1; k < workers; ++k) threads.emplace_back([&grid] { work_safely(grid); });
        work_safely(grid);
    }
    if (grid.queue.failure) std::rethrow_exception(grid.queue.failure);
    const auto& callback = grid.asked.on_progress;
    if (callback && !grid.progress.cancelled && !callback(grid.queue.ended, grid.launch.starts.size()))
        grid.progress.cancelled = true;
}

}  // namespace wl::emulator
