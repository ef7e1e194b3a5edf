// Poison through loads, stores, atomics and asynchronous copies. A copy's poison arrives when it is issued:
// who reads before the wait is an async_copy_wait incident anyway.
#include "instrumentation/emulator/poison/poison_state.h"

#include <algorithm>

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

// Elements of 16 bytes are two cells of 8.
uint32_t bytes_of_cell(const PoisonStep& s) { return std::min<uint32_t>(s.source_width / 8, 8); }

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

// Operands as exec_copy.cpp has them.
void copy_async(Poison& p, int lane) {
    Warp& w = *p.warp;
    const Instr& i = *p.at;
    const uint32_t bytes = static_cast<uint32_t>(i.target) & 0xff;
    const auto field = [&i](int bit) { return (i.target >> bit & 1) != 0; };
    uint32_t taken = field(9) ? std::min(cells<uint32_t>(w, i.r[1])[lane], bytes) : bytes;
    if (field(10) && has_lane(read_predicate(w, i.r[2]), lane)) taken = 0;
    const uint64_t to_address = address_of(w, p.at, field(8), lane);
    const uint64_t from_address =
        cells<uint64_t>(w, i.r[0])[lane] + static_cast<uint64_t>(static_cast<int32_t>(i.r[3]));
    const auto to = locate(w, {Space::shared, lane, to_address, bytes, true});
    if (!to) return;
    const auto from =
        taken != 0 ? locate(w, {Space::global, lane, from_address, taken, false}) : std::optional<Place>();
    for (uint32_t k = 0; k < bytes; ++k) {
        const Taint t = from && k < taken ? read_bytes(p, {*from, lane, from_address}, k, 1) : Taint{};
        write_bytes(p, {*to, lane, to_address}, k, 1, t);
    }
}

}  // namespace

void follow_memory(Poison& p) {
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

}  // namespace wl::emulator
