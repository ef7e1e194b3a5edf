// The fragments as formulas: a warp is eight groups of four lanes; a group has a row of a and c and a column
// of b, its lanes share the row's elements by whole registers.
#include "instrumentation/base/fragment_layout.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <utility>

namespace wl {
namespace {

using Places = std::vector<FragmentPlace>;  // of one lane
constexpr int kLanes = 32;

FragmentPlace place(int row, int column, int matrix = 0) {
    return {static_cast<int16_t>(row), static_cast<int16_t>(column), static_cast<int16_t>(matrix)};
}

int elements_a_register(int bits) { return std::max(1, 32 / bits); }

// 9.7.14.5.1 and following: blocks of four registers' width along k; within one, rows eight apart.
void append_a(Places& places, int lane, const MatrixShape& block, int bits) {
    const int per = elements_a_register(bits), group = lane / 4, thread = lane % 4;
    for (int first = 0; first < block.k; first += 4 * per)
        for (int row = group; row < block.m; row += 8)
            for (int i = 0; i < per; ++i) places.push_back(place(row, first + thread * per + i));
}
void append_b(Places& places, int lane, const MatrixShape& block, int bits) {
    const int per = elements_a_register(bits), group = lane / 4, thread = lane % 4;
    for (int first = 0; first < block.k; first += 4 * per)
        for (int i = 0; i < per; ++i) places.push_back(place(first + thread * per + i, group));
}
void append_c(Places& places, int lane, const MatrixShape& block) {
    const int group = lane / 4, thread = lane % 4;
    for (int row = group; row < block.m; row += 8)
        for (int i = 0; i < 2; ++i) places.push_back(place(row, 2 * thread + i));
}

Places mma_places(const FragmentForm& f, int lane) {
    Places places;
    MatrixShape shape = f.shape;
    if (f.instruction == MatrixInstruction::mma_sparse && f.operand == MatrixOperand::a) shape.k /= 2;
    switch (f.operand) {
        case MatrixOperand::a: append_a(places, lane, shape, f.bits); break;
        case MatrixOperand::b: append_b(places, lane, shape, f.bits); break;
        case MatrixOperand::c: append_c(places, lane, shape); break;
    }
    return places;
}

void transpose(Places& places) {
    for (FragmentPlace& p : places) std::swap(p.row, p.column);
}

// Measured: a wmma fragment is that of mma.m16n8 block after block; m8n32 is the transposed product of m32n8.
Places wmma_places(const FragmentForm& f, int lane) {
    if (f.shape.n > f.shape.m) {
        FragmentForm other = f;
        std::swap(other.shape.m, other.shape.n);
        if (f.operand != MatrixOperand::c)
            other.operand = f.operand == MatrixOperand::a ? MatrixOperand::b : MatrixOperand::a;
        Places places = wmma_places(other, lane);
        transpose(places);
        return places;
    }
    Places places;
    FragmentForm block = f;
    block.instruction = MatrixInstruction::mma;
    block.shape.m = std::min(f.shape.m, 16);
    block.shape.n = 8;
    const int rows = f.operand == MatrixOperand::b ? 1 : f.shape.m / block.shape.m;
    const int columns = f.operand == MatrixOperand::a ? 1 : f.shape.n / block.shape.n;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            for (const FragmentPlace& p : mma_places(block, lane))
                places.push_back(place(p.row + row * block.shape.m, p.column + column * block.shape.n));
    return places;
}

// 9.7.14.5.1: four products, each of the eight lanes of a quad pair: 4q..4q+3 and 16 more.
bool is_quad_pair(const FragmentForm& f) {
    return f.instruction == MatrixInstruction::mma && f.shape == MatrixShape{8, 8, 4} && f.bits != 64;
}
Places quad_pair_places(const FragmentForm& f, int lane) {
    Places places;
    const int quad = lane % 16 / 4, high = lane < 16 ? 0 : 4;
    const int outer = lane % 4 + high;  // the row of a or column of b that a lane holds whole
    switch (f.operand) {
        case MatrixOperand::a:
            for (int i = 0; i < 4; ++i)
                places.push_back(f.column ? place(i + high, lane % 4, quad) : place(outer, i, quad));
            break;
        case MatrixOperand::b:
            for (int i = 0; i < 4; ++i)
                places.push_back(f.column ? place(i, outer, quad) : place(lane % 4, i + high, quad));
            break;
        case MatrixOperand::c:
            for (int i = 0; i < 8; ++i)
                places.push_back(
                    f.bits == 16 ? place(outer, i, quad)
                                 : place((lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1), quad)
                );
            break;
    }
    return places;
}

void set_extents(FragmentLayout& layout, const FragmentForm& f) {
    const bool sparse = f.instruction == MatrixInstruction::mma_sparse;
    switch (f.operand) {
        case MatrixOperand::a:
            layout.rows = f.shape.m;
            layout.columns = sparse ? f.shape.k / 2 : f.shape.k;
            break;
        case MatrixOperand::b:
            layout.rows = f.shape.k;
            layout.columns = f.shape.n;
            break;
        case MatrixOperand::c:
            layout.rows = f.shape.m;
            layout.columns = f.shape.n;
            break;
    }
}

void finish(FragmentLayout& layout, int distinct) {
    layout.distinct = distinct;
    layout.elements = static_cast<int>(layout.places.size()) / kLanes;
    layout.register_bits = layout.bits == 64 ? 64 : 32;
    layout.registers = layout.elements * layout.bits / layout.register_bits;
    assert(layout.registers > 0);
}

}  // namespace

std::optional<MatrixShape> matrix_shape_from_name(std::string_view name) {
    MatrixShape shape;
    const char* at = name.data();
    const char* const end = at + name.size();
    for (const auto& [letter, extent] : {
             std::pair('m', &shape.m), {'n', &shape.n},
               {'k', &shape.k}
    }) {
        if (at == end || *at != letter) return {};
        const auto [rest, error] = std::from_chars(at + 1, end, *extent);
        if (error != std::errc{}) return {};
        at = rest;
    }
    return at == end ? std::optional(shape) : std::nullopt;
}

FragmentLayout fragment_layout(const FragmentForm& form) {
    FragmentLayout layout;
    layout.bits = form.bits;
    set_extents(layout, form);
    const bool quad_pair = is_quad_pair(form);
    if (quad_pair) layout.matrices = 4;
    int distinct = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        Places places = form.instruction == MatrixInstruction::wmma ? wmma_places(form, lane)
            : quad_pair                                             ? quad_pair_places(form, lane)
                                                                    : mma_places(form, lane);
        distinct = static_cast<int>(places.size());
        const size_t count = form.repeated ? 16 : places.size();
        for (size_t i = 0; i < count; ++i) layout.places.push_back(places[i % places.size()]);
    }
    finish(layout, distinct);
    return layout;
}

