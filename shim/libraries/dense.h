// Matrices by columns in FP64, from and to memory of the device; LU and Cholesky of them, by the definitions
// of LAPACK's getrf, getrs, getri, potrf and potrs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wl::libraries {

struct Dense {
    int64_t rows = 0, cols = 0;
    std::vector<double> values = std::vector<double>(static_cast<size_t>(rows * cols));

    double& operator()(int64_t r, int64_t c) { return values[static_cast<size_t>(c * rows + r)]; }
    double operator()(int64_t r, int64_t c) const { return values[static_cast<size_t>(c * rows + r)]; }
};

// Where it lies: columns `ld` elements apart.
struct Placed {
    void* at = nullptr;
    int64_t ld = 0;
    bool is_double = false;
    const char* what = "a matrix";
};
void require_matrix(const Placed& place, int64_t rows, int64_t cols);  // its numbers, and that it is there
Dense load(const Placed& place, int64_t rows, int64_t cols);
void store(const Placed& place, const Dense& matrix);  // rounded once

using Pivots = std::vector<int>;  // rows from 1: row k was exchanged with pivots[k]

// In place. 0, or the first k from 1 whose pivot is 0. No pivots: rows stay where they are.
int factor_lu(Dense& a, Pivots* pivots);
// In place, the one triangle. 0, or the first k from 1 whose leading minor is not positive.
int factor_cholesky(Dense& a, bool upper);

void solve_lu(const Dense& factors, const Pivots& pivots, bool transposed, Dense& b);
void solve_cholesky(const Dense& factor, bool upper, Dense& b);
Dense identity(int64_t n);

}  // namespace wl::libraries
