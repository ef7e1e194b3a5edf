// Matrices are copied from the runtime's memory, multiplied, and copied back.
#include "shim/cublas/gemm.h"

#include "instrumentation/base/dtype.h"
#include "shim/libraries/calls.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wl::libraries {

// cublasStatus_t
const Statuses kStatuses{
    .no_handle = 1, .no_memory = 3, .invalid = 7, .failed = 13, .internal = 14, .not_supported = 15};

}  // namespace wl::libraries

namespace wl::cublas {
namespace {

using libraries::require;

DType dtype_of(int type) {
    switch (type) {
        case 1: return DType::f64;
        case 2: return DType::f16;
        case 14: return DType::bf16;
        default: return DType::f32;
    }
}

// A column-major matrix as it lies there, from its first element to its last.
std::vector<std::byte> fetched(const void* data, int type, int64_t ld, int64_t rows, int64_t cols) {
    if (rows == 0 || cols == 0) return {};
    std::vector<std::byte> out(static_cast<size_t>(ld * (cols - 1) + rows) * bytes_of(type));
    libraries::fetch(out.data(), data, out.size(), "a matrix");
    return out;
}

double activated(double x, int epilogue) {
    if ((epilogue & 2) != 0) return std::max(x, 0.0);
    if ((epilogue & 32) == 0) return x;
    constexpr double kScale = 0.7978845608028654;  // sqrt(2 / pi)
    return 0.5 * x * (1 + std::tanh(kScale * (x + 0.044715 * x * x * x)));
}

void add_products(const Product& p, std::vector<double>& sums) {
    const std::vector<double> a = load(p.a, p.m, p.k), b = load(p.b, p.k, p.n);
    for (int64_t i = 0; i < p.m; ++i) {
        double* const row = &sums[static_cast<size_t>(i * p.n)];
        for (int64_t l = 0; l < p.k; ++l) {
            const double factor = p.alpha * a[static_cast<size_t>(i * p.k + l)];
            const double* const from = &b[static_cast<size_t>(l * p.n)];
            for (int64_t j = 0; j < p.n; ++j) row[j] += factor * from[j];
        }
    }
}

}  // namespace

bool is_known(int type) { return type == 0 || type == 1 || type == 2 || type == 14; }
size_t bytes_of(int type) { return size_of(dtype_of(type)); }

double scalar(const void* at, int type) {
    std::byte bytes[8];
    libraries::require_memory(at, 1, bytes_of(type), "a factor");
    libraries::fetch(bytes, at, bytes_of(type), "a factor");
    return to_double(dtype_of(type), bytes);
}

std::vector<double> load(const Matrix& m, int64_t rows, int64_t cols) {
    const int64_t height = m.transposed ? cols : rows, width = m.transposed ? rows : cols;
    const std::vector<std::byte> bytes = fetched(m.data, m.type, m.ld, height, width);
    const size_t size = bytes_of(m.type);
    const DType type = dtype_of(m.type);
    std::vector<double> out(static_cast<size_t>(rows * cols));
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c) {
            const int64_t at = m.transposed ? r * m.ld + c : c * m.ld + r;
            out[static_cast<size_t>(r * cols + c)] =
                to_double(type, bytes.data() + static_cast<size_t>(at) * size);
        }
    return out;
}

void require_there(const Matrix& m, int64_t rows, int64_t cols, const char* what) {
    const int64_t height = m.transposed ? cols : rows, width = m.transposed ? rows : cols;
    int64_t elements = 0;
    require(rows >= 0 && cols >= 0 && m.ld >= std::max<int64_t>(height, 1));
    if (rows == 0 || cols == 0) return;
    require(
        !__builtin_mul_overflow(m.ld, width - 1, &elements) &&
        !__builtin_add_overflow(elements, height, &elements)
    );
    libraries::require_memory(m.data, elements, bytes_of(m.type), what);
}

namespace {

void require_operands(const Product& p) {
    require_there(p.a, p.m, p.k, "A");
    require_there(p.b, p.k, p.n, "B");
    if (p.beta != 0) require_there(p.c, p.m, p.n, "C");
    require_there({p.d, p.type, p.ld, false}, p.m, p.n, "the result");
}

}  // namespace

void multiply_now(const Product& p) {
    require_operands(p);
    std::vector<double> sums(static_cast<size_t>(p.m * p.n));
    if (p.beta != 0) {
        sums = load(p.c, p.m, p.n);
        for (double& x : sums) x *= p.beta;
    }
    if (p.k > 0 && p.alpha != 0) add_products(p, sums);
    const bool biased = (p.epilogue & 4) != 0 && p.bias != nullptr;
    const std::vector<double> bias = biased ? load({p.bias, p.bias_type, p.m, false}, p.m, 1)
                                            : std::vector<double>(static_cast<size_t>(p.m));
    const size_t size = bytes_of(p.type);
    std::vector<std::byte> column(static_cast<size_t>(p.m) * size);
    for (int64_t j = 0; j < p.n; ++j) {
        for (int64_t i = 0; i < p.m; ++i)
            from_double(
                dtype_of(p.type),
                activated(sums[static_cast<size_t>(i * p.n + j)] + bias[static_cast<size_t>(i)], p.epilogue),
                column.data() + static_cast<size_t>(i) * size
            );
        libraries::store(
            static_cast<std::byte*>(p.d) + static_cast<size_t>(j * p.ld) * size,
            column.data(),
            column.size(),
            "the result"
        );
    }
}

int multiply(const char* function, const Product& p, void* stream) {
    require(p.m >= 0 && p.n >= 0 && p.k >= 0);
    require_operands(p);
    if (p.m == 0 || p.n == 0) return 0;
    return libraries::submit(function, stream, libraries::When::may_wait, [p] { multiply_now(p); });
}

int multiply_batched(const char* function, Product p, const Strides& strides, int64_t count, void* stream) {
    const auto moved = [](const void* at, int64_t elements, int type) {
        return static_cast<const std::byte*>(at) + elements * static_cast<int64_t>(bytes_of(type));
    };
    require(count >= 0);
    for (int64_t k = 0; k < count; ++k) {
        if (const int status = multiply(function, p, stream); status != 0) return status;
        p.a.data = moved(p.a.data, strides.a, p.a.type), p.b.data = moved(p.b.data, strides.b, p.b.type);
        p.c.data = moved(p.c.data, strides.c, p.c.type);
        p.d = const_cast<void*>(static_cast<const void*>(moved(p.d, strides.d, p.type)));
    }
    return 0;
}

}  // namespace wl::cublas
