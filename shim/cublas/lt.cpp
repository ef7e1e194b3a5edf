// cuBLASLt: descriptions as they are set, and the one product that they describe.
#include "shim/cublas/gemm.h"
#include "shim/libraries/calls.h"

#include <algorithm>
#include <array>

using namespace wl::libraries;
using wl::cublas::Product;

namespace {

// cublasLtMatmulDescAttributes_t, cublasLtMatrixLayoutAttribute_t
constexpr int kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBias = 8, kBiasType = 26;
constexpr int kByColumns = 0, kOrder = 1, kBatchCount = 5, kBatchStride = 6;
constexpr int kKnownEpilogues = 1 | 2 | 4 | 32;

struct Description {
    int scale = 0, transpose_a = 0, transpose_b = 0, epilogue = 1, bias_type = -1;
    const void* bias = nullptr;
};
struct Layout {
    int type = 0;
    uint64_t rows = 0, cols = 0;
    int64_t ld = 0, stride = 0;
    int count = 1;
};

// cublasLtMatmulHeuristicResult_t
struct Heuristic {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
};

Handles<Description>& descriptions() {
    static auto* const kAll = new Handles<Description>;
    return *kAll;
}
Handles<Layout>& layouts() {
    static auto* const kAll = new Handles<Layout>;
    return *kAll;
}
struct Context {};  // and what a preference is: how fast, not what
Handles<Context>& contexts() {
    static auto* const kAll = new Handles<Context>;
    return *kAll;
}

template <class T>
int made(Handles<T>& all, T** out, const T& value) {
    return answered([&] {
        give(out, static_cast<T*>(nullptr));
        give(out, all.add(value));
        return 0;
    });
}
template <class T>
int dropped(Handles<T>& all, const void* handle) {
    return answered([&] {
        require(all.drop(handle));
        return 0;
    });
}

// As many bytes as the program says, and the attribute has.
template <class T>
void take(T& to, const void* value, size_t bytes) {
    require(bytes >= sizeof to && read_value(&to, value, sizeof to));
}

const void* moved(const void* at, int64_t elements, int type) {
    return static_cast<const std::byte*>(at) + elements * static_cast<int64_t>(wl::cublas::bytes_of(type));
}

int multiplied(
    Product p, const Layout& a, const Layout& b, const Layout& c, const Layout& out, void* stream
) {
    for (int k = 0; k < out.count; ++k) {
        if (const int status = wl::cublas::multiply("cublasLtMatmul", p, stream); status != 0) return status;
        p.a.data = moved(p.a.data, a.stride, a.type), p.b.data = moved(p.b.data, b.stride, b.type);
        p.c.data = moved(p.c.data, c.stride, c.type);
        p.d = const_cast<void*>(moved(p.d, out.stride, out.type));
    }
    return 0;
}

}  // namespace

extern "C" {

int cublasLtCreate(Context** handle) { return made(contexts(), handle, {}); }
int cublasLtDestroy(const void* handle) { return dropped(contexts(), handle); }

int cublasLtMatmulDescCreate(Description** out, int /*compute*/, int scale) {
    Description made_of;
    made_of.scale = scale;
    return made(descriptions(), out, made_of);
}
int cublasLtMatmulDescDestroy(const void* description) { return dropped(descriptions(), description); }

int cublasLtMatmulDescSetAttribute(const void* handle, int attribute, const void* value, size_t bytes) {
    return answered([&] {
        const auto d = descriptions().at(handle, kStatuses.invalid);
        switch (attribute) {
            case kTransposeA: take(d->transpose_a, value, bytes); break;
            case kTransposeB: take(d->transpose_b, value, bytes); break;
            case kEpilogue: take(d->epilogue, value, bytes); break;
            case kBias: take(d->bias, value, bytes); break;
            case kBiasType: take(d->bias_type, value, bytes); break;
            default: break;  // how fast, not what
        }
        return 0;
    });
}

int cublasLtMatrixLayoutCreate(Layout** out, int type, uint64_t rows, uint64_t cols, int64_t ld) {
    return made(layouts(), out, {type, rows, cols, ld});
}
int cublasLtMatrixLayoutDestroy(const void* layout) { return dropped(layouts(), layout); }

int cublasLtMatrixLayoutSetAttribute(const void* handle, int attribute, const void* value, size_t bytes) {
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        const auto layout = layouts().at(handle, kStatuses.invalid);
        if (attribute == kBatchCount) take(layout->count, value, bytes);
        if (attribute == kBatchStride) take(layout->stride, value, bytes);
        int order = kByColumns;
        if (attribute == kOrder) take(order, value, bytes);
        if (order != kByColumns)
            return unsupported("cublasLtMatrixLayoutSetAttribute of another order than by columns", caller);
        return 0;
    });
}

int cublasLtMatmulPreferenceCreate(Context** out) { return made(contexts(), out, {}); }
int cublasLtMatmulPreferenceDestroy(const void* preference) { return dropped(contexts(), preference); }
int cublasLtMatmulPreferenceSetAttribute(const void*, int, const void*, size_t) { return 0; }

int cublasLtMatmulAlgoGetHeuristic(
    const void*,
    const void*,
    const void*,
    const void*,
    const void*,
    const void*,
    const void*,
    int wanted,
    Heuristic* out,
    int* found
) {
    return answered([&] {
        give(found, wanted > 0 ? 1 : 0);
        if (wanted > 0) give(out, Heuristic{});
        return 0;
    });
}

int cublasLtMatmul(
    const void* /*handle*/,
    const void* description,
    const void* alpha,
    const void* a,
    const void* layout_a,
    const void* b,
    const void* layout_b,
    const void* beta,
    const void* c,
    const void* layout_c,
    void* out,
    const void* layout_out,
    const void* /*algorithm*/,
    void* /*workspace*/,
    size_t /*workspace_bytes*/,
    void* stream
) {
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        const Description d = *descriptions().at(description, kStatuses.invalid);
        const auto of = [](const void* handle) { return *layouts().at(handle, kStatuses.invalid); };
        const Layout la = of(layout_a), lb = of(layout_b), lc = of(layout_c), lo = of(layout_out);
        const bool known = std::ranges::all_of(std::array{la.type, lb.type, lc.type, lo.type}, [](int type) {
            return wl::cublas::is_known(type);
        });
        if (!known || (d.epilogue & ~kKnownEpilogues) != 0 || !wl::cublas::is_known(d.scale))
            return unsupported("cublasLtMatmul with this epilogue or type", caller);
        Product p;
        p.m = static_cast<int64_t>(lo.rows), p.n = static_cast<int64_t>(lo.cols);
        p.k = static_cast<int64_t>(d.transpose_a != 0 ? la.rows : la.cols);
        p.alpha = wl::cublas::scalar(alpha, d.scale), p.beta = wl::cublas::scalar(beta, d.scale);
        p.a = {a, la.type, la.ld, d.transpose_a != 0}, p.b = {b, lb.type, lb.ld, d.transpose_b != 0};
        p.c = {c, lc.type, lc.ld, false};
        p.d = out, p.ld = lo.ld, p.type = lo.type;
        p.epilogue = d.epilogue, p.bias = d.bias, p.bias_type = d.bias_type >= 0 ? d.bias_type : p.type;
        return multiplied(p, la, lb, lc, lo, stream);
    });
}
}
