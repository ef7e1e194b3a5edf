// Models ldmatrix, stmatrix and movmatrix of 8x8 matrices of 16-bit elements: PTX ISA 9.7.14.5.15
// to 9.7.14.5.17. Not modelled: the packed 4-, 6- and 8-bit forms of sm_100.
#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/observe/hooks.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

using ptx::Space;

constexpr size_t kRows = 8;
constexpr uint32_t kRowBytes = 16;
constexpr size_t kMostRows = 4 * kRows;

// Offsets of the rows in shared memory: row r of matrix q is where lane 8q + r points. Faulty rows are noted.
struct Rows {
    std::array<uint32_t, kMostRows> at{};
    uint32_t valid = 0;
};
Rows find_rows(Warp& w, const Instr* i, const MatrixMove& m, bool write) {
    Rows rows;
    const auto count = static_cast<int>(m.slots.size() * kRows);
    if (m.space == Space::shared && w.mask == kAllLanes) {
        SharedAddresses all;
        shared_addresses(w, i, m.wide_base, all);
        if (all_valid(w, all, kRowBytes)) [[likely]] {
            std::copy_n(all.at, count, rows.at.begin());
            rows.valid = count == kLanes ? kAllLanes : (1u << count) - 1;
            return rows;
        }
    }
    for (int row = 0; row < count; ++row) {
        if (!has_lane(w.mask, row)) continue;
        const auto place = resolve(w, i, {Space::shared, row, row_address(w, i, m, row), kRowBytes, write});
        if (!place) continue;
        rows.at[static_cast<size_t>(row)] = static_cast<uint32_t>(place->offset);
        rows.valid |= 1u << row;
    }
    return rows;
}

void observe_rows(Warp& w, const Instr* i, const Rows& rows) {
    for (uint32_t rest = rows.valid; rest != 0; rest &= rest - 1) {
        RowsAccess access;
        access.warp = w.index;
        access.site = i->site;
        access.mask = w.mask;
        access.offset = rows.at[static_cast<size_t>(first_lane(rest))];
        access.bytes = kRowBytes;
        access.memory = w.shared;
        read_rows(w.block->shadow, access);
    }
}

// Each lane writes two elements of each matrix: side by side, or one below the other.
// observe(touch, values) for each of its parts.
template <class Observe>
void each_write(Warp& w, const MatrixMove& m, const Rows& rows, Observe observe) {
    const uint32_t parts = m.transposed ? 2 : 1, bytes = 4 / parts;
    for (size_t matrix = 0; matrix < m.slots.size(); ++matrix)
        for (uint32_t part = 0; part < parts; ++part) {
            const uint16_t* index = &m.index[(2 * matrix + part) * kLanes];
            alignas(64) uint32_t at[kLanes] = {};
            uint32_t mask = 0;
            for (int lane = 0; lane < kLanes; ++lane) {
                const size_t row = index[lane] / kRows;
                if (!has_lane(rows.valid, static_cast<int>(row)) || !has_lane(w.mask, lane)) continue;
                at[lane] = rows.at[row] + 2 * static_cast<uint32_t>(index[lane] % kRows);
                mask |= 1u << lane;
            }
            Values values;
            values.values[0] = w.registers + m.slots[matrix] + 2 * part;
            if (mask != 0) observe({Touching::write, mask, bytes, at}, values);
        }
}

}  // namespace

const Instr* load_matrices(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixMove& m = plan_of(w, i).move;
    const Rows rows = find_rows(w, i, m, false);
    std::array<uint16_t, kMostRows * kRows> elements;
    elements.fill(0xffff);
    for (uint32_t rest = rows.valid; rest != 0; rest &= rest - 1) {
        const auto row = static_cast<size_t>(first_lane(rest));
        std::memcpy(&elements[row * kRows], w.shared + rows.at[row], kRowBytes);
    }
    for (size_t matrix = 0; matrix < m.slots.size(); ++matrix) {
        const uint16_t* low = &m.index[2 * matrix * kLanes];
        const uint16_t* high = low + kLanes;
        write_lanes<uint32_t>(w, m.slots[matrix], [&](int lane) {
            return elements[low[lane]] | uint32_t{elements[high[lane]]} << 16;
        });
    }
    if (w.block->now.variant != kPlain) observe_rows(w, i, rows);
    return i + 1;
}

const Instr* store_matrices(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixMove& m = plan_of(w, i).move;
    const Rows rows = find_rows(w, i, m, true);
    if (w.block->now.variant != kPlain)
        each_write(w, m, rows, [&](const SharedTouch& t, const Values& v) { observe_shared(w, i, t, v); });
    for (size_t matrix = 0; matrix < m.slots.size(); ++matrix) {
        const uint32_t* in = cells<uint32_t>(w, m.slots[matrix]);
        for (size_t part = 0; part < 2; ++part) {
            const uint16_t* index = &m.index[(2 * matrix + part) * kLanes];
            for (int lane = 0; lane < kLanes; ++lane) {
                const size_t row = index[lane] / kRows;
                if (!has_lane(rows.valid, static_cast<int>(row)) || !has_lane(w.mask, lane)) continue;
                const auto element = static_cast<uint16_t>(in[lane] >> (16 * part));
                std::memcpy(w.shared + rows.at[row] + 2 * (index[lane] % kRows), &element, 2);
            }
        }
    }
    if (w.block->recorder != nullptr)
        each_write(w, m, rows, [&](const SharedTouch& t, const Values&) { after_store(w, i, t); });
    return i + 1;
}

// r = {d, a}; the index is that of the transposed fragment.
const Instr* transpose_matrix(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixMove& m = plan_of(w, i).move;
    const uint32_t* in = cells<uint32_t>(w, i->r[1]);
    std::array<uint16_t, kRows * kRows> elements;
    for (int lane = 0; lane < kLanes; ++lane)
        std::memcpy(&elements[2 * static_cast<size_t>(lane)], &in[lane], 4);
    const uint16_t* low = m.index.data();
    const uint16_t* high = low + kLanes;
    write_lanes<uint32_t>(w, i->r[0], [&](int lane) {
        return elements[low[lane]] | uint32_t{elements[high[lane]]} << 16;
    });
    return i + 1;
}

}  // namespace wl::emulator
