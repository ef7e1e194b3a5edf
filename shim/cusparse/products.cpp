// SpMV and SpMM: y = alpha op(A) x + beta y, and the same with matrices. Sums are FP64 and rounded once.
#include "shim/cusparse/descriptors.h"

#include <limits>

using namespace wl::libraries;

namespace wl::cusparse {
namespace {

// A dense operand as rows of `width` elements, of which `step` lie between rows and `stride` between
// elements of one.
struct Rows {
    void* values = nullptr;
    int type = kF32;
    int64_t height = 0, width = 1, step = 1, stride = 1;
    const char* what = "a dense operand";

    int64_t extent() const {
        int64_t a = 0, b = 0, out = 0;
        if (height == 0 || width == 0) return 0;
        require(
            !__builtin_mul_overflow(height - 1, step, &a) && !__builtin_mul_overflow(width - 1, stride, &b) &&
            !__builtin_add_overflow(a, b, &out) && out < std::numeric_limits<int64_t>::max()
        );
        return out + 1;
    }
    size_t at(int64_t row, int64_t k) const { return static_cast<size_t>(row * step + k * stride); }
};

Rows rows_of(const Vector& v, const char* what) {
    return {const_cast<void*>(v.values), v.type, v.size, 1, 1, 1, what};
}
Rows rows_of(const Matrix& m, bool transposed, const char* what) {
    const bool across = m.by_rows != transposed;  // elements of one of our rows lie side by side
    return {
        const_cast<void*>(m.values),
        m.type,
        transposed ? m.cols : m.rows,
        transposed ? m.rows : m.cols,
        across ? m.ld : 1,
        across ? 1 : m.ld,
        what};
}

std::vector<double> load(const void* at, int type, int64_t count, const char* what) {
    if (type == kF64) return fetched<double>(at, count, what);
    const std::vector<float> single = fetched<float>(at, count, what);
    return {single.begin(), single.end()};
}
void save(const Rows& r, const std::vector<double>& values) {
    const std::vector<float> single(values.begin(), values.end());
    if (r.type == kF64)
        store(r.values, values.data(), values.size() * sizeof(double), r.what);
    else
        store(r.values, single.data(), single.size() * sizeof(float), r.what);
}

// From 0, checked: what lies outside is a failure of the call, where a GPU would read anything.
std::vector<int64_t> load_indices(
    const void* at, int type, int64_t count, int base, int64_t end, const char* what
) {
    std::vector<int64_t> out;
    if (type == kIndex64) {
        out = fetched<int64_t>(at, count, what);
    } else {
        const std::vector<int32_t> narrow = fetched<int32_t>(at, count, what);
        out.assign(narrow.begin(), narrow.end());
    }
    for (size_t k = 0; k < out.size(); ++k) {
        const int64_t index = out[k];
        if (index < base || index - base >= end)
            throw Failure{
                kStatuses.failed,
                std::string(what) + " hold " + std::to_string(index) + " at " + std::to_string(k) +
                    "; they may go from " + std::to_string(base) + " to " + std::to_string(end - 1 + base)};
        out[k] = index - base;
    }
    return out;
}

int64_t count_of_offsets(const Sparse& m) {
    if (m.format == Format::coo) return m.count;
    return (m.format == Format::csr ? m.rows : m.cols) + 1;
}

size_t bytes_of_index(int type) { return type == kIndex64 ? 8 : 4; }
size_t bytes_of(int type) { return type == kF64 ? 8 : 4; }

// Elements of the sparse matrix, by coordinates.
struct Elements {
    std::vector<int64_t> rows, cols;
    std::vector<double> values;
};
Elements load(const Sparse& m) {
    const bool by_rows = m.format != Format::csc;
    const int64_t across = by_rows ? m.cols : m.rows, along = by_rows ? m.rows : m.cols;
    Elements out;
    out.cols =
        load_indices(m.indices, m.index_type, m.count, m.base, across, by_rows ? "the columns" : "the rows");
    out.values = load(m.values, m.type, m.count, "the values of a sparse matrix");
    if (m.format == Format::coo) {
        out.rows = load_indices(m.offsets, m.offset_type, m.count, m.base, along, "the rows");
        return out;
    }
    const std::vector<int64_t> offsets =
        load_indices(m.offsets, m.offset_type, along + 1, m.base, m.count + 1, "the offsets");
    for (size_t k = 1; k < offsets.size(); ++k)
        if (offsets[k] < offsets[k - 1])
            throw Failure{kStatuses.failed, "the offsets become smaller at " + std::to_string(k)};
    out.rows.resize(static_cast<size_t>(m.count));
    for (int64_t r = 0; r < along; ++r)
        for (int64_t k = offsets[static_cast<size_t>(r)]; k < offsets[static_cast<size_t>(r) + 1]; ++k)
            out.rows[static_cast<size_t>(k)] = r;
    // Elements that no row has count nothing.
    for (int64_t k = 0; k < m.count; ++k)
        if (k < offsets.front() || k >= offsets.back()) out.values[static_cast<size_t>(k)] = 0;
    if (!by_rows) out.rows.swap(out.cols);
    return out;
}

struct Product {
    Sparse a;
    bool transposed = false;
    Rows b, c;
    std::function<double()> alpha, beta;
};

void multiply(const Product& p) {
    const double alpha = p.alpha(), beta = p.beta();
    const Elements a = load(p.a);
    const std::vector<double> b = load(p.b.values, p.b.type, p.b.extent(), p.b.what);
    std::vector<double> c = load(p.c.values, p.c.type, p.c.extent(), p.c.what);
    std::vector<double> sums(static_cast<size_t>(p.c.height * p.c.width));
    for (size_t k = 0; k < a.values.size(); ++k) {
        const int64_t to = p.transposed ? a.cols[k] : a.rows[k], from = p.transposed ? a.rows[k] : a.cols[k];
        for (int64_t j = 0; j < p.c.width; ++j)
            sums[static_cast<size_t>(to * p.c.width + j)] += a.values[k] * b[p.b.at(from, j)];
    }
    for (int64_t r = 0; r < p.c.height; ++r)
        for (int64_t j = 0; j < p.c.width; ++j) {
            double& out = c[p.c.at(r, j)];  // beta 0: what was there is not looked at
            const double kept = beta == 0 ? 0 : beta * out;
            out = alpha * sums[static_cast<size_t>(r * p.c.width + j)] + kept;
        }
    save(p.c, c);
}

// What the call itself can see. The memory is there now; what its indices say is seen when it is done.
void require_fitting(const Product& p, int compute, const char* function, const void* caller) {
    const int64_t height = p.transposed ? p.a.cols : p.a.rows, depth = p.transposed ? p.a.rows : p.a.cols;
    require(p.c.height == height && p.b.height == depth && p.c.width == p.b.width);
    for (const int type : {compute, p.a.type, p.b.type, p.c.type})
        if (type != kF32 && type != kF64) refuse((std::string(function) + " of these types").c_str(), caller);
    if (p.a.offset_type == kIndex16) refuse((std::string(function) + " of 16-bit indices").c_str(), caller);
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
    p.a = *sparse().at(a), p.transposed = operation != 0;
    p.b = rows_of(*vectors().at(x), "x"), p.c = rows_of(*vectors().at(y), "y");
    return p;
}
Product matrix_product(int operation_a, int operation_b, const Sparse* a, const Matrix* b, const Matrix* c) {
    require_operation(operation_a), require_operation(operation_b);
    Product p;
    p.a = *sparse().at(a), p.transposed = operation_a != 0;
    p.b = rows_of(*matrices().at(b), operation_b != 0, "B"), p.c = rows_of(*matrices().at(c), false, "C");
    return p;
}

// Sizes of buffers are what a program allocates; nothing here needs one, and 0 bytes would be no address.
int sized(size_t* bytes) {
    give(bytes, size_t{4});
    return 0;
}

int multiplied(
    const Handle& handle,
    const char* function,
    const void* caller,
    Product p,
    const void* alpha,
    const void* beta,
    int compute
) {
    require_fitting(p, compute, function, caller);
    require_there(p);
    p.alpha = scalar(alpha, compute == kF64, handle.device_pointers);
    p.beta = scalar(beta, compute == kF64, handle.device_pointers);
    return submit(function, handle.stream, When::at_once, [p] { multiply(p); });
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
