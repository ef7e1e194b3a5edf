// Running a block up to an instant, and reading it.
#include "instrumentation/emulator/replay/travel.h"

#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/emulator/global/global_check.h"
#include "instrumentation/emulator/global/turn_log.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/load.h"
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/emulator/replay/inside.h"
#include "instrumentation/emulator/replay/key_frames.h"
#include "instrumentation/emulator/schedule/block.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace wl::emulator {

struct Replayer {
    ReplaySpec journey;  // without its memory
    RunOptions options;
    Watcher watcher;
    std::optional<Hooked> hooked;         // what runs: it stops at the watcher, and follows the schedule
    std::optional<GlobalCheck> schedule;  // where it is not the fixed order
    GlobalMemory memory;                  // as the block has left it so far
    Loaded loaded;
    Block block;
    Here here;
    const Instr* at = nullptr;     // the instruction at `here`
    bool standing = false;         // the block can go on from `here`
    uint64_t order = 0;            // instants passed
    std::vector<uint64_t> counts;  // the same by warp
    std::vector<KeyFrame> frames;  // by rising order; the first is the start
    uint64_t interval = 0, frame_bytes = 0;
    std::optional<TurnLog> log;  // where other blocks run between the block's turns
    size_t turn = 0;             // of the block, that is running
    std::function<void(const TileSnapshot&, uint64_t)> tell_tile;
    mutable std::vector<std::vector<uint32_t>> slots;  // of registers by function, once they are asked for
};

const Warp& warp_here(const Replayer& t) { return t.block.warps[static_cast<size_t>(t.here.warp)]; }
const Instr* instruction_here(const Replayer& t) { return t.at; }
const Block& block_inside(const Replayer& t) { return t.block; }
Viewpoint viewpoint(const Replayer& t) { return {t.here, t.at}; }
void look_from(Replayer& t, const Viewpoint& from) { t.here = from.here, t.at = from.at; }

