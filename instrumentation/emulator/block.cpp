// Models one block: warps run in turn up to where they wait; a seed makes the turns random but repeatable.
// Not modelled: other blocks on the same multiprocessor, the time an instruction takes.
#include "instrumentation/emulator/block.h"

#include "instrumentation/emulator/explore.h"
#include "instrumentation/emulator/frames.h"
#include "instrumentation/emulator/hash.h"
#include "instrumentation/emulator/incidents.h"
#include "instrumentation/emulator/record.h"
#include "instrumentation/emulator/schedule.h"
#include "instrumentation/emulator/simd.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace wl::emulator {
namespace {

// For each warp. A GPU needs at least 17 ms for so many of one warp (one a cycle, at 2 GHz), and a kernel
// that is looked at runs for less.
constexpr uint64_t kDefaultBudget = uint64_t{1} << 25;
constexpr uint64_t kSlice = uint64_t{1} << 20;      // instructions before another warp gets its turn
constexpr uint64_t kVainTurns = uint64_t{1} << 16;  // tests of mbarriers in vain, by all warps: a deadlock

// A block spins when one in kPollShare of its instructions polls in vain. One that shows no sign of it has
// its turn for long, setting it aside would only cost memory; less long in a program with fences or atomics,
// where a plain load may wait for another block.
constexpr uint64_t kShortTurn = uint64_t{1} << 12;
constexpr uint64_t kLongTurn = uint64_t{1} << 24, kLongOrderedTurn = uint64_t{1} << 20;
constexpr uint64_t kPollShare = 128;
constexpr uint64_t kMostHalvings = 5;  // of the short turn, while the block finds nothing new

void start_warp(Block& block, Warp& w, uint32_t lanes) {
    const Program& program = *block.program;
    w.exists = w.live = lanes;
    w.mask = lanes;
    w.carry = 0;
    w.clock = w.joined = w.slice_end = 0;
    w.picks = 0;
    w.held_back = w.idle = false;
    w.epoch = 0;
    w.slept = 0;
    w.current = 0;
    w.split_count = 1;
    w.splits[0] = {};
    start_frames(w);
    w.splits[0].pc = program.code[block.variant].data();
    w.splits[0].frame = w.frame;
    w.splits[0].mask = lanes;
    w.segment = w.splits[0].pc;
    w.copies.clear();
    w.fragment.clear();
    std::fill(w.mark_counts.begin(), w.mark_counts.end(), 0);
}

uint64_t budget_of(const Block& block) {
    return block.options->budget != 0 ? block.options->budget : kDefaultBudget * block.warps.size();
}

void report_endless(Block& block) {
    Incident incident;
    incident.kind = Incident::Kind::endless_loop;
    incident.first = spinning_at(block);
    incident.detail = fmt::format("the block issued {} warp instructions without an end", issued(block));
    report(block, std::move(incident));
}

bool spins(const Block& block) {
    const uint64_t issued_now = issued(block) - block.turn_issued;
    const uint64_t turn = kShortTurn >> std::min(block.same_spins, kMostHalvings);
    const uint64_t longest = block.program->orders_blocks ? kLongOrderedTurn : kLongTurn;
    return issued_now >= longest || (issued_now >= turn && block.polls.in_vain * kPollShare >= issued_now);
}

void end_turn(Block& block, const Turn& turn) {
    Warp& w = block.warps[static_cast<size_t>(turn.warp)];
    if (block.watcher != nullptr && block.watcher->stopped) return;  // it goes on from there as if it had not
    const bool vain = w.idle && block.changes == turn.changes && w.live == turn.live;
    block.vain_turns = vain ? block.vain_turns + 1 : 0;
    if (w.live == 0 && turn.live != 0) {
        if (block.variant != kPlain) exit_warp(block.shadow, w.index);
        // The exit closed its segment: it stands right before the next one.
        if (block.recorder != nullptr) record_warp(w, w.segment - 1, capture::EventKind::exit, 0);
    }
    settle(block);
}

void step(Block& block, Warp& w) {
    const Turn turn{w.index, w.live, block.changes};
    if (block.watcher != nullptr) block.watcher->turn = turn;
    w.idle = false;
    const uint64_t slice = block.random != 0 ? 1 + (next_random(block.random) & 0xff) : kSlice;
    w.slice_end = w.clock + std::min(slice, budget_of(block) + 1);
    run_warp(w);
    end_turn(block, turn);
}

// The rest of a turn, from the running split's pc on: inside a straight run as run_warp has them.
void resume_step(Block& block, const Turn& turn) {
    Warp& w = block.warps[static_cast<size_t>(turn.warp)];
    const Instr* i = running(w).pc;
    if (w.split_count == 1) {
        while (i != nullptr) i = i->exec(w, i);
    } else {
        do i = i->exec(w, i);
        while (i != nullptr && i->leader == 0);
        if (i != nullptr) yield(w, i);
    }
    if (!block.watcher->stopped) run_warp(w);
    end_turn(block, turn);
}

// The schedule lets this warp run when no other can.
bool is_delayed(const Block& block, const Warp& w) {
    const auto who = delayed_by(block.options->schedule_seed);
    return who && who->block == block.index && who->warp == w.index;
}

// In the fixed order every runnable warp from `first` on has its turn. False: none could run.
bool warps_in_order(Block& block, size_t first) {
    bool progress = false;
    Warp* late = nullptr;
    for (size_t k = first; k < block.warps.size() && !block.aborted; ++k) {
        Warp& w = block.warps[k];
        if (!can_run(w)) continue;
        if (is_delayed(block, w)) {
            late = &w;
            continue;
        }
        step(block, w);
        progress = true;
    }
    if (progress || late == nullptr || block.aborted) return progress;
    step(block, *late);
    return true;
}

constexpr uint64_t kInterruptions = 2;  // one in so many turns of a warp

// Apart from the generator that orders the warps, so that they run the same when a block runs alone.
bool is_interrupted(const Block& block) {
    if (block.random == 0) return false;
    uint64_t state = block.random ^ issued(block);
    return next_random(state) % kInterruptions == 0;
}

// Every runnable warp gets a turn, or one of them by chance. False: none could run.
bool turns(Block& block) {
    if (block.random == 0) return warps_in_order(block, 0);
    std::vector<Warp*> able;
    for (Warp& w : block.warps)
        if (can_run(w)) able.push_back(&w);
    if (able.empty()) return false;
    step(block, *able[next_random(block.random) % able.size()]);
    return true;
}

}  // namespace

