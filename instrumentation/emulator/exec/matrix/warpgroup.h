// What wgmma reads of shared memory: matrices that a descriptor names (PTX ISA 9.0, 9.7.15.5.1), and what is
// in flight of it until a wait has been passed. Four warps make one product, each its own 16 rows: a warp's
// part needs none of the others.
#pragma once

#include "instrumentation/emulator/exec/matrix/matrix.h"

#include <vector>

namespace wl::emulator {

constexpr uint32_t kPieceBytes = 16;
constexpr uint32_t kDepthBytes = 32;  // of a row of a, of a column of b, whatever the type

// Pieces of 16 bytes lie in blocks of eight lines; the swizzle exchanges pieces by the bits of their
// addresses.
struct MatrixDescriptor {
    uint32_t start = 0;                // offset in the block's window
    uint32_t leading = 0, stride = 0;  // bytes
    uint32_t base = 0;                 // lines of 128 bytes by which the pattern of the swizzle is shifted
    uint32_t pieces = 1;               // of a line, side by side: 1, or by the swizzle 2, 4, 8
};
MatrixDescriptor descriptor_of(uint64_t bits);

// Where piece `piece` of line `line` lies. Along k a line is a row of a or a column of b ("K-major"), else
// one k.
uint32_t piece_offset(const MatrixDescriptor& m, bool along_k, uint32_t line, uint32_t piece);

struct WarpgroupReads {
    Warp& warp;
    const Instr* instr;
    std::vector<uint32_t> pieces{};  // offsets, with the checks on
};

// Rows of a, columns of b.
struct MatrixLines {
    bool along_k = true;
    uint32_t first = 0, count = 0;  // multiples of 8
};
// out: (count, kDepthBytes)
void read_lines(WarpgroupReads& r, const MatrixDescriptor& m, const MatrixLines& lines, std::byte* out);

// The product is in flight from here on.
void begin_product(WarpgroupReads& r);

// In place of an instruction that touches registers of products.
const Instr* look_for_flight(Warp& w, const Instr* i);

const Instr* meet_for_products(Warp& w, const Instr* i);
const Instr* commit_products(Warp& w, const Instr* i);
const Instr* wait_for_products(Warp& w, const Instr* i);

}  // namespace wl::emulator
