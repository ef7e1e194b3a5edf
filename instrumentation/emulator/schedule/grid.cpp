// Blocks of a launch, over workers: see grid.h. A block that spins is set aside; every set-aside one is tried
// again before more begin, in batches that double while that helps nobody, so that a chain of blocks needs
// little memory and a barrier of the whole grid few tries.
#include "instrumentation/emulator/schedule/grid.h"

#include "instrumentation/emulator/exec/print.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/replay/hash.h"
#include "instrumentation/emulator/schedule/explore.h"
#include "instrumentation/emulator/schedule/pair_order.h"
#include "instrumentation/emulator/schedule/schedule.h"

#include <algorithm>
#include <fmt/format.h>
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

bool can_begin(const Grid& g) { return g.next < g.starts.size() && g.running + g.aside.size() < g.resident; }

Block* idle_block(Grid& g) {
    if (g.idle.empty()) return g.storage.emplace_back(std::make_unique<Block>()).get();
    Block* block = g.idle.back();
    g.idle.pop_back();
    return block;
}

Recorder* recorder_for(Grid& g, const Start& start) {
    if (!start.observed || !g.context.options->record) return nullptr;
    Recorder* r = g.recorders.emplace_back(std::make_unique<Recorder>()).get();
    r->max_events = g.context.options->max_events;
    r->record.block = start.index;
    r->record.warps = static_cast<int>((count(g.context.launch->block) + kLanes - 1) / kLanes);
    return r;
}

AccessCounter* counter_for(Grid& g, const Block& block, const Start& start) {
    if (!g.counting) return nullptr;
    auto& counters = g.counters[&block];
    if (counters == nullptr) {
        const auto first =
            std::find_if(g.starts.begin(), g.starts.end(), [](const Start& s) { return s.observed; });
        counters = std::make_unique<Counters>();
        for (AccessCounter* c : {&counters->asked, &counters->others}) prepare(*c, *g.counting, first->index);
    }
    return start.observed ? &counters->asked : &counters->others;
}

Job begin(Grid& g) {
    const Start& start = g.starts[g.next++];
    g.fresh -= g.fresh != 0;
    g.in_vain = g.quiet = 0;
    g.patience = 2;
    Block* block = idle_block(g);
    return {block, &start, recorder_for(g, start), counter_for(g, *block, start)};
}

// What to run now; nothing: others have to come back first.
Job choose(Grid& g) {
    if (g.aside.empty() || g.fresh > 0) {
        if (can_begin(g)) return begin(g);
        if (g.aside.empty()) return {};
    }
    if (g.retries >= g.aside.size() && can_begin(g)) {
        g.retries = 0;
        g.fresh = g.batch *= 2;
        return begin(g);
    }
    ++g.retries;
    Job job;
    job.block = g.aside.front();
    g.aside.pop_front();
    return job;
}

bool is_logged(const Grid& g, const Block& block) {
    return g.turns != nullptr && g.turns->block == block.index;
}

Ended run_turn(Grid& g, Block& block, bool interruptible) {
    if (!is_logged(g, block)) return run_block(block, interruptible);
    const PairRun* pair = pair_of(block);
    turn_begins(
        *g.turns, *g.context.memory, {issued(block), interruptible, pair != nullptr ? pair->now : PairState{}}
    );
    const Ended ended = run_block(block, interruptible);
    turn_ends(*g.turns, *g.context.memory);
    return ended;
}

void run_job(Grid& g, const Job& job, Ended& ended) {
    Block& block = *job.block;
    if (block.warps.empty()) prepare(block, g.context);
    if (job.start != nullptr) {
        block.recorder = job.recorder;
        block.counter = job.counter;
        begin_block(block, job.start->index, job.start->observed ? g.context.variant : kPlain);
        block.observed = job.start->observed;
        if (g.global != nullptr) begin_global(*g.global, block);
    }
    ended = run_turn(g, block, g.interrupts);
}

