// Models atom and red on words of 16 to 128 bits, packed halves and vectors, in global, shared and generic
// memory: PTX ISA 9.7.13.5-6. Lanes go in their order; global words are changed by the host's atomics, across
// workers. Not modelled: memory orderings.
#include "instrumentation/emulator/exec/memory/atomic_update.h"
#include "instrumentation/emulator/exec/memory/atomic_words.h"
#include "instrumentation/emulator/exec/memory/exact_sums.h"
#include "instrumentation/emulator/exec/values/wide.h"
#include "instrumentation/emulator/observe/hooks.h"
#include "instrumentation/emulator/program/lowering.h"

#include <array>
#include <cstring>
#include <optional>

namespace wl::emulator {
namespace {

using ptx::AtomOp;
using ptx::Op;
using ptx::Space;
using ptx::Type;

constexpr size_t kMaxElements = 8;

// ---- registers

template <class Word>
Word read_register(Warp& w, uint32_t slot, int lane) {
    if constexpr (sizeof(Word) == 16)
        return Word{cells<uint64_t>(w, slot + kPlane)[lane]} << 64 | cells<uint64_t>(w, slot)[lane];
    else
        return static_cast<Word>(cells<Word>(w, slot)[lane]);
}
template <class Word>
void write_register(Warp& w, uint32_t slot, const Word* values) {
    if constexpr (sizeof(Word) == 16) {
        write_lanes<uint64_t>(w, slot, [=](int lane) { return static_cast<uint64_t>(values[lane]); });
        write_lanes<uint64_t>(w, slot + kPlane, [=](int lane) {
            return static_cast<uint64_t>(values[lane] >> 64);
        });
    } else {
        write_lanes<Word>(w, slot, [=](int lane) { return values[lane]; });
    }
}

// Slots of one element of a vector; those of vectors are in a list: destinations, then operands.
struct Slots {
    uint32_t d = 0, b = 0, c = 0;
};
Slots slots_of(const Warp& w, const Instr* i, const MemoryForm& f, size_t element) {
    if (f.count == 1) return {i->r[0], i->r[1], i->r[2]};
    const std::vector<uint32_t>& list = w.block->context.program->lists[i->r[3]];
    return {list[element], list[f.count + element], 0};
}

// ---- operations

template <class Format>
Combine<uint32_t> combine_pairs(AtomOp op) {
    switch (op) {
        case AtomOp::add: return pair<Format, AtomOp::add>;
        case AtomOp::min: return pair<Format, AtomOp::min>;
        case AtomOp::max: return pair<Format, AtomOp::max>;
        default: return nullptr;
    }
}

// nullptr: there is no such operation.
template <class Word>
Combine<Word> combination(Type t, AtomOp op) {
    if (op == AtomOp::exch) return exchange<Word>;
    if (op == AtomOp::cas) return compare_and_swap<Word>;
    const bool adds = op == AtomOp::add;
    if constexpr (sizeof(Word) == 2) {
        if (t == Type::f16) return combine_halves<Half>(op);
        if (t == Type::bf16) return combine_halves<Bf16>(op);
    }
    if constexpr (sizeof(Word) == 4) {
        if (t == Type::f32) return adds ? add_single : nullptr;
        if (t == Type::f16x2) return combine_pairs<Half>(op);
        if (t == Type::bf16x2) return combine_pairs<Bf16>(op);
        return t == Type::s32 ? combine_integers<int32_t>(op) : combine_integers<uint32_t>(op);
    }
    if constexpr (sizeof(Word) == 8) {
        if (t == Type::f64) return adds ? add_double : nullptr;
        return t == Type::s64 ? combine_integers<int64_t>(op) : combine_integers<uint64_t>(op);
    }
    return nullptr;
}

// Instr::r[5].
struct Operation {
    Type type = Type::none;
    AtomOp op = AtomOp::none;
    bool returns = false;  // the old value is wanted
    uint8_t unused = 0;
};
static_assert(sizeof(Operation) == sizeof(Instr::r[5]));

// What all elements of one lane hold, and become.
template <class Word>
void update_lane(Warp& w, const Instr* i, int lane, const Place& place, Word (*old)[kLanes]) {
    const MemoryForm f = decode(i->target);
    const auto operation = std::bit_cast<Operation>(i->r[5]);
    const Combine<Word> combine = combination<Word>(operation.type, operation.op);
    const bool global = place.space == Space::global;
    for (size_t e = 0; e < f.count; ++e) {
        const Slots s = slots_of(w, i, f, e);
        const Word b = read_register<Word>(w, s.b, lane);
        const Word c = operation.op == AtomOp::cas ? read_register<Word>(w, s.c, lane) : b;
        old[e][lane] =
            update<Word>(place, e * sizeof(Word), [=](Word x) { return combine(x, b, c, global); });
    }
}

std::optional<DType> summed_format(const Operation& o) {
    if (o.op != AtomOp::add) return {};
    switch (o.type) {
        case Type::f16:
        case Type::f16x2: return DType::f16;
        case Type::bf16:
        case Type::bf16x2: return DType::bf16;
        case Type::f32: return DType::f32;
        case Type::f64: return DType::f64;
        default: return {};
    }
}

// The same for sums that are kept exactly.
template <class Word>
void sum_lane(Warp& w, const Instr* i, int lane, const Place& place, DType format, Word (*old)[kLanes]) {
    const MemoryForm f = decode(i->target);
    const int64_t block = place.allocation == nullptr ? w.block->now.index : -1;
    for (size_t e = 0; e < f.count; ++e) {
        std::byte* const at = place.data + e * sizeof(Word);
        std::memcpy(&old[e][lane], at, sizeof(Word));
        const Word b = read_register<Word>(w, slots_of(w, i, f, e).b, lane);
        for (size_t part = 0; part < sizeof(Word); part += size_of(format)) {
            const double term = to_double(format, reinterpret_cast<const std::byte*>(&b) + part);
            add_exactly(*w.block->context.sums, at + part, block, format, term);
        }
    }
}

// r = {d, b, c, list, address, Operation}; target: MemoryForm.
template <class Word>
const Instr* atomic(Warp& w, const Instr* i) {
    const MemoryForm f = decode(i->target);
    const uint32_t bytes = sizeof(Word) * f.count;
    alignas(64) uint32_t shared_at[kLanes] = {};
    std::array<Place, kLanes> places;
    uint32_t valid = 0, shared_mask = 0;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto place = resolve(w, i, {f.space, lane, address_of(w, i, f.wide_base, lane), bytes, true});
        if (!place) continue;
        places[static_cast<size_t>(lane)] = *place;
        valid |= 1u << lane;
        if (place->space != Space::shared) continue;
        shared_at[lane] = static_cast<uint32_t>(place->offset);
        shared_mask |= 1u << lane;
    }
    const SharedTouch touch{Touching::atomic, shared_mask, bytes, shared_at};
    const bool observed = shared_mask != 0 && w.block->now.variant != kPlain;
    if (observed) observe_shared(w, i, touch, {});
    std::optional<DType> exactly;
    if (w.block->context.sums != nullptr) exactly = summed_format(std::bit_cast<Operation>(i->r[5]));
    alignas(64) Word old[kMaxElements][kLanes];
    std::memset(old, 0xff, f.count * sizeof(old[0]));
    for (uint32_t rest = valid; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const Place& place = places[static_cast<size_t>(lane)];
        if (exactly)
            sum_lane<Word>(w, i, lane, place, *exactly, old);
        else
            update_lane<Word>(w, i, lane, place, old);
        if (place.allocation == nullptr) continue;
        if (auto& written = place.allocation->written; !written.empty())
            std::memset(written.data() + place.offset, 1, bytes);
        if (w.block->now.variant == kRecorded) record_global(w, i, lane, place, bytes);
    }
    if (observed) after_store(w, i, touch);
    if (!std::bit_cast<Operation>(i->r[5]).returns) return i + 1;
    for (size_t e = 0; e < f.count; ++e) write_register<Word>(w, slots_of(w, i, f, e).d, old[e]);
    return i + 1;
}

// ---- lowering

template <class Word>
Exec executor_of(Type t, AtomOp op) {
    return combination<Word>(t, op) != nullptr ? atomic<Word> : nullptr;
}
Exec executor_of(Type t, AtomOp op) {
    switch (ptx::bytes_of(t)) {
        case 2: return executor_of<uint16_t>(t, op);
        case 4: return executor_of<uint32_t>(t, op);
        case 8: return executor_of<uint64_t>(t, op);
        case 16: return executor_of<UInt128>(t, op);
        default: return nullptr;
    }
}

// The slots of one operand, one an element; 16 bytes count once.
std::vector<uint32_t> element_slots(Lowering& l, size_t k, Type t, bool destinations) {
    if (k >= l.in->operands.size()) return {};
    std::vector<uint32_t> slots = vector_slots(l, l.in->operands[k], t, destinations);
    if (ptx::bytes_of(t) == 16) slots.resize(slots.size() / 2);
    return slots;
}

}  // namespace

