// Numbers of sparse and dense operands, from and to the memory of the device: real ones as double, complex
// ones as std::complex<double>.
#pragma once

#include "shim/cusparse/descriptors.h"

#include <complex>
#include <vector>

namespace wl::cusparse {

constexpr bool is_complex(int type) { return type == kC32 || type == kC64; }
constexpr bool is_number(int type) { return type == kF32 || type == kF64 || is_complex(type); }
size_t bytes_of(int type);
size_t bytes_of_index(int type);

// A dense operand as rows of `width` elements, of which `step` lie between rows and `stride` between
// elements of one; `batches` of them, `apart` elements from each to the next.
struct Rows {
    void* values = nullptr;
    int type = kF32;
    int64_t height = 0, width = 1, step = 1, stride = 1;
    const char* what = "a dense operand";
    bool conjugated = false;
    int64_t batches = 1, apart = 0;

    int64_t extent() const;  // elements of one
    size_t at(int64_t row, int64_t k) const { return static_cast<size_t>(row * step + k * stride); }
};
Rows rows_of(const Vector& v, const char* what);
Rows rows_of(const Matrix& m, int operation, const char* what);

// Of a batch one, from 0.
Rows one_of(const Rows& all, int64_t number);
Sparse one_of(const Sparse& all, int64_t number);

int64_t count_of_offsets(const Sparse& m);

// Where its elements are, from 0. What lies outside is a failure of the call, where a GPU would read
// anything. An element that no row has is in none: `is_in` says so.
struct Places {
    std::vector<int64_t> rows, cols;
    std::vector<char> is_in;
};
Places places_of(const Sparse& m);

template <class T>
std::vector<T> numbers_at(const void* at, int type, int64_t count, const char* what);
template <class T>
void save(const Rows& r, const std::vector<T>& values);

// A factor. One of the host is read now; one of the device when it is asked for.
template <class T>
std::function<T()> factor_at(const void* at, int type, bool by_device);

}  // namespace wl::cusparse
