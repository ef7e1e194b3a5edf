// Poison through loads, stores, atomics and asynchronous copies. A copy's poison arrives when it is issued:
// who reads before the wait is an async_copy_wait incident anyway.
#include "instrumentation/emulator/poison/poison_state.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace wl::emulator {
namespace {

using ptx::Space;
using Way = PoisonWay;

std::optional<TaintPlace> place_of(Poison& p, int lane, uint32_t bytes) {
    const MemoryForm f = decode(p.at->target);
    const uint64_t address = address_of(*p.warp, p.at, f.wide_base, lane);
    const auto place = locate(*p.warp, {f.space, lane, address, bytes, false});
    if (!place || place->space == Space::constant || place->space == Space::param) return {};
    return TaintPlace{*place, lane, address};
}

Taint extended(Taint t, uint32_t bytes, bool is_signed) {
    if (is_signed && bytes < 8 && (t.bits >> (8 * bytes - 1) & 1) != 0) t.bits |= ~ones(8 * bytes);
    return t;
}

// Where all lanes of an instruction point, when they lie in one piece of memory.
struct LanePlaces {
    TaintedBytes* in = nullptr;
    bool global = false;
    std::array<uint64_t, kLanes> at{};  // only of lanes that execute
};

bool shared_places(Poison& p, const MemoryForm& f, uint32_t bytes, LanePlaces& out) {
    uint64_t highest = 0;
    for (uint32_t rest = p.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(first_lane(rest));
        out.at[lane] = address_of(*p.warp, p.at, f.wide_base, static_cast<int>(lane));
        highest = std::max(highest, out.at[lane]);
    }
    out.in = &p.shared;
    const uint64_t size = std::min<uint64_t>(p.warp->shared_bytes, p.shared.bits.size());
    return highest < size && size - highest >= bytes;
}

bool global_places(Poison& p, uint32_t bytes, LanePlaces& out) {
    Warp& w = *p.warp;
    GlobalAddresses found;
    const uint32_t mask = std::exchange(w.mask, p.lanes);
    const bool together = global_addresses(w, p.at, bytes, found);
    w.mask = mask;
    if (!together) return false;
    out.in = bytes_of(p, {Space::global, nullptr, found.allocation, 0}, 0, found.high + bytes);
    out.global = true;
    std::copy(std::begin(found.at), std::end(found.at), out.at.begin());
    return true;
}

bool find_places(Poison& p, uint32_t bytes, LanePlaces& out) {
    const MemoryForm f = decode(p.at->target);
    if (f.space == Space::shared) return shared_places(p, f, bytes, out);
    return f.space == Space::global && f.wide_base && std::has_single_bit(bytes) &&
        global_places(p, bytes, out);
}

// Elements of 16 bytes are two cells of 8.
uint32_t bytes_of_cell(const PoisonStep& s) { return std::min<uint32_t>(s.source_width / 8, 8); }

bool are_clean(const LanePlaces& from, uint32_t lanes, uint32_t bytes) {
    uint64_t any = 0;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const uint8_t* first = from.in->bits.data() + from.at[static_cast<size_t>(first_lane(rest))];
        for (uint32_t k = 0; k < bytes; k += 8) {
            uint64_t part = 0;
            std::memcpy(&part, first + k, std::min(8u, bytes - k));
            any |= part;
        }
    }
    return any == 0;
}

