// Which lane of a warp holds which element of a matrix in which bits of which register: the fragments of
// wmma, mma, mma.sp, ldmatrix, stmatrix and movmatrix. From PTX ISA 9.0, 9.7.14.4 to 9.7.14.6; what the ISA
// leaves open (wmma) as measured on an H200 (tests/golden/fragments_sm90.jsonl).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace wl {

enum class MatrixInstruction : uint8_t { wmma, mma, mma_sparse };
enum class MatrixOperand : uint8_t { a, b, c };  // a: (m, k), b: (k, n), c and d: (m, n)

struct MatrixShape {
    int m = 0, n = 0, k = 0;
    friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};
std::optional<MatrixShape> matrix_shape_from_name(std::string_view name);  // "m16n8k16"

// One operand of a matrix product.
struct FragmentForm {
    MatrixInstruction instruction = MatrixInstruction::mma;
    MatrixOperand operand = MatrixOperand::a;
    MatrixShape shape;
    int bits = 16;          // of an element: 1, 4, 8, 16, 32 or 64
    bool column = false;    // .col; only mma.m8n8k4 of 16-bit elements lies differently then
    bool repeated = false;  // wmma's f16 a and b: 16 elements a lane, the matrix as often as it fits
};

struct FragmentPlace {
    int16_t row = 0, column = 0;
    int16_t matrix = 0;  // of several: the quad pair of m8n8k4, the matrix of ldmatrix
    friend bool operator==(const FragmentPlace&, const FragmentPlace&) = default;
};

struct FragmentLayout {
    int matrices = 1, rows = 0, columns = 0;  // a sparse a: as stored, (m, k / 2)
    int bits = 16;
    int elements = 0;  // a lane holds, from the lowest bits of its first register up
    int distinct = 0;  // the first of them hold all that the lane has; the rest repeats them
    int registers = 0;
    int register_bits = 32;
    std::vector<FragmentPlace> places;  // (32 lanes, elements)

    const FragmentPlace& at(int lane, int element) const {
        return places
            [static_cast<size_t>(lane) * static_cast<size_t>(elements) + static_cast<size_t>(element)];
    }
};

// The form must be one of the table of opcodes (ptx/forms_matrix.cpp).
FragmentLayout fragment_layout(const FragmentForm& form);

// 8x8 matrices of 16-bit elements: ldmatrix, stmatrix, movmatrix.
FragmentLayout matrix_move_layout(int matrices, bool transposed);

// mma.sp: a row of a is stored as groups, each half as long as in the matrix; four bits of metadata a group
// say which elements (4-bit formats: pairs of elements) are stored: two positions of two bits, the lower
// first. tf32: one of two, as 0b0100 or 0b1110.
int sparse_group_elements(int bits);  // of the matrix: 2 (tf32), 4, 8 (4-bit formats)
struct MetadataPlace {
    int lane = 0, bit = 0;
};
MetadataPlace metadata_place(const FragmentForm& a, int selector, int row, int group);

}  // namespace wl
