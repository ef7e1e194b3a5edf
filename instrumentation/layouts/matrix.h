// A matrix in memory as people write it: element type, rows, columns, and where each element lies.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/layouts/parse.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::layouts {

struct Matrix {
    DType dtype = DType::f16;
    int64_t rows = 0, columns = 0;
    Swizzled layout;      // of two modes; offsets in elements
    int64_t ld = 0;       // from line to line, of a matrix by rows or by columns; 0: any other
    bool column = false;  // ld goes from column to column
    uint32_t begin = 0;   // byte of element (0, 0) in the window
    bool places = false;  // the text said where it begins
};

// "f16 64x64", "f16 64x64:ld=72", "f16 64x64:ld=72:col", "f16 64x64:swizzle=3,3,3", or a type and a layout of
// two modes: "f16 Swizzle<3,3,3> o (64,64):(64,1)". "@9216 " before it: from that byte on. Throws Error.
Matrix parse_matrix(std::string_view text);
Matrix plain_matrix(DType dtype, int64_t rows, int64_t columns, int64_t ld, bool column);
std::string text_of(const Matrix& m);  // "64 x 64 f16, rows 72 apart"

inline int64_t bytes_of(const Matrix& m) { return static_cast<int64_t>(size_of(m.dtype)); }
inline uint32_t byte_of(const Matrix& m, int64_t row, int64_t column) {
    return m.begin + static_cast<uint32_t>(offset(m.layout, row, column) * bytes_of(m));
}
uint32_t end_of(const Matrix& m);  // behind its last byte

// row * columns + column of the element at each offset in elements; -1: padding.
std::vector<int32_t> elements_of(const Matrix& m);

}  // namespace wl::layouts