Selected lower_atomic(Lowering& l) {
    const auto& in = *l.in;
    const bool returns = in.op == Op::atom;
    if ((!returns && in.op != Op::red) || in.types.empty()) return {};
    const Type t = in.types[0];
    const size_t first = returns ? 1 : 0, count = in.modifiers.vector;
    const AddressOperand where =
        address(l, first, in.modifiers.space == Space::none ? Space::generic : in.modifiers.space);
    std::vector<uint32_t> b = element_slots(l, first + 1, t, false);
    std::vector<uint32_t> d(count, 0);
    if (returns) d = element_slots(l, 0, t, true);
    if (count > kMaxElements || b.size() != count || d.size() != count) return {};
    MemoryForm f;
    f.space = where.space;
    f.wide_base = where.wide;
    f.count = static_cast<uint8_t>(count);
    l.out.r[0] = d[0];
    l.out.r[1] = b[0];
    if (in.modifiers.atom_op == AtomOp::cas) {
        const std::vector<uint32_t> c = element_slots(l, first + 2, t, false);
        if (c.size() != 1) return {};
        l.out.r[2] = c[0];
    }
    if (count > 1) {
        l.out.r[3] = static_cast<uint32_t>(l.program.lists.size());
        d.insert(d.end(), b.begin(), b.end());
        l.program.lists.push_back(std::move(d));
    }
    l.out.r[4] = where.slot;
    l.out.r[5] = std::bit_cast<uint32_t>(Operation{t, in.modifiers.atom_op, returns});
    l.out.offset = where.displacement;
    l.out.target = encode(f);
    return executor_of(t, in.modifiers.atom_op);
}

}  // namespace wl::emulator
