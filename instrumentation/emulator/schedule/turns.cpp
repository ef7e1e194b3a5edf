// Models turns: warps run one after the other, each up to where it waits; a seed makes the turns random but
// repeatable. Not modelled: other blocks on the same multiprocessor, the time an instruction takes.
#include "instrumentation/emulator/schedule/turns.h"

#include "instrumentation/emulator/global/explore.h"
#include "instrumentation/emulator/global/pair_order.h"
#include "instrumentation/emulator/machine/progress.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/record.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace wl::emulator {
namespace {

// For each warp. A GPU needs at least 16 ms for so many of one warp (one a cycle, at 2 GHz), and a kernel
// that is looked at runs for less.
constexpr uint64_t kDefaultBudget = uint64_t{1} << 25;
constexpr uint64_t kSlice = uint64_t{1} << 18;  // instructions before another warp gets its turn,
constexpr uint64_t kFirstSlice = uint64_t{1}
    << 15;  // in a block that has issued few: an endless loop is seen soon
constexpr uint64_t kVainTurns = uint64_t{1} << 16;  // tests of mbarriers in vain, by all warps: a deadlock

// A block spins when one in kPollShare of its instructions polls in vain. One that shows no sign of it has
// its turn for long, setting it aside would only cost memory; less long in a program with fences or atomics,
// where a plain load may wait for another block.
constexpr uint64_t kShortTurn = uint64_t{1} << 12;
constexpr uint64_t kLongTurn = uint64_t{1} << 24, kLongOrderedTurn = uint64_t{1} << 20;
constexpr uint64_t kPollShare = 128;
constexpr uint64_t kMostHalvings = 5;  // of the short turn, while the block finds nothing new

constexpr uint64_t kLongestHold = uint64_t{1} << 20;  // instructions of the others while one warp is held
constexpr uint64_t kMostRounds = 512;                 // of a loop that is looked at

void end_turn(Block& block, const Turn& turn) {
    Warp& w = block.warps[static_cast<size_t>(turn.warp)];
    if (block.watcher != nullptr && block.watcher->stopped) return;  // it goes on from there as if it had not
    const bool vain = w.idle && block.now.changes == turn.changes && w.live == turn.live;
    block.now.vain_turns = vain ? block.now.vain_turns + 1 : 0;
    if (w.live == 0 && turn.live != 0) {
        if (block.now.variant != kPlain) exit_warp(block.shadow, w.index);
        // The exit closed its segment: it stands right before the next one.
        if (block.recorder != nullptr) record_warp(w, w.segment - 1, capture::EventKind::exit, 0);
    }
    settle(block);
}

// The grid knows how many blocks have ended, and how often to ask (grid.h).
bool is_called_off(const Block& block) {
    const auto& ask = block.context.options->on_progress;
    return ask && !ask(0, 0);
}

void step(Block& block, Warp& w, uint64_t slice, int64_t early = -1) {
    if (is_called_off(block)) {
        block.now.aborted = true;
        return;
    }
    const Turn turn{w.index, w.live, block.now.changes, early};
    if (block.watcher != nullptr) block.watcher->turn = turn;
    w.idle = false;
    w.slice_end = w.clock + slice;
    run_warp(w);
    if (slice >= kSlice && w.slice_end != 0 && w.clock >= w.slice_end) ++block.now.long_turns;
    end_turn(block, turn);
}

uint64_t slice_of(Block& block) {
    const uint64_t whole = std::clamp(issued(block), kFirstSlice, kSlice);
    const uint64_t slice = block.now.random != 0 ? 1 + (next_random(block.now.random) & 0xff) : whole;
    const uint64_t budget = block.context.options->budget;
    return budget != 0 ? std::min(slice, budget + 1) : slice;
}

bool has_held_for_long(const Block& block) {
    return issued(block) - pair_of(block)->now.issued > kLongestHold;
}

// The warp that a directed schedule stops has its turns first, so that it stands there when the other comes;
// -1: none.
int64_t early_warp(const Block& block) {
    const PairRun* run = pair_of(block);
    const bool comes =
        run != nullptr && block.now.index == run->order.then.block && !run->now.holds && !run->now.then_made;
    return comes ? run->order.then.warp : -1;
}

// False: it could not run.
bool turn_in_order(Block& block, size_t warp, int64_t early, std::optional<uint64_t> slice) {
    Warp& w = block.warps[warp];
    if (block.now.aborted || !can_run(w) || is_held(block, w)) return false;
    step(block, w, slice ? *slice : slice_of(block), early);
    return true;
}

// Every runnable warp from `first` on has its turn, but for the one that had its own before. False: none
// could run, `progress`: nor had before.
bool rest_of_round(
    Block& block, size_t first, int64_t early, bool progress, std::optional<uint64_t> slice = {}
) {
    for (size_t k = first; k < block.warps.size(); ++k)
        if (static_cast<int64_t>(k) != early) progress = turn_in_order(block, k, early, slice) || progress;
    if (progress && holds_warp(block) && has_held_for_long(block)) pair_of(block)->now.given_up = true;
    return progress;
}

// In the fixed order every runnable warp has its turn. False: none could run.
bool warps_in_order(Block& block, std::optional<uint64_t> slice = {}) {
    const int64_t early = early_warp(block);
    const bool progress = early >= 0 && turn_in_order(block, static_cast<size_t>(early), early, slice);
    return rest_of_round(block, 0, early, progress, slice);
}

// Two take turns when the last comes first every other time; a third might never.
bool all_splits_take_part(const Block& block) {
    return std::all_of(block.warps.begin(), block.warps.end(), [](const Warp& w) {
        const auto end = w.splits.begin() + w.split_count;
        return std::count_if(w.splits.begin(), end, [](const Split& s) { return s.wait == Wait::none; }) <= 2;
    });
}

// Whether the block comes into a state in which it was before, while nobody else runs: that of 2, 4, 8, ...
// rounds, or the one in which it is now (R. Brent, "An improved Monte Carlo factorization algorithm", 1980).
// It stands in that state then.
bool comes_again(Block& block, bool into_this) {
    uint64_t known = fingerprint(block);
    bool all_took_part = true;
    for (uint64_t round = 1; round <= kMostRounds && !block.now.aborted; ++round) {
        all_took_part = all_took_part && all_splits_take_part(block);
        if (!short_turns(block, round % 2 == 0)) return false;
        if (round % 2 != 0) continue;
        const uint64_t now = fingerprint(block);
        if (now == known) return all_took_part;
        if (into_this || !std::has_single_bit(round)) continue;
        known = now;
        all_took_part = true;
    }
    return false;
}

// Turns that end as they began, before the block has long ones again: memory that it changes may tell.
constexpr uint64_t kMostReturns = 64;

constexpr uint64_t kInterruptions = 2;  // one in so many turns of a warp

}  // namespace

