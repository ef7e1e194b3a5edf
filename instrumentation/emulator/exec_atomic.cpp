// Models atom and red on words of 16 to 128 bits, packed halves and vectors, in global, shared and generic
// memory: PTX ISA 9.7.13.5-6. Lanes go in their order; global words are changed by the host's atomics, across
// workers. Not modelled: memory orderings.
#include "instrumentation/emulator/atomic_words.h"
#include "instrumentation/emulator/hooks.h"
#include "instrumentation/emulator/lowering.h"
#include "instrumentation/emulator/wide.h"

#include <cstring>

namespace wl::emulator {
namespace {

using ptx::AtomOp;
using ptx::Op;
using ptx::Space;
using ptx::Type;

constexpr size_t kMaxElements = 8;

// ---- memory

// A first guess in a loop of exchanges: 16 bytes may come torn, and then are not what memory holds.
template <class Word>
Word guess(const std::byte* at) {
    if constexpr (sizeof(Word) <= 8)
        return __atomic_load_n(reinterpret_cast<const Word*>(at), __ATOMIC_RELAXED);
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}
// Whether *at was `old` and became `wanted`; else `old` is what it is.
template <class Word>
bool exchange_if(std::byte* at, Word& old, Word wanted) {
    auto* word = reinterpret_cast<Word*>(at);
    if constexpr (sizeof(Word) == 16) {
        const Word found = __sync_val_compare_and_swap(word, old, wanted);
        const bool same = found == old;
        old = found;
        return same;
    } else {
        return __atomic_compare_exchange_n(word, &old, wanted, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
}
// *at = next(*at); returns what it was. Only global memory is seen by several workers.
template <class Word, class F>
Word update(std::byte* at, bool global, F next) {
    Word old = guess<Word>(at);
    if (global) {
        while (!exchange_if(at, old, next(old))) {}
    } else {
        const Word wanted = next(old);
        std::memcpy(at, &wanted, sizeof wanted);
    }
    return old;
}

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
    const std::vector<uint32_t>& list = w.block->program->lists[i->r[3]];
    return {list[element], list[f.count + element], 0};
}

// How an executor combines: by a function of the old value and operand b, ...
template <class W, auto F>
struct Combine {
    using Word = W;
    static Word update_word(Warp& w, const Slots& s, int lane, std::byte* at, bool global) {
        const Word b = read_register<Word>(w, s.b, lane);
        return update<Word>(at, global, [=](Word old) { return F(old, b, global); });
    }
};
template <class W>
struct Exchange {
    using Word = W;
    static Word update_word(Warp& w, const Slots& s, int lane, std::byte* at, bool global) {
        const Word b = read_register<Word>(w, s.b, lane);
        return update<Word>(at, global, [=](Word) { return b; });
    }
};
// ... or by c where it is b.
template <class W>
struct CompareAndSwap {
    using Word = W;
    static Word update_word(Warp& w, const Slots& s, int lane, std::byte* at, bool global) {
        const Word b = read_register<Word>(w, s.b, lane), c = read_register<Word>(w, s.c, lane);
        return update<Word>(at, global, [=](Word old) { return old == b ? c : old; });
    }
};

// r = {d, b, c, list, address}; target: MemoryForm; r[5] != 0: the old value is wanted.
template <class How>
const Instr* atomic(Warp& w, const Instr* i) {
    using Word = typename How::Word;
    const MemoryForm f = decode(i->target);
    const uint32_t bytes = sizeof(Word) * f.count;
    alignas(64) uint32_t shared_at[kLanes] = {};
    uint32_t shared_mask = 0;
    alignas(64) Word result[kMaxElements][kLanes];
    std::memset(result, 0xff, f.count * sizeof(result[0]));
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto place = resolve(w, i, {f.space, lane, address_of(w, i, f.wide_base, lane), bytes, true});
        if (!place) continue;
        const bool global = place->space == Space::global;
        for (size_t e = 0; e < f.count; ++e)
            result[e][lane] =
                How::update_word(w, slots_of(w, i, f, e), lane, place->data + e * sizeof(Word), global);
        if (place->space == Space::shared) {
            shared_at[lane] = static_cast<uint32_t>(place->offset);
            shared_mask |= 1u << lane;
        }
        if (place->allocation == nullptr) continue;
        if (auto& written = place->allocation->written; !written.empty())
            std::memset(written.data() + place->offset, 1, bytes);
        if (w.block->variant == kRecorded) record_global(w, i, lane, *place, bytes);
    }
    if (shared_mask != 0 && w.block->variant != kPlain)
        observe_shared(w, i, {Touching::atomic, shared_mask, bytes, shared_at}, {});
    if (i->r[5] == 0) return i + 1;
    for (size_t e = 0; e < f.count; ++e) write_register<Word>(w, slots_of(w, i, f, e).d, result[e]);
    return i + 1;
}

// ---- lowering

template <class T>
Exec select_integer(AtomOp op) {
    using Word = std::make_unsigned_t<T>;
    switch (op) {
        case AtomOp::add: return atomic<Combine<Word, integer<T, AtomOp::add>>>;
        case AtomOp::min: return atomic<Combine<Word, integer<T, AtomOp::min>>>;
        case AtomOp::max: return atomic<Combine<Word, integer<T, AtomOp::max>>>;
        case AtomOp::and_: return atomic<Combine<Word, integer<T, AtomOp::and_>>>;
        case AtomOp::or_: return atomic<Combine<Word, integer<T, AtomOp::or_>>>;
        case AtomOp::xor_: return atomic<Combine<Word, integer<T, AtomOp::xor_>>>;
        case AtomOp::inc: return atomic<Combine<Word, integer<T, AtomOp::inc>>>;
        case AtomOp::dec: return atomic<Combine<Word, integer<T, AtomOp::dec>>>;
        default: return nullptr;
    }
}
template <class Format>
Exec select_half(AtomOp op) {
    switch (op) {
        case AtomOp::add: return atomic<Combine<uint16_t, half<Format, AtomOp::add>>>;
        case AtomOp::min: return atomic<Combine<uint16_t, half<Format, AtomOp::min>>>;
        case AtomOp::max: return atomic<Combine<uint16_t, half<Format, AtomOp::max>>>;
        default: return nullptr;
    }
}
template <class Format>
Exec select_pair(AtomOp op) {
    switch (op) {
        case AtomOp::add: return atomic<Combine<uint32_t, pair<Format, AtomOp::add>>>;
        case AtomOp::min: return atomic<Combine<uint32_t, pair<Format, AtomOp::min>>>;
        case AtomOp::max: return atomic<Combine<uint32_t, pair<Format, AtomOp::max>>>;
        default: return nullptr;
    }
}
template <template <class> class How>
Exec by_size(uint32_t bytes) {
    switch (bytes) {
        case 2: return atomic<How<uint16_t>>;
        case 4: return atomic<How<uint32_t>>;
        case 8: return atomic<How<uint64_t>>;
        case 16: return atomic<How<UInt128>>;
        default: return nullptr;
    }
}

Exec select_atomic(Type t, AtomOp op) {
    if (op == AtomOp::exch) return by_size<Exchange>(ptx::bytes_of(t));
    if (op == AtomOp::cas) return by_size<CompareAndSwap>(ptx::bytes_of(t));
    switch (t) {
        case Type::u32:
        case Type::b32: return select_integer<uint32_t>(op);
        case Type::s32: return select_integer<int32_t>(op);
        case Type::u64:
        case Type::b64: return select_integer<uint64_t>(op);
        case Type::s64: return select_integer<int64_t>(op);
        case Type::f32: return op == AtomOp::add ? atomic<Combine<uint32_t, add_single>> : nullptr;
        case Type::f64: return op == AtomOp::add ? atomic<Combine<uint64_t, add_double>> : nullptr;
        case Type::f16: return select_half<Half>(op);
        case Type::bf16: return select_half<Brain>(op);
        case Type::f16x2: return select_pair<Half>(op);
        case Type::bf16x2: return select_pair<Brain>(op);
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
    l.out.r[5] = returns ? 1 : 0;
    l.out.offset = where.displacement;
    l.out.target = encode(f);
    return select_atomic(t, in.modifiers.atom_op);
}

}  // namespace wl::emulator
