// SpMV and SpMM: y = alpha op(A) x + beta y, and the same with matrices, one by one in batches. Sums are FP64
// and rounded once.
#include "shim/cusparse/operands.h"

#include <algorithm>
#include <array>
#include <type_traits>

using namespace wl::libraries;

namespace wl::cusparse {
namespace {

struct Product {
    Sparse a;
    int operation = kPlain;
    Rows b, c;
};
template <class T>
struct Factors {
    std::function<T()> alpha, beta;
};

template <class T>
void conjugate(std::vector<T>& values, bool wanted) {
    if constexpr (!std::is_same_v<T, double>)
        for (T& value : values)
            if (wanted) value = std::conj(value);
}

template <class T>
void multiply(const Product& p, T alpha, T beta) {
    const Places at = places_of(p.a);
    auto a = numbers_at<T>(p.a.values, p.a.type, p.a.count, "the values of a sparse matrix");
    auto b = numbers_at<T>(p.b.values, p.b.type, p.b.extent(), p.b.what);
    conjugate(a, p.operation == kConjugated), conjugate(b, p.b.conjugated);
    auto c = numbers_at<T>(p.c.values, p.c.type, p.c.extent(), p.c.what);
    std::vector<T> sums(static_cast<size_t>(p.c.height * p.c.width));
    for (size_t k = 0; k < a.size(); ++k) {
        if (at.is_in[k] == 0) continue;
        const bool transposed = p.operation != kPlain;
        const int64_t to = transposed ? at.cols[k] : at.rows[k], from = transposed ? at.rows[k] : at.cols[k];
        for (int64_t j = 0; j < p.c.width; ++j)
            sums[static_cast<size_t>(to * p.c.width + j)] += a[k] * b[p.b.at(from, j)];
    }
    for (int64_t r = 0; r < p.c.height; ++r)
        for (int64_t j = 0; j < p.c.width; ++j) {
            T& out = c[p.c.at(r, j)];  // beta 0: what was there is not looked at
            const T kept = beta == T(0) ? T(0) : beta * out;
            out = alpha * sums[static_cast<size_t>(r * p.c.width + j)] + kept;
        }
    save(p.c, c);
}

Product one_of(const Product& all, int64_t number) {
    return {one_of(all.a, number), all.operation, one_of(all.b, number), one_of(all.c, number)};
}

template <class T>
void multiply_all(const Product& p, const Factors<T>& factors) {
    const T alpha = factors.alpha(), beta = factors.beta();
    for (int64_t k = 0; k < p.c.batches; ++k) multiply(one_of(p, k), alpha, beta);
}

// What the call itself can see. The memory is there now; what its indices say is seen when it is done.
void require_fitting(const Product& p, int compute, const char* function, const void* caller) {
    const bool transposed = p.operation != kPlain;
    const int64_t height = transposed ? p.a.cols : p.a.rows, depth = transposed ? p.a.rows : p.a.cols;
    require(p.c.height == height && p.b.height == depth && p.c.width == p.b.width);
    const std::array types{compute, p.a.type, p.b.type, p.c.type};
    const bool is_known = std::all_of(types.begin(), types.end(), [&](int type) {
        return is_number(type) && is_complex(type) == is_complex(compute);
    });
    if (!is_known) refuse((std::string(function) + " of these types").c_str(), caller);
    if (p.a.offset_type == kIndex16) refuse((std::string(function) + " of 16-bit indices").c_str(), caller);
    for (const int64_t batches : {p.a.batches, p.b.batches}) require(batches == 1 || batches == p.c.batches);
    require(p.c.batches == 1 || p.c.apart > 0);
}
void require_there(const Product& p) {
    require_memory(p.a.offsets, count_of_offsets(p.a), bytes_of_index(p.a.offset_type), "the offsets");
    require_memory(p.a.indices, p.a.count, bytes_of_index(p.a.index_type), "the indices");
    require_memory(p.a.values, p.a.count, bytes_of(p.a.type), "the values of a sparse matrix");
    require_memory(p.b.values, p.b.extent(), bytes_of(p.b.type), p.b.what);
    require_memory(p.c.values, p.c.extent(), bytes_of(p.c.type), p.c.what);
}

Product vector_product(int operation, const Sparse* a, const Vector* x, const Vector* y) {
    require_operation(operation);
    Product p;
    p.a = *sparse().at(a), p.operation = operation;
    p.b = rows_of(*vectors().at(x), "x"), p.c = rows_of(*vectors().at(y), "y");
    return p;
}
Product matrix_product(int operation_a, int operation_b, const Sparse* a, const Matrix* b, const Matrix* c) {
    require_operation(operation_a), require_operation(operation_b);
    Product p;
    p.a = *sparse().at(a), p.operation = operation_a;
    p.b = rows_of(*matrices().at(b), operation_b, "B"), p.c = rows_of(*matrices().at(c), kPlain, "C");
    return p;
}

// Sizes of buffers are what a program allocates; nothing here needs one, and 0 bytes would be no address.
int sized(size_t* bytes) {
    give(bytes, size_t{4});
    return 0;
}

template <class T>
int submitted(
    const Handle& handle,
    const char* function,
    const Product& p,
    const void* alpha,
    const void* beta,
    int type
) {
    const Factors<T> factors{
        factor_at<T>(alpha, type, handle.device_pointers), factor_at<T>(beta, type, handle.device_pointers)};
    return submit(function, handle.stream, When::at_once, [p, factors] { multiply_all(p, factors); });
}

int multiplied(
    const Handle& handle,
    const char* function,
    const void* caller,
    const Product& p,
    const void* alpha,
    const void* beta,
    int compute
) {
    require_fitting(p, compute, function, caller);
    for (int64_t k = 0; k < p.c.batches; ++k) require_there(one_of(p, k));
    const auto with = is_complex(compute) ? submitted<std::complex<double>> : submitted<double>;
    return with(handle, function, p, alpha, beta, compute);
}

}  // namespace
}  // namespace wl::cusparse