namespace {

// The running activation, then its callers.
std::vector<const Frame*> frames_here(const Replayer& t) {
    std::vector<const Frame*> frames;
    for (const Frame* f = warp_here(t).frame; f != nullptr; f = f->parent) frames.push_back(f);
    return frames;
}

const Frame& frame_at(const Replayer& t, size_t activation) {
    const Frame* f = warp_here(t).frame;
    while (activation-- > 0) f = f->parent;
    return *f;
}

int function_of(const Replayer& t, const Frame& frame) {
    return static_cast<int>(frame.function - t.block.context.program->functions.data());
}

// Enough instructions for a few ms, and so many that looking for what changed in global memory takes less.
uint64_t first_interval(const GlobalMemory& memory) {
    constexpr uint64_t kLeast = 1 << 16, kBytesAnInstruction = 256;
    uint64_t bytes = 0;
    for (const Allocation& a : memory.allocations) bytes += a.bytes.size();
    return std::max(kLeast, bytes / kBytesAnInstruction);
}

// Every other state is forgotten while they take too much; the next ones are further apart.
void thin(Replayer& t) {
    while (t.frame_bytes > t.journey.key_frame_bytes && t.frames.size() > 1) {
        size_t kept = 0;
        for (size_t k = 0; k < t.frames.size(); k += 2) std::swap(t.frames[kept++], t.frames[k]);
        t.frames.resize(kept);
        t.interval *= 2;
        t.frame_bytes = bytes_of(t.frames);
    }
}

void keep_state(Replayer& t, Warp& w, const Instr* i) {
    if (!t.frames.empty() && t.order < t.frames.back().order + t.interval) return;
    stand_before(w, i);
    const KeyFrame* before = t.frames.empty() ? nullptr : &t.frames.back();
    KeyFrame state = key_frame(t.block, t.watcher.turn, before);
    state.order = t.order;
    state.counts = t.counts;
    state.turn_number = t.turn;
    t.frame_bytes += state.fresh;
    t.frames.push_back(std::move(state));
    thin(t);
}

// The latest state that `fits`; the block's start always does.
template <class F>
const KeyFrame& latest_state(const Replayer& t, const F& fits) {
    size_t k = t.frames.size() - 1;
    while (k > 0 && !fits(t.frames[k])) --k;
    return t.frames[k];
}

// May the running turn end at any time?
bool is_interruptible(const Replayer& t) {
    return t.log && t.turn < t.log->turns.size() && t.log->turns[t.turn].kind.interruptible;
}

// The block finds what others have done.
void begin_turn(Replayer& t, const TurnStart& turn) {
    apply(turn, t.memory);
    if (PairRun* pair = pair_of(t.block); pair != nullptr) pair->now = turn.kind.pair;
    if (turn.diverged) go_on_diverged(t.block);
}

// `standing`: the block can go on from where it is, which is `here`.
Ended go_on(Replayer& t, uint64_t order, bool standing) {
    if (t.frames.empty()) {
        t.turn = 0;
        begin_block(t.block, t.journey.block, kPlain);
        if (t.schedule) begin_global(*t.schedule, t.block);
        if (t.log && !t.log->turns.empty()) begin_turn(t, t.log->turns.front());
        return run_block(t.block, is_interruptible(t));
    }
    const KeyFrame& from = latest_state(t, [&](const KeyFrame& f) { return f.order <= order; });
    if (standing && t.here.order >= from.order && t.here.order <= order) {
        t.order = t.here.order;
        --t.counts[static_cast<size_t>(t.here.warp)];
        return resume_block(t.block, t.watcher.turn, is_interruptible(t));
    }
    restore(t.block, from);
    t.order = from.order;
    t.counts = from.counts;
    t.turn = from.turn_number;
    return resume_block(t.block, from.turn, is_interruptible(t));
}

// False: the block had no further turn.
bool take_turn(Replayer& t, Ended ended) {
    if (ended == Ended::set_aside) note_spin(t.block);
    ++t.turn;
    if (!t.log) return !t.block.now.goes_round;  // a long turn, of a block that waits for nobody
    if (t.turn >= t.log->turns.size()) return false;
    const TurnStart& next = t.log->turns[t.turn];
    assert(next.kind.issued == issued(t.block));
    begin_turn(t, next);
    return true;
}

bool goes_on_later(Ended ended) {
    return ended == Ended::set_aside || ended == Ended::interrupted || ended == Ended::held;
}

void hook_up(Replayer& t) {
    const ReplaySpec& j = t.journey;
    watch(t.hooked.emplace(hookable(*j.program)));
    if (j.schedule_seed == 0) return;
    std::optional<PairOrder> pair;
    if (j.among_others) pair = directed_by(j.schedule_seed, schedule_space(*j.program, j.launch));
    follow(t.schedule.emplace(), *t.hooked, j.schedule_seed, pair);
}

// Locating needs a Warp that could be written; reading leaves it as it is.
Warp& writable(const Warp& w) { return const_cast<Warp&>(w); }

}  // namespace

void ReplayerDeleter::operator()(Replayer* t) const { delete t; }

ReplayerPtr start_journey(ReplaySpec journey) {
    ReplayerPtr t(new Replayer);
    t->journey = std::move(journey);
    t->options.threads = 1;
    t->options.on_tile = [&on = *t](TileSnapshot&& tile) {
        if (on.tell_tile) on.tell_tile(tile, on.order);
    };
    t->options.checks = {false, false, false};
    t->options.schedule_seed = t->journey.schedule_seed;
    t->options.budget = t->journey.budget;
    const ReplaySpec& j = t->journey;
    hook_up(*t);
    const Program& program = t->hooked->program;
    if (j.program->waits_for_blocks || (t->schedule && j.among_others)) {
        t->log =
            log_turns({*j.program, j.launch, j.block, j.schedule_seed, j.budget, j.turn_bytes}, j.memory);
        if (t->log->full)
            throw Unsupported(fmt::format(
                "unsupported: going back in time where what other blocks write, between the turns of block "
                "{}, takes more than {} MB",
                block_text(j.block, j.launch.grid),
                j.turn_bytes >> 20
            ));
    }
    t->memory = std::move(t->journey.memory);
    t->loaded = load(program, t->memory);
    const uint64_t asked = t->journey.key_frame_interval;
    t->interval = asked != 0 ? asked : first_interval(t->memory);
    BlockContext context;
    run_hooked(context, *t->hooked);
    context.launch = &t->journey.launch;
    context.options = &t->options;
    context.memory = &t->memory;
    context.loaded = &t->loaded;
    if (j.launch.cooperative) context.workspace = place_workspace(t->memory);
    make_ready(t->block, context);
    t->block.watcher = &t->watcher;
    t->counts.resize(t->block.warps.size());
    t->slots.resize(program.functions.size());
    return t;
}

