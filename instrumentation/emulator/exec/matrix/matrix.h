// What a matrix instruction does, worked out once when it is lowered: registers, where their elements lie in
// the matrices, how the sums are grouped. Each lane's part of a fragment is that of base/fragment_layout.h.
#pragma once

#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/schedule.h"

#include <vector>

namespace wl::emulator {

struct MatrixFragment {
    ptx::Type type = ptx::Type::b32;
    int bits = 32;                // of an element
    std::vector<uint32_t> slots;  // registers that hold something distinct
    std::vector<uint16_t> index;  // (element, lane): its place in the matrix as the product takes it
};

// How the metadata of a sparse a say which row of b a stored factor meets:
// base + unit * (metadata of the lane >> shift & mask).
struct MetadataStep {
    uint8_t lane = 0, shift = 0, mask = 0, unit = 0;
    uint16_t base = 0;
};

struct MatrixProduct {
    MatrixFragment a, b, c, d;
    int rows = 0, columns = 0;  // of the result
    int stored = 0;             // factors in a row of a
    int depth = 0;              // rows of b
    int groups = 1;             // of factors, summed one after the other
    bool addend_last = false;   // c is added to the finished sum, not within it
    bool to_half = false;       // sums are rounded to f16
    bool saturate = false, bit_and = false;
    unsigned rounding = 0;               // of doubles, as in MXCSR
    std::vector<uint16_t> row_of;        // (rows, stored): the row of b; empty: sparse
    std::vector<MetadataStep> metadata;  // (rows, stored)
    uint32_t metadata_slot = 0;
};

// wmma.load, wmma.store: each lane moves pieces of consecutive bytes.
struct MatrixPiece {
    uint16_t element_byte = 0;  // of the fragment's registers, in order
    std::array<uint16_t, kLanes> line = {},
                                 byte = {};  // of the matrix: the stride's multiple, and within a line
};
struct MatrixMove {
    std::vector<uint32_t> slots;  // of every register
    int distinct = 0;             // registers; the others repeat them
    bool wide_registers = false;  // 8-byte cells
    uint32_t piece_bytes = 4;
    std::vector<MatrixPiece> pieces;
    std::vector<uint16_t> index;         // 8x8 matrices: (element, lane): matrix * 64 + row * 8 + column
    uint32_t lines = 0, line_bytes = 0;  // the matrix's rows (or columns), as they lie in memory
    uint32_t element_bits = 16;
    uint32_t stride_slot = 0;  // elements from line to line
    uint32_t align = 4;        // of every line; what an H200 needs
    ptx::Space space = ptx::Space::generic;
    bool wide_base = false;
    bool transposed = false;  // 8x8 matrices
};

// A warp's part of a wgmma.mma_async: 16 of the 64 rows of d, and of a. MatrixProduct has its registers: c is
// d, a's are empty where a lies in shared memory, results lie by blocks of eight columns, (block, row,
// column).
struct WarpgroupProduct {
    uint32_t a = 0, b = 0;  // slots of the descriptors
    uint32_t adds = 0;      // slot of the predicate scale-d: whether d is added
    bool a_in_registers = false;
    bool a_by_rows = false, b_by_columns = false;  // in memory along m, along n: "MN-major"
    bool negates = false;                          // a * b
    ptx::Type a_type = ptx::Type::f16, b_type = ptx::Type::f16;
};

struct MatrixPlan {
    MatrixProduct product;
    MatrixMove move;
    WarpgroupProduct warpgroup;
};
inline const MatrixPlan& plan_of(const Warp& w, const Instr* i) {
    return *w.block->context.program->matrix_plans[static_cast<size_t>(i->target)];
}

// Where a lane's piece of a fragment lies.
inline uint64_t piece_address(
    Warp& w, const Instr* i, const MatrixMove& m, const MatrixPiece& piece, int lane
) {
    const auto l = static_cast<size_t>(lane);
    const uint64_t stride = uint64_t{cells<uint32_t>(w, m.stride_slot)[lane]} * m.element_bits / 8;
    return address_of(w, i, m.wide_base, lane) + piece.line[l] * stride + piece.byte[l];
}
// Where a lane points for the row of an 8x8 matrix: an offset in the shared window.
inline uint64_t row_address(Warp& w, const Instr* i, const MatrixMove& m, int lane) {
    const uint64_t address = address_of(w, i, m.wide_base, lane);
    const bool generic = m.space == ptx::Space::generic && (address & kWindowMask) == kSharedBase;
    return generic ? address & ~kWindowMask : address;
}

// Tells the shadows that the whole warp executes a warp-wide instruction.
void take_in(Warp& w, const Instr* i);

// Matrix instructions are of the whole warp; false: the split waits for the other lanes.
inline bool whole_warp(Warp& w, const Instr* i) {
    if (w.mask != kAllLanes && !gather(w, i, kAllLanes)) return false;
    if (i->takes_in) take_in(w, i);
    return true;
}

// The row of b that each stored factor of a sparse a meets, (rows, stored).
inline void find_rows(Warp& w, const MatrixProduct& p, uint16_t* row_of) {
    const uint32_t* metadata = cells<uint32_t>(w, p.metadata_slot);
    for (size_t k = 0; k < p.metadata.size(); ++k) {
        const MetadataStep& step = p.metadata[k];
        const uint32_t position = metadata[step.lane] >> step.shift & step.mask;
        row_of[k] = static_cast<uint16_t>(step.base + step.unit * position);
    }
}

// Element `part` of every lane's register, as a float.
void widen(const uint32_t* in, ptx::Type type, int part, float* out);
// The elements of a fragment of floats, by their places in the matrix.
void unpack_floats(Warp& w, const MatrixFragment& f, float* matrix);
void pack_floats(Warp& w, const MatrixFragment& f, const float* matrix);
// Those of a fragment of 32-bit integers.
void unpack_integers(Warp& w, const MatrixFragment& f, int32_t* matrix);
void pack_integers(Warp& w, const MatrixFragment& f, const int32_t* matrix);
bool is_signed_element(ptx::Type t);

// r[0..3] and r[5] are free, offset is the address's displacement, r[4] its base, target the plan.
const Instr* multiply_floats(Warp& w, const Instr* i);
const Instr* multiply_quad_pairs(Warp& w, const Instr* i);
const Instr* multiply_doubles(Warp& w, const Instr* i);
const Instr* multiply_integers(Warp& w, const Instr* i);
const Instr* multiply_bits(Warp& w, const Instr* i);
const Instr* multiply_warpgroup_floats(Warp& w, const Instr* i);
const Instr* multiply_warpgroup_integers(Warp& w, const Instr* i);
const Instr* multiply_warpgroup_bits(Warp& w, const Instr* i);
const Instr* load_fragment(Warp& w, const Instr* i);
const Instr* store_fragment(Warp& w, const Instr* i);
const Instr* load_matrices(Warp& w, const Instr* i);
const Instr* store_matrices(Warp& w, const Instr* i);
const Instr* transpose_matrix(Warp& w, const Instr* i);

}  // namespace wl::emulator
