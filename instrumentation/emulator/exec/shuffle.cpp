// Models shfl: PTX ISA 9.7.9.6. Not modelled: nothing.
#include "instrumentation/emulator/exec/collective.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/observe/reductions.h"

#include <optional>

namespace wl::emulator {
namespace {

using ptx::Mode;
using ptx::Type;

template <class T>
inline bool is_uniform(const T* a) {
    T difference = 0;
    WL_FOR_LANES difference |= a[lane] ^ a[0];
    return difference == 0;
}

// The butterfly over all 32 lanes with one distance: vector permutations.
inline void butterfly(const uint32_t* a, uint32_t distance, uint32_t* out) {
    const __m256i iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i index = _mm256_xor_si256(iota, _mm256_set1_epi32(static_cast<int>(distance & 7)));
    for (uint32_t k = 0; k < 4; ++k) {
        const __m256i from = _mm256_load_si256(reinterpret_cast<const __m256i*>(a + 8 * (k ^ distance >> 3)));
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + 8 * k), _mm256_permutevar8x32_epi32(from, index));
    }
}

void report_inactive_source(Warp& w, const Instr* i, uint32_t lanes) {
    Incident incident;
    incident.kind = Incident::Kind::lane_not_in_mask;
    incident.first = witness(w, i, lanes);
    incident.detail = kInactiveSource;
    report(*w.block, std::move(incident));
}

// ISA 9.7.9.6: where lane `lane` reads, and whether that is in range.
template <Mode M>
inline uint32_t shuffle_source(uint32_t lane, uint32_t b, uint32_t c, bool& in_range) {
    const uint32_t bval = b & 31, cval = c & 31, segment = c >> 8 & 31;
    const uint32_t most = (lane & segment) | (cval & ~segment);
    const uint32_t least = lane & segment;
    uint32_t j = 0;
    if constexpr (M == Mode::up) {
        j = lane - bval;
        in_range = static_cast<int32_t>(j) >= static_cast<int32_t>(most);
    } else {
        j = M == Mode::down ? lane + bval : M == Mode::bfly ? lane ^ bval : least | (bval & ~segment);
        in_range = static_cast<int32_t>(j) <= static_cast<int32_t>(most);
    }
    return in_range ? j : lane;
}

template <Mode M>
void shuffle_general(Warp& w, const Instr* i, bool has_predicate) {
    alignas(64) uint32_t result[kLanes];
    const uint32_t* a = cells<uint32_t>(w, i->r[2]);
    const uint32_t* b = cells<uint32_t>(w, i->r[3]);
    const uint32_t* c = cells<uint32_t>(w, i->r[4]);
    const uint32_t* members = cells<uint32_t>(w, i->r[5]);
    const std::optional<uint32_t>& given = w.block->context.options->of_absent_lane;
    uint32_t ranges = 0, absent = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        bool in_range = false;
        uint32_t from = shuffle_source<M>(lane, b[lane], c[lane], in_range);
        ranges |= static_cast<uint32_t>(in_range) << lane;
        if (!has_lane(w.mask & members[lane], static_cast<int>(from & 31)) &&
            has_lane(w.mask, static_cast<int>(lane))) {
            absent |= 1u << lane;
            from = lane;
        }
        result[lane] = given && has_lane(absent, static_cast<int>(lane)) ? *given : a[from & 31];
    }
    if (absent != 0) report_inactive_source(w, i, absent);
    write_lanes<uint32_t>(w, i->r[0], [&](int lane) { return result[lane]; });
    if (has_predicate) write_predicate(w, i->r[1], ranges);
}

// r = {d, p, a, b, c, members}; target: 1 when there is a p; offset: 1 + index of the reduction it heads.
template <Mode M, Members Who, bool Hooks>
const Instr* shuffle(Warp& w, const Instr* i) {
    const Standing standing = Who == Members::active ? Standing::complete : together(w, i, i->r[5]);
    if (standing == Standing::waiting) return nullptr;
    if constexpr (Hooks) {
        if (i->offset != 0) observe_reduction(w, i, static_cast<size_t>(i->offset - 1));
    }
    const bool has_predicate = i->target != 0;
    if constexpr (M == Mode::bfly) {
        const uint32_t* b = cells<uint32_t>(w, i->r[3]);
        const uint32_t* c = cells<uint32_t>(w, i->r[4]);
        if (w.mask == kAllLanes && (c[0] & 0x1f1f) == 0x1f && is_uniform(b) && is_uniform(c)) [[likely]] {
            alignas(64) uint32_t result[kLanes];
            butterfly(cells<uint32_t>(w, i->r[2]), b[0] & 31, result);
            write_lanes<uint32_t>(w, i->r[0], [&](int lane) { return result[lane]; });
            if (has_predicate) write_predicate(w, i->r[1], kAllLanes);
            return i + 1;
        }
    }
    shuffle_general<M>(w, i, has_predicate);
    return go_on(w, i, standing);
}

template <Mode M, Members Who>
Selected shuffle_variants() {
    return {shuffle<M, Who, false>, shuffle<M, Who, true>, shuffle<M, Who, true>};
}
template <Members Who>
Selected shuffle_of(Mode mode) {
    switch (mode) {
        case Mode::up: return shuffle_variants<Mode::up, Who>();
        case Mode::down: return shuffle_variants<Mode::down, Who>();
        case Mode::bfly: return shuffle_variants<Mode::bfly, Who>();
        case Mode::idx: return shuffle_variants<Mode::idx, Who>();
        default: return {};
    }
}
}  // namespace

Selected lower_shuffle(Lowering& l) {
    const auto& in = *l.in;
    size_t k = 0;
    l.out.r[0] = destination(l, k++);
    if (in.modifiers.pair) l.out.r[1] = destination(l, k++);
    l.out.target = in.modifiers.pair && in.operands[1].kind != ptx::Operand::Kind::sink ? 1 : 0;
    for (size_t r = 2; r < 5; ++r) l.out.r[r] = source(l, k++, Type::b32);
    l.out.r[5] = members(l, k);
    const auto& chains = l.program.reductions;
    for (size_t c = 0; c < chains.size(); ++c)
        if (chains[c].head == l.out.site) l.out.offset = static_cast<int64_t>(c) + 1;
    return in.modifiers.sync ? shuffle_of<Members::masked>(in.modifiers.mode)
                             : shuffle_of<Members::active>(in.modifiers.mode);
}

}  // namespace wl::emulator