bool run_until(Replayer& t, int warp, const std::function<bool(const Here&)>& stop) {
    return run_from(t, 0, warp, stop);
}

bool run_from(Replayer& t, uint64_t order, int warp, const std::function<bool(const Here&)>& stop) {
    t.watcher.before = [&](Warp& w, const Instr* i) {
        keep_state(t, w, i);
        const uint64_t now = t.order++, nth = t.counts[static_cast<size_t>(w.index)]++;
        if (now < order || (warp >= 0 && w.index != warp)) return true;
        t.here = {w.index, time_at(w, i), i->site, w.mask, now, nth, w.frame->depth, w.epoch};
        t.at = i;
        return !stop(t.here);
    };
    const bool stood = std::exchange(t.standing, false);
    Ended ended = go_on(t, order, stood);
    while (goes_on_later(ended) && take_turn(t, ended)) ended = run_block(t.block, is_interruptible(t));
    t.watcher.before = nullptr;
    t.standing = t.watcher.stopped;
    return t.standing;
}

void on_tile(Replayer& t, std::function<void(const TileSnapshot&, uint64_t order)> tell) {
    t.tell_tile = std::move(tell);
}

bool go_to(Replayer& t, uint64_t order) {
    return run_from(t, order, -1, [](const Here&) { return true; });
}

bool go_to_nth(Replayer& t, int warp, uint64_t nth) {
    const auto w = static_cast<size_t>(warp);
    uint64_t from = 0;
    for (const KeyFrame& f : t.frames)
        if (f.counts[w] <= nth) from = f.order;
    const uint64_t passed = t.standing ? t.counts[w] - (t.here.warp == warp ? 1 : 0) : 0;
    if (t.standing && passed <= nth) from = std::max(from, t.here.order);
    return run_from(t, from, warp, [&](const Here& here) { return here.nth == nth; });
}

std::vector<uint64_t> key_frame_orders(const Replayer& t) {
    std::vector<uint64_t> orders;
    for (const KeyFrame& f : t.frames) orders.push_back(f.order);
    return orders;
}

uint64_t key_frame_bytes(const Replayer& t) { return t.frame_bytes; }

const Here& here(const Replayer& t) { return t.here; }

std::vector<Activation> activations(const Replayer& t) {
    std::vector<Activation> out;
    const Instr* at = t.at;
    for (const Frame* f : frames_here(t)) {
        const auto index = static_cast<int32_t>(code_index(t.block, at));
        out.push_back(
            {function_of(t, *f),
             f->function->name,
             f->lanes,
             index - static_cast<int32_t>(f->function->begin)}
        );
        at = f->call;
    }
    if (!out.empty()) out.front().lanes = t.here.lanes;
    return out;
}

