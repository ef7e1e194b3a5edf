// The BLAS of one vector, of two, and of a matrix with them, in S and D: what cuBLAS's functions of today and
// of its first API (cublas.h) share. FP64, rounded once; as work of the stream.
#pragma once

#include <cstdint>

namespace wl::cublas {

// Vectors are `step` elements from one to the next; a negative step begins at the last.
struct Strided {
    void* at = nullptr;
    int64_t n = 0, step = 1;
    bool is_double = false;
};

struct Call {
    const char* function;
    void* stream = nullptr;
};

int axpy(const Call& call, double alpha, const Strided& x, const Strided& y);
int scale(const Call& call, double alpha, const Strided& x);
int copy(const Call& call, const Strided& x, const Strided& y);
int exchange(const Call& call, const Strided& x, const Strided& y);

// One number, stored at `out` of the device or the host; a vector of less than one element gives 0.
enum class Reduction : uint8_t { dot, norm, sum_of_magnitudes, largest, smallest };
int reduce(const Call& call, Reduction what, const Strided& x, const Strided& y, void* out);

// A matrix by columns.
struct Block {
    void* at = nullptr;
    int64_t rows = 0, cols = 0, ld = 0;
    bool is_double = false;
};
// y = alpha op(A) x + beta y, where x and y have as many elements as op(A) says.
int matrix_vector(
    const Call& call, bool transposed, double alpha, const Block& a, Strided x, double beta, Strided y
);
// A = alpha x y^T + A
int rank_one(const Call& call, double alpha, const Strided& x, const Strided& y, const Block& a);

}  // namespace wl::cublas
