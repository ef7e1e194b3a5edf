// Floating point values through memory: loads, stores, and sums that atomics make. What an asynchronous copy
// brings is what the launch was given, but where a block copies what it stored to global memory itself: that
// begins anew.
#include "instrumentation/emulator/fp64/fp64_state.h"

#include <algorithm>

namespace wl::emulator {
namespace {

std::optional<Place> place_of(const Fp64& f, int lane, uint32_t bytes) {
    const MemoryForm form = decode(f.at->target);
    const uint64_t address = address_of(*f.warp, f.at, form.wide_base, lane);
    const auto place = locate(*f.warp, {form.space, lane, address, bytes, false});
    if (!place || place->space == ptx::Space::constant || place->space == ptx::Space::param) return {};
    return place;
}

// Elements of 16 bytes are two cells of 8.
uint32_t bytes_of_cell(const PoisonStep& s) { return std::min<uint32_t>(s.source_width / 8, 8); }

void load(Fp64& f, int lane) {
    const PoisonStep& s = *f.step;
    const uint32_t bytes = bytes_of_cell(s);
    const auto from = place_of(f, lane, bytes * static_cast<uint32_t>(s.results.size()));
    for (size_t k = 0; k < s.results.size(); ++k) {
        if (s.results[k].bits <= 1) continue;
        Wide* to = f.registers->data() + at_lane(s.results[k], lane) / kUnit;
        for (uint32_t unit = 0; unit < bytes / kUnit; ++unit)
            to[unit] = from ? unit_at(f, key_of(f, *from, lane) + k * bytes + unit * kUnit) : Wide{};
    }
}

void store(Fp64& f, int lane) {
    const PoisonStep& s = *f.step;
    const uint32_t bytes = bytes_of_cell(s);
    const auto to = place_of(f, lane, bytes * static_cast<uint32_t>(s.sources.size()));
    if (!to) return;
    for (size_t k = 0; k < s.sources.size(); ++k) {
        const PoisonCell cell = s.sources[k].cell;
        for (uint32_t unit = 0; unit < bytes / kUnit; ++unit)
            unit_at(f, key_of(f, *to, lane) + k * bytes + unit * kUnit) =
                cell.bits > 1 ? (*f.registers)[at_lane(cell, lane) / kUnit + unit] : Wide{};
    }
}

uint64_t bits_at(const std::byte* data, DType format) {
    uint64_t bits = 0;
    std::memcpy(&bits, data, size_of(format));
    return bits;
}

// Lane by lane, as they are executed: what memory will hold is known before it does.
void add_to_memory(Fp64& f) {
    const PoisonStep& s = *f.step;
    const auto bytes = static_cast<uint32_t>(size_of(f.kind.format));
    std::map<uint64_t, uint64_t> now;  // by key
    for (uint32_t rest = f.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto at = place_of(f, lane, bytes * f.kind.parts);
        if (!at || s.sources.empty() || s.in->modifiers.vector != 1) continue;
        for (uint32_t part = 0; part < f.kind.parts; ++part) {
            const uint64_t key = key_of(f, *at, lane) + uint64_t{part} * bytes;
            uint64_t& bits =
                now.try_emplace(key, bits_at(at->data + part * bytes, f.kind.format)).first->second;
            const WideOperand old = read_wide(unit_at(f, key), f.kind.format, bits);
            const WideOperand x = read_source(f, s.sources.back(), lane, part, f.kind.format);
            if (!s.results.empty() && s.results[0].bits > 1)
                (*f.registers)[at_lane(s.results[0], lane) / kUnit + part] = old.wide;
            from_double(f.kind.format, old.actual + x.actual, &bits);
            Wide& w = unit_at(f, key);
            const bool more =
                relative_difference(x.actual, x.wide.value) > relative_difference(old.actual, old.wide.value);
            const Wide sum = more ? x.wide : old.wide;
            w = sum, w.bits = bits, w.format = f.kind.format;
            w.value = old.wide.value + x.wide.value;
            if (w.born == kNoSite) w.born = f.at->site, w.born_in = w.format;
            const bool kept = f.unrounded.empty() || f.unrounded[f.at->site] != 0;
            if (!kept) w.value = rounded(f.kind.format, w.value);
        }
    }
}

}  // namespace

uint64_t key_of(const Fp64& f, const Place& place, int lane) {
    const auto tag = [](KeySpace s) { return static_cast<uint64_t>(s) << 60; };
    if (place.space == ptx::Space::shared) return tag(KeySpace::shared) | place.offset;
    if (place.space == ptx::Space::local)
        return tag(KeySpace::local) | static_cast<uint64_t>(f.warp->index * kLanes + lane) << 40 |
            place.offset;
    return (place.allocation != nullptr ? place.allocation->base : 0) + place.offset;
}

Wide& unit_at(Fp64& f, uint64_t key) { return f.pages[key / kPageBytes][key % kPageBytes / kUnit]; }

void move_memory(Fp64& f) {
    if (f.kind.way == Fp64Way::add_to_memory) return add_to_memory(f);
    for (uint32_t rest = f.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        if (f.kind.way == Fp64Way::load)
            load(f, lane);
        else
            store(f, lane);
    }
}

}  // namespace wl::emulator
