// Blocks of a launch: which one runs next, which are set aside while they spin, and when nobody can go on.
// Models: as many blocks at a time as the device could hold, begun in their order. Not modelled: registers as
// a limit, the hardware's own order.
#pragma once

#include "instrumentation/emulator/global/global_check.h"
#include "instrumentation/emulator/global/turn_log.h"
#include "instrumentation/emulator/observe/banks.h"
#include "instrumentation/emulator/observe/record.h"
#include "instrumentation/emulator/schedule/block.h"
#include "instrumentation/emulator/schedule/others.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>

namespace wl::emulator {

struct Start {
    int64_t index = 0;
    bool observed = true;  // else it runs only because others may wait for it
};

struct Counters {
    AccessCounter asked, others;  // of observed blocks, and of those that run only for them
};

// Fixed while the launch runs.
struct GridLaunch {
    BlockContext context;
    const AccessCounting* counting = nullptr;  // accesses are counted so
    TurnLog* turns = nullptr;                  // of a block whose turns are logged; the launch ends with it
    GlobalCheck* global = nullptr;             // of the program, where one is run
    std::vector<Start> starts;                 // in the order in which they begin
    uint64_t resident = 0;                     // blocks that can have begun and not ended at a time
    Others* others = nullptr;                  // launches that may help one that is stuck
    bool interrupts = false;                   // a random schedule: blocks take turns before they have ended
};

// How long nobody has come further.
struct Stall {
    uint64_t in_vain = 0;   // turns since a block last began or ended, weighed
    uint64_t patience = 2;  // turns in vain, for each block set aside, before all of them are looked at
    uint64_t quiet = 0;     // warp instructions issued since memory last changed while all were looked at
};

// Whose turn it is. Guarded by Grid::lock.
struct GridQueue {
    uint64_t random = 0;    // state of a random schedule's generator
    size_t next = 0;        // of GridLaunch::starts
    uint64_t ended = 0;     // blocks
    uint64_t finished = 0;  // observed ones that came to their end
    uint64_t running = 0;
    std::vector<Block*> idle;
    std::deque<Block*> aside;  // the one that has waited longest first
    uint64_t retries = 0;      // of set-aside blocks since the last batch began
    uint64_t batch = 1;        // blocks to begin when every set-aside one was tried in vain
    uint64_t fresh = 1;        // of the batch, still to begin
    Stall stall;
    bool stopped = false;
    bool given_up = false;  // some block trapped, or ran out of budget: those that wait for it are no news
    std::exception_ptr failure;
};

// What the blocks leave. Guarded by Grid::lock.
struct GridYield {
    std::vector<std::unique_ptr<Block>> storage;
    std::vector<std::unique_ptr<Recorder>> recorders;
    std::map<const Block*, std::unique_ptr<Counters>> counters;  // where accesses are counted
    RunResult result;                                            // what blocks that have ended printed
};

struct Progress {
    std::mutex lock;
    std::chrono::steady_clock::time_point last;
    std::atomic<bool> cancelled = false;
};

struct Grid {
    GridLaunch launch;
    std::mutex lock;
    std::condition_variable changed;
    GridQueue queue;
    GridYield left;
    Progress progress;
    RunOptions asked;  // as they were given; blocks have a copy whose on_progress may be called at any time
    RunOptions options;
};

// Runs every block of `starts` on `workers` threads, this one included.
void run_grid(Grid& grid, size_t workers);

}  // namespace wl::emulator
