// One block from its first instruction to its end, in the turns of turns.h.
#include "instrumentation/emulator/schedule/block.h"

#include "instrumentation/emulator/device.h"
#include "instrumentation/emulator/global/explore.h"
#include "instrumentation/emulator/global/pair_order.h"
#include "instrumentation/emulator/machine/progress.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/observe/record.h"
#include "instrumentation/emulator/program/load.h"
#include "instrumentation/emulator/schedule/closed_loop.h"
#include "instrumentation/emulator/schedule/frames.h"
#include "instrumentation/emulator/schedule/turns.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <utility>

namespace wl::emulator {
namespace {

void start_warp(Block& block, Warp& w, uint32_t lanes) {
    const Program& program = *block.context.program;
    w.exists = w.live = lanes;
    w.ended_from.fill(nullptr);
    w.mask = lanes;
    w.carry = 0;
    w.clock = w.joined = w.slice_end = 0;
    w.picks = 0;
    w.held_back = w.idle = false;
    w.epoch = 0;
    w.cluster_arrived = 0;
    w.slept = 0;
    w.current = 0;
    w.split_count = 1;
    w.splits[0] = {};
    start_frames(w);
    w.splits[0].pc = program.code[block.now.variant].data();
    w.splits[0].frame = w.frame;
    w.splits[0].mask = lanes;
    w.segment = w.splits[0].pc;
    w.copies.clear();
    w.products.clear();
    w.fragment.clear();
    std::fill(w.mark_counts.begin(), w.mark_counts.end(), 0);
}

void report_endless(Block& block) {
    Incident incident;
    incident.kind = Incident::Kind::endless_loop;
    incident.first = spinning_at(block);
    incident.detail = fmt::format(
        "the block issued {} warp instructions without an end; if it has one, --budget gives it longer",
        issued(block)
    );
    report(block, std::move(incident));
}

// False: nobody is known to go round for ever.
bool report_never_left(Block& block) {
    const std::optional<Access> where = never_left(block);
    if (!where) return false;
    Incident incident;
    incident.kind = Incident::Kind::endless_loop;
    incident.first = *where;
    incident.detail = "what the loop's condition is made of is again what it was before: it never ends";
    report(block, std::move(incident));
    return true;
}

const FunctionCode& function_at(const Program& program, size_t instruction) {
    const FunctionCode* found = &program.functions.front();
    for (const FunctionCode& f : program.functions)
        if (f.is_defined && f.begin <= instruction && f.begin >= found->begin) found = &f;
    return *found;
}

const MemorySite* memory_of(const Program& program, size_t instruction) {
    const auto span = std::lower_bound(
        program.memory_spans.begin(),
        program.memory_spans.end(),
        instruction,
        [](const MemorySpan& s, size_t at) { return s.instruction < at; }
    );
    const bool touches = span != program.memory_spans.end() && span->instruction == instruction;
    return touches ? &program.memory_sites[span->first] : nullptr;
}

// The memory instruction of a poll. A loop may sleep between two polls: that of the warp which lies next to
// it.
const MemorySite* polled_memory(const Block& block, const Poll& poll) {
    const Program& program = *block.context.program;
    const Instr* code = program.code[block.now.variant].data();
    const auto index = static_cast<size_t>(poll.at - code);
    const MemorySite* found = memory_of(program, index);
    std::ptrdiff_t nearest = PTRDIFF_MAX;
    for (const Poll& other : block.now.polls.last) {
        if (found != nullptr && nearest == PTRDIFF_MAX) break;
        if (other.at == nullptr || other.warp != poll.warp || (other.lanes & poll.lanes) == 0) continue;
        const auto place = static_cast<size_t>(other.at - code);
        const MemorySite* memory = memory_of(program, place);
        const std::ptrdiff_t distance = std::abs(other.at - poll.at);
        const bool beside = &function_at(program, place) == &function_at(program, index);
        if (memory != nullptr && beside && distance < nearest) found = memory, nearest = distance;
    }
    return found;
}

// The word that the poll reads, by the registers as they are. Nothing is said where they are of no lane that
// is there.
void name_word(const Block& block, const Poll& poll, Access& access) {
    const MemorySite* memory = polled_memory(block, poll);
    if (memory == nullptr || memory->space == ptx::Space::shared) return;
    const Warp& w = block.warps[static_cast<size_t>(poll.warp)];
    const Instr* code = block.context.program->code[block.now.variant].data();
    const FunctionCode& function = function_at(*block.context.program, static_cast<size_t>(poll.at - code));
    for (int k = 0; k < w.split_count; ++k) {
        const Split& s = w.splits[static_cast<size_t>(k)];
        if (s.frame->function != &function || (s.mask & poll.lanes) == 0) continue;
        const auto lane = static_cast<size_t>(std::countr_zero(s.mask & poll.lanes));
        const size_t bytes = memory->wide ? sizeof(uint64_t) : sizeof(uint32_t);
        std::memcpy(&access.address, s.frame->registers + memory->slot + lane * bytes, bytes);
        access.address += static_cast<uint64_t>(memory->displacement);
        access.bytes = memory->requests.empty() ? 0 : memory->requests.front().bytes;
        return;
    }
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

void make_ready(Block& block, const BlockContext& context) {
    block.context = context;
    const Program& program = *context.program;
    const size_t threads = count(context.launch->block);
    const size_t warps = (threads + kLanes - 1) / kLanes;
    block.shared.resize(program.static_shared + context.launch->dynamic_shared + 64);
    block.recent.assign(program.listing.sites.size(), nullptr);
    block.meant = allocations_meant(program, *context.loaded, context.launch->params, *context.memory);
    block.seen = {};
    block.seen.reductions.resize(program.reductions.size());
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
    BlockState& now = block.now = {};
    now.index = index;
    now.variant = variant;
    now.mark_counts.resize(
        static_cast<size_t>(block.context.program->mark_groups) + block.context.options->arrays.size()
    );
    const uint64_t seed = block.context.options->schedule_seed;
    now.random = !is_random(seed) ? 0 : seed ^ (static_cast<uint64_t>(index) + 1) * 0xd1342543de82ef95;
    block.turn = {};
    std::fill(block.shared.begin(), block.shared.end(), std::byte{0xff});
    const auto threads = static_cast<uint32_t>(count(block.context.launch->block));
    for (Warp& w : block.warps) {
        const uint32_t here = std::min<uint32_t>(threads - static_cast<uint32_t>(w.index * kLanes), kLanes);
        start_warp(block, w, here == kLanes ? kAllLanes : (1u << here) - 1);
    }
    const auto& variables = block.context.program->shared_variables;
    const bool reserved = !variables.empty() && variables.front().name == kReservedVariable;
    if (reserved) std::fill_n(block.shared.begin(), kSharedReserved, std::byte{0});
    if (block.now.variant == kPlain) return;
    ShadowBlock shadow;
    shadow.block = index;
    shadow.threads = static_cast<int>(threads);
    shadow.bytes = static_cast<uint32_t>(block.shared.size());
    shadow.checks = block.context.options->checks;
    const CollectiveReads& reads = block.context.program->collective_reads;
    if (shadow.checks.races && !reads.lists.empty()) shadow.collective_reads = &reads;
    start(block.shadow, shadow);
    if (!reserved) return;
    for (size_t word = 0; word < kSharedReserved / 4; ++word)
        block.shadow.cells[word].writer = 1 << 2;  // some lane, before everything
}

Access spinning_at(const Block& block) {
    const Poll& poll = block.now.polls.vain;
    if (block.turn.in_vain > 0) {
        Access access = witness(block.warps[static_cast<size_t>(poll.warp)], poll.at, poll.lanes);
        name_word(block, poll, access);
        return access;
    }
    const Warp* longest = &block.warps[0];
    for (const Warp& w : block.warps)
        if (w.split_count != 0 &&
            (longest->split_count == 0 || w.clock - w.joined > longest->clock - longest->joined))
            longest = &w;
    return witness(*longest, longest->splits[0].pc, longest->splits[0].mask);
}

bool note_spin(Block& block) {
    const Poll& now = block.now.polls.vain;
    const bool same =
        now.at == block.now.spun.at && now.warp == block.now.spun.warp && now.result == block.now.spun.result;
    block.now.spun = now;
    block.now.same_spins = same ? block.now.same_spins + 1 : 0;
    return same;
}

namespace {

// `progress`: some warps have had their turns already.
Ended run_on(Block& block, bool progress, bool interruptible) {
    Ended ended = Ended::given_up;
    while (!block.now.aborted) {
        if (std::exchange(progress, false) || turns(block)) {
            if (waits_in_vain(block)) {
                report_deadlock(block);
                break;
            }
            if (report_never_left(block)) {
                ended = Ended::endless;
                break;
            }
            if (is_endless(block)) {
                report_endless(block);
                ended = Ended::endless;
                break;
            }
            if (spins(block) && !block.now.aborted) return Ended::set_aside;
            if (interruptible && !block.now.aborted && is_interrupted(block)) return Ended::interrupted;
            continue;
        }
        if (holds_warp(block)) {
            if (let_go(block)) continue;
            return Ended::held;
        }
        const bool gone =
            std::all_of(block.warps.begin(), block.warps.end(), [](const Warp& w) { return w.live == 0; });
        if (gone) ended = Ended::finished;
        if (gone || !resolve_standstill(block)) break;
    }
    block.seen.issued += issued(block);
    collect_shadow(block);
    return ended;
}

}  // namespace

Ended run_block(Block& block, bool interruptible) {
    block.turn = {.issued = issued(block)};
    if (block.now.goes_round && still_goes_round(block)) return Ended::set_aside;
    return run_on(block, false, interruptible);
}

Ended resume_block(Block& block, Turn turn, bool interruptible) {
    block.now.aborted = block.watcher->stopped = false;
    resume_turn(block, turn);
    return run_on(block, true, interruptible);
}

}  // namespace wl::emulator