// A turn that ends at another poll, or with another answer, may have brought the block further.
constexpr uint64_t kSameSpin = 8, kOtherSpin = 1;

void put_back(Grid& g, Block& block, Ended ended) {
    if (ended == Ended::set_aside) {
        g.in_vain += note_spin(block) ? kSameSpin : kOtherSpin;
        g.aside.push_back(&block);
        return;
    }
    if (ended == Ended::held) {
        g.in_vain += kSameSpin;
        g.aside.push_back(&block);
        return;
    }
    if (ended == Ended::interrupted) {
        if (block.polls.in_vain == 0)
            g.retries = g.in_vain = g.quiet = 0;
        else
            g.in_vain += kOtherSpin;  // it may wait for a block that has not begun
        const auto place = static_cast<std::ptrdiff_t>(next_random(g.random) % (g.aside.size() + 1));
        g.aside.insert(g.aside.begin() + place, &block);
        return;
    }
    g.in_vain = g.quiet = 0;
    g.patience = 2;
    if (g.interrupts) g.fresh = 1;
    g.batch = std::max<uint64_t>(g.batch / 2, 1);
    if (!block.printed.empty()) add_printed(g.result, std::exchange(block.printed, {}));
    ++g.ended;
    if (ended == Ended::finished)
        g.finished += block.observed;
    else
        g.given_up = true;
    // As a watchdog ends a launch: what has not begun, or waits, would only take as long again.
    if (ended == Ended::endless) {
        g.next = g.starts.size();
        g.idle.insert(g.idle.end(), g.aside.begin(), g.aside.end());
        g.aside.clear();
    }
    g.idle.push_back(&block);
    if (is_logged(g, block)) g.stopped = true;
}

// ---- nobody comes further

// Nothing can begin, and every block that has begun was tried in vain.
bool stalled(const Grid& g) {
    return !g.aside.empty() && !can_begin(g) &&
        g.in_vain >= kSameSpin * g.patience * (g.aside.size() + g.running);
}

uint64_t hash_of_memory(const GlobalMemory& memory) {
    Hash hash;
    for (const Allocation& a : memory.allocations) add(hash, a.bytes);
    return hash.value;
}

std::string who_waits(const Grid& g, bool proven) {
    std::vector<int64_t> waiting;
    for (const Block* b : g.aside) waiting.push_back(b->index);
    std::sort(waiting.begin(), waiting.end());
    std::string some;
    for (size_t k = 0; k < std::min<size_t>(waiting.size(), 4); ++k)
        some += fmt::format("{}{}", k == 0 ? "" : ", ", waiting[k]);
    std::string text = fmt::format(
        "{} of {} blocks ({}{}) poll memory {}",
        waiting.size(),
        g.starts.size(),
        some,
        waiting.size() > 4 ? ", ..." : "",
        proven ? "that none of them will change" : "that did not change for long"
    );
    if (g.next < g.starts.size())
        text += fmt::format(
            "; {} blocks cannot begin, as at most {} fit on the device at once",
            g.starts.size() - g.next,
            g.resident
        );
    return text;
}

void report_stuck(Grid& g, bool proven) {
    g.stopped = true;
    if (g.given_up) return;
    Block& first = **std::min_element(g.aside.begin(), g.aside.end(), [](const Block* a, const Block* b) {
        return a->index < b->index;
    });
    Incident incident;
    const bool polls = first.polls.in_vain > 0 || !first.goes_round;
    incident.kind = polls ? Incident::Kind::endless_wait : Incident::Kind::endless_loop;
    incident.first = spinning_at(first);
    incident.detail = polls
        ? who_waits(g, proven)
        : "registers and memory are again what they were before in the loop: it never ends";
    report(first, std::move(incident));
}

