// Loops over columns; nothing is fast.
#include "shim/libraries/dense.h"

#include "shim/libraries/calls.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wl::libraries {
namespace {

size_t element(const Placed& place) { return place.is_double ? sizeof(double) : sizeof(float); }

// From the first element to the last.
int64_t extent(const Placed& place, int64_t rows, int64_t cols) {
    int64_t out = 0;
    require(!__builtin_mul_overflow(place.ld, cols - 1, &out) && !__builtin_add_overflow(out, rows, &out));
    return out;
}

std::byte* column(const Placed& place, int64_t c) {
    return static_cast<std::byte*>(place.at) + static_cast<size_t>(c * place.ld) * element(place);
}

void exchange(Dense& a, int64_t one, int64_t other) {
    for (int64_t c = 0; c < a.cols && one != other; ++c) std::swap(a(one, c), a(other, c));
}

// Solves with a triangle of `t`, in place; `upper` and `unit` of what is solved with, after transposing.
void solve_triangle(const Dense& t, bool upper, bool transposed, bool unit, Dense& b) {
    const int64_t n = t.rows;
    const auto at = [&](int64_t r, int64_t c) { return transposed ? t(c, r) : t(r, c); };
    for (int64_t j = 0; j < b.cols; ++j)
        for (int64_t k = 0; k < n; ++k) {
            const int64_t r = upper ? n - 1 - k : k;
            double sum = b(r, j);
            for (int64_t c = upper ? r + 1 : 0; c < (upper ? n : r); ++c) sum -= at(r, c) * b(c, j);
            b(r, j) = unit ? sum : sum / at(r, r);
        }
}

}  // namespace

void require_matrix(const Placed& place, int64_t rows, int64_t cols) {
    require(rows >= 0 && cols >= 0 && place.ld >= std::max<int64_t>(rows, 1));
    if (rows > 0 && cols > 0) require_memory(place.at, extent(place, rows, cols), element(place), place.what);
}

Dense load(const Placed& place, int64_t rows, int64_t cols) {
    require_matrix(place, rows, cols);
    Dense out{rows, cols};
    std::vector<float> single(static_cast<size_t>(rows));
    for (int64_t c = 0; c < cols; ++c) {
        double* const to = out.values.data() + c * rows;
        if (place.is_double) {
            fetch(to, column(place, c), static_cast<size_t>(rows) * sizeof(double), place.what);
        } else {
            fetch(single.data(), column(place, c), single.size() * sizeof(float), place.what);
            std::copy(single.begin(), single.end(), to);
        }
    }
    return out;
}

void store(const Placed& place, const Dense& matrix) {
    for (int64_t c = 0; c < matrix.cols; ++c) {
        const double* const from = matrix.values.data() + c * matrix.rows;
        const std::vector<float> single(from, from + matrix.rows);
        const void* bytes = place.is_double ? static_cast<const void*>(from) : single.data();
        store(column(place, c), bytes, static_cast<size_t>(matrix.rows) * element(place), place.what);
    }
}

int factor_lu(Dense& a, Pivots* pivots) {
    int info = 0;
    const int64_t steps = std::min(a.rows, a.cols);
    if (pivots != nullptr) pivots->assign(static_cast<size_t>(steps), 0);
    for (int64_t k = 0; k < steps; ++k) {
        int64_t best = k;
        for (int64_t r = k + 1; r < a.rows && pivots != nullptr; ++r)
            if (std::abs(a(r, k)) > std::abs(a(best, k))) best = r;
        if (pivots != nullptr) (*pivots)[static_cast<size_t>(k)] = static_cast<int>(best + 1);
        exchange(a, k, best);
        if (a(k, k) == 0) {
            if (info == 0) info = static_cast<int>(k + 1);
            continue;
        }
        for (int64_t r = k + 1; r < a.rows; ++r) a(r, k) /= a(k, k);
        for (int64_t c = k + 1; c < a.cols; ++c)
            for (int64_t r = k + 1; r < a.rows; ++r) a(r, c) -= a(r, k) * a(k, c);
    }
    return info;
}

int factor_cholesky(Dense& a, bool upper) {
    const auto at = [&](int64_t r, int64_t c) -> double& { return upper ? a(c, r) : a(r, c); };
    for (int64_t k = 0; k < a.rows; ++k) {
        double diagonal = at(k, k);
        for (int64_t c = 0; c < k; ++c) diagonal -= at(k, c) * at(k, c);
        if (!(diagonal > 0)) return static_cast<int>(k + 1);
        at(k, k) = std::sqrt(diagonal);
        for (int64_t r = k + 1; r < a.rows; ++r) {
            double sum = at(r, k);
            for (int64_t c = 0; c < k; ++c) sum -= at(r, c) * at(k, c);
            at(r, k) = sum / at(k, k);
        }
    }
    return 0;
}

void solve_lu(const Dense& factors, const Pivots& pivots, bool transposed, Dense& b) {
    const auto n = static_cast<int64_t>(pivots.size());
    for (const int row : pivots) require(row >= 1 && row <= b.rows);
    const auto row = [&](int64_t k) { return int64_t{pivots[static_cast<size_t>(k)]} - 1; };
    if (!transposed) {
        for (int64_t k = 0; k < n; ++k) exchange(b, k, row(k));
        solve_triangle(factors, false, false, true, b);
        solve_triangle(factors, true, false, false, b);
    } else {
        solve_triangle(factors, false, true, false, b);
        solve_triangle(factors, true, true, true, b);
        for (int64_t k = n - 1; k >= 0; --k) exchange(b, k, row(k));
    }
}

void solve_cholesky(const Dense& factor, bool upper, Dense& b) {
    solve_triangle(factor, false, upper, false, b);
    solve_triangle(factor, true, !upper, false, b);
}

Dense identity(int64_t n) {
    Dense out{n, n};
    for (int64_t k = 0; k < n; ++k) out(k, k) = 1;
    return out;
}

}  // namespace wl::libraries
