// Matrices are copied from the runtime's memory, multiplied, and copied back.
#include "shim/cublas/gemm.h"

#include "instrumentation/base/dtype.h"

#include <algorithm>
#include <cmath>
#include <cstring>

extern "C" {
int cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
// NOLINTBEGIN(bugprone-reserved-identifier): of our stand-in
void __cudaTellUnsupported(const char* name);
int __cudaSubmitWork(void* stream, void (*work)(void*), void (*drop)(void*), void* data);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace wl::cublas {
namespace {

constexpr int kDefaultKind = 4;  // cudaMemcpyDefault

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
    std::vector<std::byte> out(static_cast<size_t>(ld * (cols - 1) + rows) * bytes_of(type));
    cudaMemcpy(out.data(), data, out.size(), kDefaultKind);
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
    cudaMemcpy(bytes, at, bytes_of(type), kDefaultKind);
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

namespace {

void multiply_now(const Product& p) {
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
        cudaMemcpy(
            static_cast<std::byte*>(p.d) + static_cast<size_t>(j * p.ld) * size,
            column.data(),
            column.size(),
            kDefaultKind
        );
    }
}

}  // namespace

Status multiply(const Product& p, void* stream) {
    if (p.m < 0 || p.n < 0 || p.k < 0) return invalid_value;
    if (p.m == 0 || p.n == 0) return success;
    if (!is_known(p.a.type) || !is_known(p.b.type) || !is_known(p.type)) return not_supported;
    const int error = __cudaSubmitWork(
        stream,
        [](void* data) { multiply_now(*static_cast<const Product*>(data)); },
        [](void* data) { delete static_cast<Product*>(data); },
        new Product(p)
    );
    return error == 0 ? success : execution_failed;
}

Status unsupported(const char* name) {
    __cudaTellUnsupported(name);
    return not_supported;
}

int unsupported_name(const char* name) { return unsupported(name); }

}  // namespace wl::cublas