// False, with nothing done: some lane has to look for itself.
bool load_together(Poison& p) {
    const PoisonStep& s = *p.step;
    const uint32_t bytes = bytes_of_cell(s);
    const size_t count = s.results.size();
    const Space space = decode(p.at->target).space;
    if (space == Space::constant || space == Space::param) {
        for (const PoisonCell& cell : s.results) clear(p, cell, p.lanes);
        return true;
    }
    LanePlaces from;
    if (count == 0 || !find_places(p, bytes * static_cast<uint32_t>(count), from)) return false;
    if (are_clean(from, p.lanes, bytes * static_cast<uint32_t>(count))) {
        for (const PoisonCell& cell : s.results) clear(p, cell, p.lanes);
        return true;
    }
    if (p.rows.size() < count) p.rows.resize(count);
    for (uint32_t rest = p.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(first_lane(rest));
        for (size_t k = 0; k < count; ++k) {
            Taint t;
            if (!find_known(*from.in, from.at[lane] + k * bytes, bytes, t)) return false;
            p.rows[k].bits[lane] = extended(t, bytes, s.is_signed).bits;
            p.rows[k].birth[lane] = t.birth;
        }
    }
    for (size_t k = 0; k < count; ++k) write_row(p, s.results[k], p.lanes, p.rows[k]);
    return true;
}

void load(Poison& p, int lane) {
    const PoisonStep& s = *p.step;
    const uint32_t bytes = bytes_of_cell(s);
    const auto from = place_of(p, lane, bytes * static_cast<uint32_t>(s.results.size()));
    for (size_t k = 0; k < s.results.size(); ++k) {
        const Taint t = from ? read_bytes(p, *from, static_cast<uint32_t>(k) * bytes, bytes) : Taint{};
        write_taint(p, s.results[k], lane, extended(t, bytes, s.is_signed));
    }
}

// Some whole bytes of an element, not all: what a struct has between its members goes along when it is
// copied. The bytes stay poisoned where they come to lie.
bool is_padding(uint64_t bits, uint32_t bytes) {
    uint32_t poisoned = 0;
    for (uint32_t k = 0; k < bytes; ++k) {
        const uint64_t byte = bits >> (8 * k) & 0xff;
        if (byte != 0 && byte != 0xff) return false;
        poisoned += byte != 0 ? 1 : 0;
    }
    return poisoned < bytes;
}

bool store_together(Poison& p) {
    const PoisonStep& s = *p.step;
    const uint32_t bytes = bytes_of_cell(s);
    LanePlaces to;
    if (!find_places(p, bytes * static_cast<uint32_t>(s.sources.size()), to)) return false;
    const auto is_tainted = [&](PoisonCell cell) { return tainted_lanes(p, cell, p.lanes) != 0; };
    if (to.global && std::any_of(s.source_cells.begin(), s.source_cells.end(), is_tainted)) return false;
    read_sources(p);
    for (uint32_t rest = p.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(first_lane(rest));
        for (size_t k = 0; k < s.sources.size(); ++k)
            set_known(*to.in, to.at[lane] + k * bytes, bytes, {p.rows[k].bits[lane], p.rows[k].birth[lane]});
    }
    return true;
}

void store(Poison& p, int lane) {
    const PoisonStep& s = *p.step;
    const uint32_t bytes = bytes_of_cell(s);
    const auto to = place_of(p, lane, bytes * static_cast<uint32_t>(s.sources.size()));
    if (!to) return;
    for (size_t k = 0; k < s.sources.size(); ++k) {
        Taint t = s.sources[k].cell.bits != 0 ? read_taint(p, s.sources[k].cell, lane) : Taint{};
        t.bits &= ones(8 * bytes);
        const bool stays =
            s.copies && t.bits != 0 && (is_padding(t.bits, bytes) || p.births.all[t.birth].padding);
        if (t.bits != 0 && to->place.space == Space::global && !stays) leaves(p, t.birth, *to);
        write_bytes(p, *to, static_cast<uint32_t>(k) * bytes, bytes, t);
    }
}

