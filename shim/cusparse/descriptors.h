// cuSPARSE's generic API: handles and descriptions as programs make them. Enumerations are passed as the ints
// that they are.
#pragma once

#include "shim/libraries/calls.h"

namespace wl::cusparse {

constexpr int kF32 = 0, kF64 = 1, kC32 = 4, kC64 = 5;    // cudaDataType
constexpr int kIndex16 = 1, kIndex32 = 2, kIndex64 = 3;  // cusparseIndexType_t
constexpr int kPlain = 0, kConjugated = 2;               // cusparseOperation_t

struct Handle {
    void* stream = nullptr;
    bool device_pointers = false;
};

enum class Format : int { csr = 1, csc = 2, coo = 3 };

// Of CSR the offsets are of rows and the indices are columns; of CSC the other way round; of COO `offsets`
// holds a row an element. A batch has `batches` of them of one size, whose arrays begin so many elements
// apart.
struct Sparse {
    Format format = Format::csr;
    int64_t rows = 0, cols = 0, count = 0;
    const void* offsets = nullptr;
    const void* indices = nullptr;
    const void* values = nullptr;
    int offset_type = kIndex32, index_type = kIndex32, base = 0, type = kF32;
    int64_t batches = 1, offsets_apart = 0, values_apart = 0;
};
struct Vector {
    int64_t size = 0;
    const void* values = nullptr;
    int type = kF32;
};
struct Matrix {
    int64_t rows = 0, cols = 0, ld = 0;
    const void* values = nullptr;
    int type = kF32;
    bool by_rows = false;
    int64_t batches = 1, apart = 0;
};

libraries::Handles<Handle>& handles();
libraries::Handles<Sparse>& sparse();
libraries::Handles<Vector>& vectors();
libraries::Handles<Matrix>& matrices();

}  // namespace wl::cusparse
