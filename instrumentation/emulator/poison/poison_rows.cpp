// Poison of all lanes of a register at once.
#include "instrumentation/emulator/poison/poison_state.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

size_t at(int lane) { return static_cast<size_t>(lane); }

// As they are kept, whether or not an instruction has read them before.
void take(const Poison& p, PoisonCell cell, PoisonRow& row) {
    const TaintedRegisters& r = *p.registers;
    const size_t first = cell.slot / 4;
    row.bits.fill(0);
    if (cell.bits == 0 || first >= r.bits.size()) return;  // an immediate, a constant
    const uint32_t* bits = r.bits.data() + first;
    const uint32_t* birth = r.birth.data() + first;
    if (cell.bits == 1) {
        const uint32_t mask = *bits;
        WL_FOR_LANES row.bits[at(lane)] = mask >> lane & 1;
        row.birth.fill(*birth);
    } else if (cell.bits == 64) {
        std::memcpy(row.bits.data(), bits, sizeof row.bits);
        WL_FOR_LANES row.birth[at(lane)] = birth[2 * lane + (bits[2 * lane] != 0 ? 0 : 1)];
    } else {
        const auto ones_of_cell = static_cast<uint32_t>(ones(cell.bits));
        WL_FOR_LANES row.bits[at(lane)] = bits[lane] & ones_of_cell;
        std::memcpy(row.birth.data(), birth, sizeof row.birth);
    }
}

uint32_t unread_lanes(const PoisonRow& row) {
    return mask_of([&](int lane) { return row.bits[at(lane)] != 0 && row.birth[at(lane)] == kUnread; });
}

void take_values(Poison& p, const PoisonSource& s, PoisonRow& row) {
    if (s.cell.bits == 0) {
        row.values.fill(s.value);
    } else if (s.cell.bits == 1) {
        const uint32_t mask = predicate(*p.warp, s.cell.slot) ^ (s.negated ? kAllLanes : 0);
        WL_FOR_LANES row.values[at(lane)] = mask >> lane & 1;
    } else if (s.cell.bits == 64) {
        std::memcpy(row.values.data(), cells<uint64_t>(*p.warp, s.cell.slot), sizeof row.values);
    } else {
        const uint32_t* from = cells<uint32_t>(*p.warp, s.cell.slot);
        WL_FOR_LANES row.values[at(lane)] = from[lane];
    }
}

}  // namespace

void read_rows(Poison& p, std::span<const PoisonCell> cells_read, uint32_t lanes) {
    if (p.rows.size() < cells_read.size()) p.rows.resize(cells_read.size());
    uint32_t unread = 0;
    for (size_t k = 0; k < cells_read.size(); ++k) {
        take(p, cells_read[k], p.rows[k]);
        unread |= unread_lanes(p.rows[k]);
    }
    for (uint32_t rest = unread & lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        for (size_t k = 0; k < cells_read.size(); ++k) {
            PoisonRow& row = p.rows[k];
            if (row.bits[at(lane)] == 0 || row.birth[at(lane)] != kUnread) continue;
            const Taint t = read_taint(p, cells_read[k], lane);
            row.bits[at(lane)] = t.bits;
            row.birth[at(lane)] = t.birth;
        }
    }
}

void read_sources(Poison& p) {
    const PoisonStep& s = *p.step;
    read_rows(p, s.source_cells, p.lanes);
    if (!uses_values(s.way)) return;
    for (size_t k = 0; k < s.sources.size(); ++k) take_values(p, s.sources[k], p.rows[k]);
}

void write_row(Poison& p, PoisonCell cell, uint32_t lanes, const PoisonRow& row) {
    TaintedRegisters& r = *p.registers;
    const size_t first = cell.slot / 4;
    if (cell.bits == 0 || first >= r.bits.size()) return;
    uint32_t* bits = r.bits.data() + first;
    uint32_t* birth = r.birth.data() + first;
    if (cell.bits == 1) {
        const uint32_t tainted = lanes & mask_of([&](int lane) { return (row.bits[at(lane)] & 1) != 0; });
        *bits = (*bits & ~lanes) | tainted;
        if (tainted != 0) *birth = row.birth[at(31 - std::countl_zero(tainted))];
        return;
    }
    const auto low = static_cast<uint32_t>(ones(std::min<unsigned>(cell.bits, 32)));
    if (cell.bits == 64) {
        WL_FOR_LANES {
            const bool writes = has_lane(lanes, lane);
            const auto value = row.bits[at(lane)];
            bits[2 * lane] = writes ? static_cast<uint32_t>(value) : bits[2 * lane];
            bits[2 * lane + 1] = writes ? static_cast<uint32_t>(value >> 32) : bits[2 * lane + 1];
            birth[2 * lane] = writes ? row.birth[at(lane)] : birth[2 * lane];
            birth[2 * lane + 1] = writes ? row.birth[at(lane)] : birth[2 * lane + 1];
        }
        return;
    }
    WL_FOR_LANES {
        const bool writes = has_lane(lanes, lane);
        bits[lane] = writes ? static_cast<uint32_t>(row.bits[at(lane)]) & low : bits[lane];
        birth[lane] = writes ? row.birth[at(lane)] : birth[lane];
    }
}

}  // namespace wl::emulator
