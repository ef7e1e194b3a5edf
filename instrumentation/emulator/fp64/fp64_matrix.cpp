// Floating point values through matrix instructions: fragments, rows of 8x8 matrices, products.
#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/fp64/fp64_state.h"

#include <algorithm>
#include <cmath>

namespace wl::emulator {
namespace {

std::optional<DType> format_of(const MatrixFragment& m) {
    switch (m.type) {
        case ptx::Type::f16: return DType::f16;
        case ptx::Type::bf16: return DType::bf16;
        case ptx::Type::tf32: return DType::tf32;
        case ptx::Type::f32: return DType::f32;
        case ptx::Type::f64: return DType::f64;
        default: return {};
    }
}

uint32_t at_element(const MatrixFragment& m, size_t element, int lane) {
    const PoisonCell cell{0, static_cast<uint8_t>(m.bits == 64 ? 64 : 32)};
    const size_t of_cell = cell.bits / static_cast<size_t>(m.bits);
    return m.slots[element / of_cell] + at_lane(cell, lane) +
        static_cast<uint32_t>(element % of_cell * static_cast<size_t>(m.bits) / 8);
}

// Elements by their place in the matrix; empty: of no floating point, or several matrices.
std::vector<WideOperand> gathered(const Fp64& f, const MatrixFragment& m, size_t places) {
    const auto format = format_of(m);
    std::vector<WideOperand> out;
    if (!format) return out;
    out.resize(places);
    for (size_t e = 0; e < m.index.size() / kLanes; ++e)
        for (int lane = 0; lane < kLanes; ++lane) {
            const size_t place = m.index[e * kLanes + static_cast<size_t>(lane)];
            if (place >= places) return {};
            out[place] = read_register(f, at_element(m, e, lane), *format);
        }
    return out;
}

struct Factors {
    const MatrixProduct& m;
    std::vector<WideOperand> a, b, c;
};

// The sum of one element, and the operand that most of its difference comes in with.
Coming sum_of(const Factors& x, size_t row, size_t column) {
    const auto stored = static_cast<size_t>(x.m.stored), columns = static_cast<size_t>(x.m.columns);
    const WideOperand& addend = x.c[row * columns + column];
    Coming out;
    out.ideal = addend.actual, out.wide.value = addend.wide.value;
    std::array<WideOperand, 2> operands{addend, {}};
    std::array<double, 2> parts{std::fabs(addend.actual - addend.wide.value), 0};
    for (size_t k = 0; k < stored; ++k) {
        const WideOperand& a = x.a[row * stored + k];
        const WideOperand& b = x.b[x.m.row_of[row * stored + k] * columns + column];
        out.ideal += a.actual * b.actual;
        const double wide = a.wide.value * b.wide.value;
        out.wide.value += wide;
        const double part = std::fabs(a.actual * b.actual - wide);
        if (!(part > parts[1])) continue;
        const bool by_a =
            relative_difference(a.actual, a.wide.value) >= relative_difference(b.actual, b.wide.value);
        parts[1] = part, operands[1] = by_a ? a : b;
    }
    take_dominant(out, operands.data(), parts.data(), 2);
    return out;
}

void move_fragment(Fp64& f, int lane) {
    const MatrixMove& m = plan_of(*f.warp, f.at).move;
    const PoisonCell cell{0, static_cast<uint8_t>(m.wide_registers ? 64 : 32)};
    const uint32_t bytes = cell.bits / 8u;
    const auto unit_of = [&](size_t reg, uint32_t byte) -> Wide& {
        return (*f.registers)[(m.slots[reg] + at_lane(cell, lane) + byte) / kUnit];
    };
    for (const MatrixPiece& piece : m.pieces) {
        const auto place = locate(
            *f.warp, {m.space, lane, piece_address(*f.warp, f.at, m, piece, lane), m.piece_bytes, false}
        );
        if (!place) continue;
        const uint64_t key = key_of(f, *place, lane);
        for (uint32_t k = 0; k < m.piece_bytes; k += kUnit) {
            const uint32_t at = piece.element_byte + k;
            if (f.kind.way == Fp64Way::store_fragment) {
                unit_at(f, key + k) = unit_of(at / bytes, at % bytes);
                continue;
            }
            for (size_t reg = at / bytes; reg < m.slots.size(); reg += static_cast<size_t>(m.distinct))
                unit_of(reg, at % bytes) = unit_at(f, key + k);
        }
    }
}

// Row r of matrix q lies where lane 8q + r points.
std::optional<uint64_t> row_of(const Fp64& f, const MatrixMove& m, int row) {
    const uint64_t address = row_address(*f.warp, f.at, m, row);
    const auto place = locate(*f.warp, {ptx::Space::shared, row, address, 16, false});
    if (!place) return {};
    return key_of(f, *place, row);
}

void move_rows(Fp64& f) {
    const MatrixMove& m = plan_of(*f.warp, f.at).move;
    std::array<std::optional<uint64_t>, kLanes> rows;
    for (size_t row = 0; row < 8 * m.slots.size(); ++row) rows.at(row) = row_of(f, m, static_cast<int>(row));
    for (int lane = 0; lane < kLanes; ++lane)
        for (size_t k = 0; k < 2 * m.slots.size(); ++k) {
            const size_t index = m.index[k * kLanes + static_cast<size_t>(lane)];
            const auto& row = rows.at(index / 8);
            if (!row) continue;
            Wide& in_memory = unit_at(f, *row + 2 * (index % 8));
            Wide& in_register =
                (*f.registers)[(m.slots[k / 2] + 4 * static_cast<uint32_t>(lane)) / kUnit + k % 2];
            if (f.kind.way == Fp64Way::load_rows)
                in_register = in_memory;
            else
                in_memory = in_register;
        }
}

}  // namespace

void follow_product(Fp64& f) {
    const MatrixProduct& m = plan_of(*f.warp, f.at).product;
    const auto rows = static_cast<size_t>(m.rows), columns = static_cast<size_t>(m.columns),
               stored = static_cast<size_t>(m.stored), depth = static_cast<size_t>(m.depth);
    const auto format = format_of(m.d);
    if (!format) return;
    const Factors x{
        m,
        gathered(f, m.a, rows * stored),
        gathered(f, m.b, depth * columns),
        gathered(f, m.c, rows * columns)};
    if (x.a.empty() || x.b.empty() || x.c.empty() || m.row_of.empty()) {
        f.not_followed.insert(f.step->in->mnemonic);
        return;
    }
    for (size_t e = 0; e < m.d.index.size() / kLanes; ++e)
        for (int lane = 0; lane < kLanes; ++lane) {
            const size_t place = m.d.index[e * kLanes + static_cast<size_t>(lane)];
            if (place >= rows * columns) return;
            Coming out = sum_of(x, place / columns, place % columns);
            out.at = at_element(m.d, e, lane), out.wide.format = *format;
            f.coming.push_back(out);
        }
}

void move_matrix(Fp64& f) {
    if (f.kind.way == Fp64Way::load_rows || f.kind.way == Fp64Way::store_rows) return move_rows(f);
    for (int lane = 0; lane < kLanes; ++lane) move_fragment(f, lane);
}

}  // namespace wl::emulator
