// Executors around executors. A poll is a load or an atomic operation whose result may tell that another
// block, or another warp, has come further; it is in vain when it gives what it gave the last time.
#include "instrumentation/emulator/exec/wrap.h"

#include "instrumentation/emulator/hash.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Memory;
using ptx::Space;
using ptx::Waits;

constexpr uint64_t kPollsOfSlice = 32;  // polls in vain before another warp gets its turn

// Runs the body for the lanes whose guard is true.
const Instr* guarded(Warp& w, const Instr* i) {
    const uint32_t before = w.mask;
    w.mask = before & read_predicate(w, i->guard);
    const Instr* next = w.mask != 0 ? i->inner(w, i) : i + 1;
    w.mask = before;
    return next;
}
// The same for what may wait: the lanes without go on as a split of their own.
const Instr* guarded_wait(Warp& w, const Instr* i) {
    const uint32_t lanes = w.mask & read_predicate(w, i->guard);
    if (lanes == 0) return i + 1;
    if (lanes == w.mask) return i->inner(w, i);
    close_segment(w, i);
    part(w, lanes, i + 1);
    const Instr* next = i->inner(w, i);
    return next != nullptr ? yield(w, next) : nullptr;
}

bool handles_guard(const ptx::Traits& t) {
    return t.control != ptx::Control::none || t.waits == Waits::block;
}
// `ResultBytes` of a lane's cell of r[0]; 0: there is no result to compare.
template <size_t ResultBytes>
const Instr* polled(Warp& w, const Instr* i) {
    const uint32_t lanes = i->guard == kNoGuard ? w.mask : w.mask & read_predicate(w, i->guard);
    const Instr* next = i->guard == kNoGuard ? i->inner(w, i) : guarded(w, i);
    if (lanes == 0) return next;
    Hash result;
    add(result, std::span(w.registers + i->r[0], ResultBytes * kLanes));
    Polls& polls = w.block->now.polls;
    auto& last = polls.last[(i->site + static_cast<uint32_t>(w.index) * 7) % polls.last.size()];
    const bool same = last.at == i && last.warp == w.index && last.result == result.value;
    last = {i, w.index, lanes, result.value};
    if (!same) return next;
    polls.vain = last;
    if (++w.block->turn.in_vain % kPollsOfSlice == 0) {
        w.slice_end = 0;
        w.picks |= kPicksOfLast;  // what it waits for may be another lane of its own warp
    }
    return next;
}

bool reads_what_others_write(const ptx::Instruction& in) {
    const auto& m = in.modifiers;
    const ptx::Traits& t = traits_of(in);
    if (t.memory == Memory::load)
        return m.space != Space::param && m.space != Space::constant && m.space != Space::local &&
            (m.is_volatile || m.mmio || m.semantics == "relaxed" || m.semantics == "acquire");
    return t.memory == Memory::update && t.data != ptx::kNoRole;
}

// The register that a poll writes, if anybody reads it; nullptr: the instruction is no poll.
const ptx::Operand* polled_into(const Lowering& l, const ptx::Instruction& in) {
    if (!reads_what_others_write(in) || in.operands.empty()) return nullptr;
    const ptx::Operand* result = &in.operands[0];
    if (result->kind == ptx::Operand::Kind::vector && !result->elements.empty())
        result = result->elements.data();
    const bool used =
        result->kind == ptx::Operand::Kind::reg && l.read[static_cast<size_t>(result->index)] != 0;
    return used ? result : nullptr;
}

Exec poll(const Lowering& l) {
    if (traits_of(*l.in).sleeps) return polled<0>;
    const ptx::Operand* result = polled_into(l, *l.in);
    return result == nullptr ? nullptr : is_wide(l, *result) ? polled<8> : polled<4>;
}

void note_read(std::vector<char>& read, const ptx::Operand& o) {
    const bool base = o.kind == ptx::Operand::Kind::address && o.base_kind == ptx::Operand::Kind::reg;
    if ((o.kind == ptx::Operand::Kind::reg || base) && o.index >= 0) read[static_cast<size_t>(o.index)] = 1;
    for (const ptx::Operand& element : o.elements) note_read(read, element);
}

}  // namespace

bool may_wait(const ptx::Instruction& in) {
    return traits_of(in).waits == Waits::lanes || in.op == ptx::Op::mark;
}

Exec wrapped(const Lowering& l, Exec inner) {
    const ptx::Traits& t = traits_of(*l.in);
    if (t.waits == Waits::block) return hold_back;
    if (const Exec exec = poll(l)) return exec;
    if (l.in->guard.reg < 0 || handles_guard(t)) return inner;
    return may_wait(*l.in) ? guarded_wait : guarded;
}

bool polls_other_blocks(const Lowering& l, const ptx::Instruction& in) {
    return in.modifiers.space != Space::shared && polled_into(l, in) != nullptr;
}

std::vector<char> registers_read(const ptx::Function& function) {
    std::vector<char> read(function.registers.size());
    for (const ptx::Instruction& in : function.code) {
        if (in.guard.reg >= 0) read[static_cast<size_t>(in.guard.reg)] = 1;
        for (size_t k = 0; k < in.operands.size(); ++k) {
            const bool written =
                k < ptx::destination_count(in) && in.operands[k].kind != ptx::Operand::Kind::address;
            if (!written) note_read(read, in.operands[k]);
        }
    }
    return read;
}

}  // namespace wl::emulator