void fill_special_registers(Warp& w, const RegisterFile& file) {
    for (const SpecialSlot& s : file.special) {
        for (int lane = 0; lane < kLanes; ++lane) {
            const uint64_t value = special_value(*w.block, w, s, lane);
            if (s.wide)
                cells<uint64_t>(w, s.slot)[lane] = value;
            else
                cells<uint32_t>(w, s.slot)[lane] = static_cast<uint32_t>(value);
        }
    }
}

void prepare(Block& block, const BlockContext& context) {
    block.program = context.program;
    block.launch = context.launch;
    block.options = context.options;
    block.memory = context.memory;
    block.workspace = context.workspace;
    block.loaded = context.loaded;
    block.variant = context.variant;
    const Program& program = *context.program;
    const size_t threads = count(context.launch->block);
    const size_t warps = (threads + kLanes - 1) / kLanes;
    block.shared.resize(program.static_shared + context.launch->dynamic_shared + 64);
    block.recent.assign(program.sites.size(), nullptr);
    block.mark_counts.assign(static_cast<size_t>(program.mark_groups), 0);
    block.reductions.assign(program.reductions.size(), {});
    block.warps.resize(warps);
    for (size_t k = 0; k < warps; ++k) {
        Warp& w = block.warps[k];
        w.block = &block;
        w.index = static_cast<int>(k);
        w.shared = block.shared.data();
        w.shared_bytes = program.static_shared + context.launch->dynamic_shared;
        w.mark_counts.assign(static_cast<size_t>(program.mark_groups), 0);
    }
}

