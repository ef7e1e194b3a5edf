// Floating point values from register to register, and between lanes: their companions go along.
#include "instrumentation/emulator/fp64/fp64_state.h"

#include <algorithm>

namespace wl::emulator {
namespace {

constexpr size_t kMostUnits = 8;  // of 16 bytes

uint64_t value_of(const Fp64& f, const PoisonSource& source, int lane) {
    if (source.cell.bits == 0) return source.value;
    if (source.cell.bits == 1)
        return (predicate(*f.warp, source.cell.slot) >> lane & 1) ^ (source.negated ? 1 : 0);
    return bits_in_register(f, at_lane(source.cell, lane), source.cell.bits == 64 ? 8 : 4);
}

// Unit `unit` of a source's cell; of an immediate nothing is noted.
Wide unit_of(const Fp64& f, const PoisonSource& source, int lane, uint32_t unit) {
    if (source.cell.bits <= 1) return {};
    return (*f.registers)[at_lane(source.cell, lane) / kUnit + unit];
}
void set_unit(Fp64& f, PoisonCell cell, int lane, uint32_t unit, const Wide& wide) {
    if (cell.bits > 1) (*f.registers)[at_lane(cell, lane) / kUnit + unit] = wide;
}

// The bytes of all sources in a row become those of the results.
void move_lane(Fp64& f, int lane) {
    const PoisonStep& s = *f.step;
    const uint32_t units = s.width / 8 / kUnit;
    const auto sources = static_cast<uint32_t>(s.sources.size()),
               results = static_cast<uint32_t>(s.results.size());
    if (units == 0 || units > kMostUnits || sources == 0 || results == 0) return;
    const uint32_t each = std::max(units / sources, 1u), taken = std::max(units / results, 1u);
    std::array<Wide, kMostUnits> row;
    for (uint32_t k = 0; k < units; ++k)
        if (k / each < sources) row.at(k) = unit_of(f, s.sources[k / each], lane, k % each);
    for (uint32_t k = 0; k < units; ++k)
        if (k / taken < results) set_unit(f, s.results[k / taken], lane, k % taken, row.at(k));
}

void choose_lane(Fp64& f, int lane) {
    const PoisonStep& s = *f.step;
    if (s.sources.size() != 3) return;
    const PoisonSource& chosen = s.sources[value_of(f, s.sources[2], lane) != 0 ? 0 : 1];
    for (uint32_t unit = 0; unit < s.width / 8u / kUnit; ++unit)
        set_unit(f, s.results[0], lane, unit, unit_of(f, chosen, lane, unit));
}

// ISA 9.7.9.7: a half that comes whole from a half.
void permute_lane(Fp64& f, int lane) {
    const PoisonStep& s = *f.step;
    if (s.sources.size() != 3) return;
    const uint64_t choice = value_of(f, s.sources[2], lane);
    std::array<Wide, 2> halves;
    for (uint32_t half = 0; half < 2; ++half) {
        const uint64_t low = choice >> (8 * half) & 15, high = choice >> (8 * half + 4) & 15;
        if (low % 2 != 0 || high != low + 1 || low >= 8) continue;
        halves.at(half) = unit_of(f, s.sources[low >= 4 ? 1 : 0], lane, static_cast<uint32_t>(low % 4 / 2));
    }
    // A value of four bytes that is moved whole is noted at its first two.
    for (uint32_t half = 0; half < 2; ++half) set_unit(f, s.results[0], lane, half, halves.at(half));
}

void shuffle(Fp64& f) {
    const PoisonStep& s = *f.step;
    const PoisonSource& value = s.sources.front();
    std::array<std::array<Wide, 2>, kLanes> taken;
    for (int lane = 0; lane < kLanes; ++lane) {
        const auto l = static_cast<size_t>(lane);
        const uint32_t b = cells<uint32_t>(*f.warp, f.at->r[3])[lane],
                       c = cells<uint32_t>(*f.warp, f.at->r[4])[lane];
        const int from = shuffle_source(s.in->modifiers.mode, static_cast<uint32_t>(lane), b, c);
        for (uint32_t unit = 0; unit < 2; ++unit) taken.at(l).at(unit) = unit_of(f, value, from, unit);
    }
    for (uint32_t rest = f.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        for (uint32_t unit = 0; unit < 2; ++unit)
            set_unit(f, s.results[0], lane, unit, taken.at(static_cast<size_t>(lane)).at(unit));
    }
}

}  // namespace

void move(Fp64& f) {
    if (f.kind.way == Fp64Way::shuffle) return shuffle(f);
    for (uint32_t rest = f.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        if (f.kind.way == Fp64Way::move)
            move_lane(f, lane);
        else if (f.kind.way == Fp64Way::choose)
            choose_lane(f, lane);
        else
            permute_lane(f, lane);
    }
}

}  // namespace wl::emulator