FragmentLayout matrix_move_layout(int matrices, bool transposed) {
    FragmentLayout layout;
    layout.matrices = matrices;
    layout.rows = layout.columns = 8;
    for (int lane = 0; lane < kLanes; ++lane)
        for (int matrix = 0; matrix < matrices; ++matrix)
            for (int i = 0; i < 2; ++i) {
                const int row = lane / 4, column = lane % 4 * 2 + i;
                layout.places.push_back(transposed ? place(column, row, matrix) : place(row, column, matrix));
            }
    finish(layout, 2 * matrices);
    return layout;
}

int sparse_group_elements(int bits) { return bits == 32 ? 2 : bits == 4 ? 8 : 4; }

// 9.7.14.6.1: 16 rows of 16, 32 or 64 bits lie in one, two or all four lanes of each group of lanes; the
// selector chooses the lane or the pair. Elements of 16 and more bits: a lane has 16 bits of two rows;
// smaller ones: 32 bits of one row.
MetadataPlace metadata_place(const FragmentForm& a, int selector, int row, int group) {
    const int bits_a_row = 4 * a.shape.k / sparse_group_elements(a.bits);
    const int lanes = bits_a_row / 16, bit = 4 * group, first = row % 8 * 4 + selector * lanes;
    if (a.bits >= 16) return {first + bit / 16, bit % 16 + (row < 8 ? 0 : 16)};
    return {first + bit / 32 * 2 + row / 8, bit % 32};
}

}  // namespace wl