LaneBits register_bits(const Replayer& t, size_t activation, const ptx::Function& function, int32_t reg) {
    const Frame& frame = frame_at(t, activation);
    std::vector<uint32_t>& slots = t.slots[static_cast<size_t>(function_of(t, frame))];
    if (slots.empty()) {
        RegisterFile unused;
        slots = assign_registers(function, unused);
    }
    const uint32_t slot = slots.at(static_cast<size_t>(reg));
    const ptx::Type type = function.registers[static_cast<size_t>(reg)].type;
    const std::byte* cells = frame.registers + slot;
    LaneBits bits{};
    for (size_t lane = 0; lane < kLanes; ++lane) {
        if (type == ptx::Type::pred) {
            uint32_t mask = 0;
            std::memcpy(&mask, cells, sizeof(mask));
            bits[lane] = mask >> lane & 1;
        } else {
            const size_t cell = ptx::bytes_of(type) < 8 ? 4 : 8;
            std::memcpy(&bits[lane], cells + lane * cell, std::min<size_t>(cell, ptx::bytes_of(type)));
        }
    }
    return bits;
}

bool read_memory(const Replayer& t, const LaneAddress& from, std::span<std::byte> out) {
    LaneAccess access;
    access.space = from.space;
    access.lane = from.lane;
    access.address = from.address;
    access.bytes = static_cast<uint32_t>(out.size());
    const auto place = locate(writable(warp_here(t)), access);
    if (!place) return false;
    std::memcpy(out.data(), place->data, out.size());
    return true;
}

std::optional<std::pair<ptx::Space, LaneBits>> address_of(
    const Replayer& t, size_t activation, const std::string& symbol
) {
    const Frame& frame = frame_at(t, activation);
    const auto& symbols = t.block.context.program->symbols;
    const auto known = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) {
        return s.name == symbol && (s.function < 0 || s.function == function_of(t, frame));
    });
    if (known == symbols.end()) return std::nullopt;
    uint64_t base = known->offset;
    if (known->space == ptx::Space::global) {
        const auto& all = t.memory.allocations;
        const auto a =
            std::find_if(all.begin(), all.end(), [&](const Allocation& x) { return x.name == symbol; });
        if (a == all.end()) return std::nullopt;
        base = a->base;
    }
    LaneBits addresses{};
    for (size_t lane = 0; lane < kLanes; ++lane)
        addresses[lane] = base + (known->space == ptx::Space::local ? frame.base[lane] : 0);
    return std::pair(known->space, addresses);
}

std::vector<int> module_functions(const Program& program, const ptx::Module& module) {
    std::vector<int> out;
    for (const FunctionCode& f : program.functions) {
        const auto same = [&](const ptx::Function& g) {
            return g.name == f.name && g.is_declaration != f.is_defined;
        };
        const auto found = std::find_if(module.functions.begin(), module.functions.end(), same);
        out.push_back(static_cast<int>(found - module.functions.begin()));
    }
    return out;
}

int running_function(const Replayer& t) { return function_of(t, *warp_here(t).frame); }

std::optional<uint32_t> calling_site(const Replayer& t) {
    const Instr* call = warp_here(t).frame->call;
    return call != nullptr ? std::optional(call->site) : std::nullopt;
}

std::optional<std::pair<std::string, uint64_t>> allocation_at(const Replayer& t, uint64_t address) {
    for (const Allocation& a : t.memory.allocations)
        if (address >= a.base && address - a.base < a.bytes.size())
            return std::pair(a.name, address - a.base);
    return std::nullopt;
}

std::optional<std::pair<uint64_t, uint64_t>> allocation_named(const Replayer& t, const std::string& name) {
    for (const Allocation& a : t.memory.allocations)
        if (a.name == name) return std::pair(a.base, uint64_t{a.bytes.size()});
    return std::nullopt;
}

uint32_t existing_lanes(const Replayer& t) { return warp_here(t).exists; }
Dim3 thread_of(const Replayer& t, int lane) {
    return from_linear(
        static_cast<uint64_t>(t.here.warp) * kLanes + static_cast<uint64_t>(lane), t.journey.launch.block
    );
}
const Launch& launch_of(const Replayer& t) { return t.journey.launch; }
Dim3 block_of(const Replayer& t) {
    return from_linear(static_cast<uint64_t>(t.journey.block), t.journey.launch.grid);
}

}  // namespace wl::emulator