bool turns(Block& block) {
    if (block.now.random == 0) return warps_in_order(block);
    std::vector<Warp*> able;
    for (Warp& w : block.warps)
        if (can_run(w)) able.push_back(&w);
    if (able.empty()) return false;
    step(block, *able[next_random(block.now.random) % able.size()], slice_of(block));
    return true;
}

bool short_turns(Block& block, bool last_first) {
    if (last_first)  // of a warp's splits
        for (Warp& w : block.warps) w.picks |= kPicksOfLast;
    return warps_in_order(block, 1);
}

void resume_turn(Block& block, const Turn& turn) {
    block.watcher->turn = turn;
    Warp& w = block.warps[static_cast<size_t>(turn.warp)];
    w.slice_end = turn.slice_end;
    run_split(w, running(w).pc);
    if (!block.watcher->stopped) run_warp(w);
    end_turn(block, turn);
    if (block.now.random != 0) return;
    const auto first = turn.warp == turn.early ? 0 : static_cast<size_t>(turn.warp) + 1;
    rest_of_round(block, first, turn.early, true);
}

bool spins(Block& block) {
    if (block.now.long_turns >= block.now.next_look && !block.now.aborted && block.now.random == 0) {
        block.now.next_look = 2 * block.now.long_turns;
        block.now.goes_round = comes_again(block, false);
        if (block.now.goes_round) return true;
    }
    const uint64_t issued_now = issued(block) - block.turn.issued;
    const uint64_t turn = kShortTurn >> std::min(block.now.same_spins, kMostHalvings);
    const uint64_t longest = block.context.program->orders_blocks ? kLongOrderedTurn : kLongTurn;
    return issued_now >= longest || (issued_now >= turn && block.turn.in_vain * kPollShare >= issued_now);
}

bool still_goes_round(Block& block) {
    return block.now.goes_round = block.now.same_spins < kMostReturns && comes_again(block, true);
}

bool is_endless(const Block& block) {
    const uint64_t budget = block.context.options->budget;
    if (budget != 0) return issued(block) > budget;
    return std::any_of(block.warps.begin(), block.warps.end(), [](const Warp& w) {
        return w.clock - w.joined > kDefaultBudget;
    });
}

bool waits_in_vain(const Block& block) { return block.now.vain_turns > kVainTurns; }

// Apart from the generator that orders the warps, so that they run the same when a block runs alone.
bool is_interrupted(const Block& block) {
    if (block.now.random == 0) return false;
    uint64_t state = block.now.random ^ issued(block);
    return next_random(state) % kInterruptions == 0;
}

bool holds_warp(const Block& block) {
    const PairRun* run = pair_of(block);
    return run != nullptr && is_waiting(*run) && run->order.then.block == block.now.index;
}

}  // namespace wl::emulator
