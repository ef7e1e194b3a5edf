// Which elements of an operand a product really takes: read off the tile once the inputs are coordinates.
#pragma once

#include "instrumentation/diagnosis/rules/product_fit.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace wl::diagnosis {

// The element of the operand's array that is taken; row -1: none, a zero such as padding.
struct Taken {
    int64_t row = -1, col = -1;
    friend bool operator==(const Taken&, const Taken&) = default;
};

// For each element of ProductOperand::stored, what stands in its place. None where the tile does not follow
// from one element each (sums of several, other matrices of the array), or where it is no tile in memory.
//
// How: the other operand becomes one-hot, a different column in every row, so that each element of the tile
// is factor x one element of this one, whose value says where it lies. Exact for whatever the kernel computes
// in between, as long as the tile is linear in either operand.
std::optional<Matrix<Taken>> map_operand(const Symptoms& s, const ProductFit& product, bool left);

// The first bad tile as the kernel makes it once device memory is changed before the launch; empty when it
// does not come to that.
std::vector<double> bad_tile_with(
    const Symptoms& s, const std::function<void(emulator::GlobalMemory&)>& change
);

// Positions that fit the map: an element of `stored` at (r, c) is taken from memory at a start +
// in_row (r % 16) + row_block (r / 16) + in_col (c % 16) + col_block (c / 16), in elements, where rows lie
// `pitch` apart. None where no pitch up to 64 elements of padding makes it so.
struct Positions {
    int64_t pitch = 0;
    int64_t in_row = 0, row_block = 0, in_col = 0, col_block = 0;
};
constexpr int kFragment = 16;  // rows and columns of a wmma fragment; a plain index has blocks 16 steps long
std::optional<Positions> fit_positions(const Matrix<Taken>& map);

}  // namespace wl::diagnosis