void begin_block(Block& block, int64_t index, Variant variant) {
    block.index = index;
    block.variant = variant;
    block.polls = {};
    block.spun = {};
    block.same_spins = 0;
    block.printed_bytes = 0;
    block.aborted = block.marks_waiting = false;
    std::fill(block.shared.begin(), block.shared.end(), std::byte{0xff});
    std::fill(block.mark_counts.begin(), block.mark_counts.end(), 0);
    block.barriers.fill({});
    block.mbarriers.clear();
    block.copy_arrivals.clear();
    block.vain_turns = 0;
    const uint64_t seed = block.options->schedule_seed;
    const bool fixed = seed == 0 || delayed_by(seed);
    block.random = fixed ? 0 : seed ^ (static_cast<uint64_t>(index) + 1) * 0xd1342543de82ef95;
    const auto threads = static_cast<uint32_t>(count(block.launch->block));
    for (Warp& w : block.warps) {
        const uint32_t here = std::min<uint32_t>(threads - static_cast<uint32_t>(w.index * kLanes), kLanes);
        start_warp(block, w, here == kLanes ? kAllLanes : (1u << here) - 1);
    }
    if (block.variant == kPlain) return;
    ShadowBlock shadow;
    shadow.block = index;
    shadow.threads = static_cast<int>(threads);
    shadow.bytes = static_cast<uint32_t>(block.shared.size());
    shadow.checks = block.options->checks;
    start(block.shadow, shadow);
}

uint64_t issued(const Block& block) {
    uint64_t sum = 0;
    for (const Warp& w : block.warps) sum += w.clock - w.joined;
    return sum;
}

Access spinning_at(const Block& block) {
    const Poll& poll = block.polls.vain;
    if (block.polls.in_vain > 0)
        return witness(block.warps[static_cast<size_t>(poll.warp)], poll.at, poll.lanes);
    const Warp* longest = &block.warps[0];
    for (const Warp& w : block.warps)
        if (w.split_count != 0 &&
            (longest->split_count == 0 || w.clock - w.joined > longest->clock - longest->joined))
            longest = &w;
    return witness(*longest, longest->splits[0].pc, longest->splits[0].mask);
}

bool note_spin(Block& block) {
    const Poll& now = block.polls.vain;
    const bool same =
        now.at == block.spun.at && now.warp == block.spun.warp && now.result == block.spun.result;
    block.spun = now;
    block.same_spins = same ? block.same_spins + 1 : 0;
    return same;
}

uint64_t fingerprint(const Block& block) {
    Hash hash;
    add(hash, block.shared);
    for (const Warp& w : block.warps) {
        add(hash, w.stack.bytes);
        add(hash, std::as_bytes(std::span(w.entry->storage)));
        for (const auto& frame : w.active) add(hash, std::as_bytes(std::span(frame->storage)));
        add(hash, w.copies.size());
        for (int k = 0; k < w.split_count; ++k) {
            const Split& s = w.splits[static_cast<size_t>(k)];
            add(hash, static_cast<uint64_t>(s.pc - block.program->code[block.variant].data()));
            add(hash, uint64_t{s.mask} << 8 | static_cast<uint64_t>(s.wait));
        }
    }
    return hash.value;
}

namespace {

// `progress`: some warps have had their turns already.
Ended run_on(Block& block, bool progress, bool interruptible) {
    const uint64_t budget = budget_of(block);
    Ended ended = Ended::given_up;
    while (!block.aborted) {
        if (std::exchange(progress, false) || turns(block)) {
            if (block.vain_turns > kVainTurns) {
                report_deadlock(block);
                break;
            }
            if (issued(block) > budget) {
                report_endless(block);
                ended = Ended::endless;
                break;
            }
            if (spins(block) && !block.aborted) return Ended::set_aside;
            if (interruptible && !block.aborted && is_interrupted(block)) return Ended::interrupted;
            continue;
        }
        const bool gone =
            std::all_of(block.warps.begin(), block.warps.end(), [](const Warp& w) { return w.live == 0; });
        if (gone) ended = Ended::finished;
        if (gone || !resolve_standstill(block)) break;
    }
    block.issued += issued(block);
    collect_shadow(block);
    return ended;
}

}  // namespace

Ended run_block(Block& block, bool interruptible) {
    block.turn_issued = issued(block);
    block.polls.in_vain = 0;
    return run_on(block, false, interruptible);
}

Ended resume_block(Block& block, Turn turn, bool interruptible) {
    block.aborted = block.watcher->stopped = false;
    block.watcher->turn = turn;
    block.warps[static_cast<size_t>(turn.warp)].slice_end = turn.slice_end;
    resume_step(block, turn);
    const Warp& resumed = block.warps[static_cast<size_t>(turn.warp)];
    if (block.random == 0 && !is_delayed(block, resumed))
        warps_in_order(block, static_cast<size_t>(turn.warp) + 1);
    return run_on(block, true, interruptible);
}

}  // namespace wl::emulator