// What lies there afterwards is poisoned by what lay there and by the operands; an exchange only by them.
void atomic(Poison& p, int lane) {
    const PoisonStep& s = *p.step;
    const uint32_t bytes = std::min<uint32_t>(s.width / 8, 8);
    const auto at = place_of(p, lane, bytes * s.in->modifiers.vector);
    Taint operands;
    for (const PoisonSource& source : s.sources) {
        const Taint t = source.cell.bits != 0 ? read_taint(p, source.cell, lane) : Taint{};
        if (t.bits != 0) operands = {~uint64_t{0}, t.birth};
    }
    if (!at) {
        for (const PoisonCell& cell : s.results) write_taint(p, cell, lane, {});
        return;
    }
    const bool exchanges = s.in->modifiers.atom_op == ptx::AtomOp::exch;
    for (uint32_t k = 0; k < s.in->modifiers.vector; ++k) {
        const bool used = !s.results.empty();
        Taint old = exchanges && !used ? Taint{} : read_bytes(p, *at, k * bytes, bytes);
        if (old.bits != 0) old.bits = ~uint64_t{0};
        if (k < s.results.size()) write_taint(p, s.results[k], lane, old);
        const Taint after = operands.bits != 0 || exchanges ? operands : old;
        if (after.bits != 0 && at->place.space == Space::global) leaves(p, after.birth, *at);
        write_bytes(p, *at, k * bytes, bytes, after);
    }
}

bool is_clean(const TaintedBytes& t, uint64_t at, uint32_t bytes) {
    const auto first = t.bits.begin() + static_cast<std::ptrdiff_t>(at);
    return std::all_of(first, first + bytes, [](uint8_t bits) { return bits == 0; });
}

// A lane's value of an operand of up to 32 bits.
uint32_t value_of(Warp& w, const PoisonSource& s, int lane) {
    if (s.cell.bits == 0) return static_cast<uint32_t>(s.value);
    if (s.cell.bits == 1) return (predicate(w, s.cell.slot) >> lane & 1) ^ (s.negated ? 1u : 0u);
    return cells<uint32_t>(w, s.cell.slot)[lane];
}

// Of `size` bytes, how many come from the source; the others become zero.
uint32_t bytes_read(const Poison& p, int lane, uint32_t size) {
    if (!p.step->fill) return size;
    const uint32_t value = value_of(*p.warp, *p.step->fill, lane);
    if (p.step->fill->cell.bits == 1) return value != 0 ? 0 : size;
    return std::min(value, size);
}

void copy_async(Poison& p, int lane) {
    Warp& w = *p.warp;
    const MemorySite* sites = p.step->sites;
    if (sites == nullptr) return;
    const uint64_t to_address = address_of(w, sites[0], lane), from_address = address_of(w, sites[1], lane);
    const uint32_t bytes = value_of(w, p.step->size, lane), taken = bytes_read(p, lane, bytes);
    const auto to = locate(w, {sites[0].space, lane, to_address, bytes, true});
    if (!to) return;
    const auto from =
        taken != 0 ? locate(w, {sites[1].space, lane, from_address, taken, false}) : std::optional<Place>();
    const bool poisoned =
        from && !is_clean(*bytes_of(p, *from, lane, from->offset + taken), from->offset, taken);
    for (uint32_t k = 0; poisoned && k < taken; ++k)
        write_bytes(p, {*to, lane, to_address}, k, 1, read_bytes(p, {*from, lane, from_address}, k, 1));
    TaintedBytes& there = *bytes_of(p, *to, lane, to->offset + bytes);
    const uint32_t copied = poisoned ? taken : 0;
    std::fill_n(there.bits.data() + to->offset + copied, bytes - copied, uint8_t{0});
}

}  // namespace

namespace {

void follow_each_lane(Poison& p) {
    if (p.step->way == Way::load && load_together(p)) return;
    if (p.step->way == Way::store && store_together(p)) return;
    for (uint32_t rest = p.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        switch (p.step->way) {
            case Way::load: load(p, lane); break;
            case Way::store: store(p, lane); break;
            case Way::atomic: atomic(p, lane); break;
            default: copy_async(p, lane); break;
        }
    }
}

}  // namespace

void follow_memory(Poison& p) {
    if (p.lanes == 0) return;
    follow_each_lane(p);
    if (p.reads == nullptr || p.step->way != Way::load) return;
    for (uint32_t rest = p.lanes; rest != 0; rest &= rest - 1) poison_racing_read(p, first_lane(rest));
}

}  // namespace wl::emulator