using namespace wl::cusparse;

extern "C" {

int cusparseSpMV_bufferSize(
    const Handle* handle,
    int operation,
    const void* /*alpha*/,
    const Sparse* a,
    const Vector* x,
    const void* /*beta*/,
    const Vector* y,
    int compute,
    int /*algorithm*/,
    size_t* bytes
) {
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        handles().at(handle);
        require_fitting(vector_product(operation, a, x, y), compute, "cusparseSpMV", caller);
        return sized(bytes);
    });
}

int cusparseSpMV_preprocess(
    const Handle* handle,
    int operation,
    const void* /*alpha*/,
    const Sparse* a,
    const Vector* x,
    const void* /*beta*/,
    const Vector* y,
    int compute,
    int /*algorithm*/,
    void* /*buffer*/
) {
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        handles().at(handle);
        require_fitting(vector_product(operation, a, x, y), compute, "cusparseSpMV", caller);
        return 0;
    });
}

int cusparseSpMV(
    const Handle* handle,
    int operation,
    const void* alpha,
    const Sparse* a,
    const Vector* x,
    const void* beta,
    const Vector* y,
    int compute,
    int /*algorithm*/,
    void* /*buffer*/
) {
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        const auto h = handles().at(handle);
        const Product p = vector_product(operation, a, x, y);
        return multiplied(*h, "cusparseSpMV", caller, p, alpha, beta, compute);
    });
}

int cusparseSpMM_bufferSize(
    const Handle* handle,
    int operation_a,
    int operation_b,
    const void* /*alpha*/,
    const Sparse* a,
    const Matrix* b,
    const void* /*beta*/,
    const Matrix* c,
    int compute,
    int /*algorithm*/,
    size_t* bytes
) {
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        handles().at(handle);
        require_fitting(matrix_product(operation_a, operation_b, a, b, c), compute, "cusparseSpMM", caller);
        return sized(bytes);
    });
}

int cusparseSpMM_preprocess(
    const Handle* handle,
    int operation_a,
    int operation_b,
    const void* /*alpha*/,
    const Sparse* a,
    const Matrix* b,
    const void* /*beta*/,
    const Matrix* c,
    int compute,
    int /*algorithm*/,
    void* /*buffer*/
) {
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        handles().at(handle);
        require_fitting(matrix_product(operation_a, operation_b, a, b, c), compute, "cusparseSpMM", caller);
        return 0;
    });
}

int cusparseSpMM(
    const Handle* handle,
    int operation_a,
    int operation_b,
    const void* alpha,
    const Sparse* a,
    const Matrix* b,
    const void* beta,
    const Matrix* c,
    int compute,
    int /*algorithm*/,
    void* /*buffer*/
) {
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        const auto h = handles().at(handle);
        const Product p = matrix_product(operation_a, operation_b, a, b, c);
        return multiplied(*h, "cusparseSpMM", caller, p, alpha, beta, compute);
    });
}
}