// Every block runs on for one turn, one after the other, while nobody else runs. If neither memory nor any of
// them has changed behind that, none ever will: each goes through the same states again.
void look_at_all(Grid& g) {
    const uint64_t memory = hash_of_memory(*g.context.memory);
    const size_t waiting = g.aside.size();
    bool same = true;
    uint64_t instructions = 0;
    for (size_t k = 0; k < waiting; ++k) {
        Block& block = *g.aside.front();
        g.aside.pop_front();
        const uint64_t before = fingerprint(block), issued_before = issued(block);
        const Ended ended = run_turn(g, block, false);
        instructions += issued(block) - issued_before;
        same = same && fingerprint(block) == before;
        put_back(g, block, ended);
        if (ended != Ended::set_aside) return;
    }
    const bool still = hash_of_memory(*g.context.memory) == memory;
    g.quiet = still ? g.quiet + instructions : 0;
    g.in_vain = 0;
    g.patience = still ? 2 : g.patience * 2;
    if (still && same) {
        bool diverged = false;
        for (Block* block : g.aside) {
            const bool went_on = go_on_diverged(*block);
            diverged = diverged || went_on;
            if (went_on && is_logged(g, *block)) g.turns->diverged = true;
        }
        if (diverged) return;
        return report_stuck(g, true);
    }
    if (g.quiet > std::max(kQuietLaunch, kQuietBlock * waiting)) report_stuck(g, false);
}

// The directed schedule waits for an access that does not come, and everybody else has stopped, too.
bool let_held_go(Grid& g) {
    PairRun* pair = g.global != nullptr ? g.global->pair.get() : nullptr;
    if (pair == nullptr || !is_waiting(*pair)) return false;
    pair->now.given_up = true;
    g.in_vain = 0;
    return true;
}

// ---- workers

// Called with the lock held. False: the launch is over.
bool take(Grid& g, std::unique_lock<std::mutex>& lock, Job& job) {
    while (!g.stopped) {
        if (stalled(g)) {
            if (g.running == 0) {
                if (!let_held_go(g)) look_at_all(g);
                g.changed.notify_all();
                continue;
            }
        } else {
            job = choose(g);
            if (job.block != nullptr) return true;
            if (g.running == 0) return false;
        }
        g.changed.wait(lock);
    }
    return false;
}

// One worker at a time calls back, the others do not wait for it.
void report_progress(Grid& g, uint64_t ended) {
    const auto& callback = g.context.options->on_progress;
    if (!callback) return;
    const std::unique_lock progress(g.progress_lock, std::try_to_lock);
    if (!progress) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - g.last_progress < std::chrono::milliseconds(50)) return;
    g.last_progress = now;
    if (callback(ended, g.starts.size())) return;
    const std::scoped_lock lock(g.lock);
    g.stopped = g.cancelled = true;
}

void work(Grid& g) {
    std::unique_lock lock(g.lock);
    for (Job job; take(g, lock, job);) {
        ++g.running;
        const uint64_t ended_before = g.ended;
        lock.unlock();
        Ended ended = Ended::given_up;
        std::exception_ptr failure;
        try {
            run_job(g, job, ended);
            report_progress(g, ended_before);
        } catch (...) { failure = std::current_exception(); }
        lock.lock();
        --g.running;
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
        g.failure = failure;
        g.stopped = true;
    }
    g.changed.notify_all();
}

}  // namespace

void run_grid(Grid& grid, size_t workers) {
    grid.last_progress = std::chrono::steady_clock::now();
    grid.batch = grid.fresh = grid.interrupts ? kMixedBlocks : workers;
    {
        std::vector<std::jthread> threads;
        for (size_t k = 1; k < workers; ++k) threads.emplace_back([&grid] { work_safely(grid); });
        work_safely(grid);
    }
    if (grid.failure) std::rethrow_exception(grid.failure);
    const auto& callback = grid.context.options->on_progress;
    if (callback && !grid.cancelled && !callback(grid.ended, grid.starts.size())) grid.cancelled = true;
}

}  // namespace wl::emulator
