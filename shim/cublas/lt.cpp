// cuBLASLt: descriptions as they are set, and the one product that they describe.
#include "shim/cublas/gemm.h"

#include <algorithm>
#include <cstring>

using wl::cublas::Product;

namespace {

// cublasLtMatmulDescAttributes_t, cublasLtMatrixLayoutAttribute_t
constexpr int kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBias = 8, kBiasType = 26;
constexpr int kBatchCount = 5, kBatchStride = 6;
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

template <class T>
int destroy(T* it) {
    delete it;
    return 0;
}

const void* moved(const void* at, int64_t elements, int type) {
    return static_cast<const std::byte*>(at) + elements * static_cast<int64_t>(wl::cublas::bytes_of(type));
}

}  // namespace

extern "C" {

int cublasLtCreate(void** handle) {
    *handle = new char;
    return 0;
}
int cublasLtDestroy(void* handle) { return destroy(static_cast<char*>(handle)); }

int cublasLtMatmulDescCreate(Description** out, int /*compute*/, int scale) {
    *out = new Description;
    (*out)->scale = scale;
    return 0;
}
int cublasLtMatmulDescDestroy(Description* description) { return destroy(description); }

int cublasLtMatmulDescSetAttribute(Description* d, int attribute, const void* value, size_t bytes) {
    switch (attribute) {
        case kTransposeA: std::memcpy(&d->transpose_a, value, std::min(bytes, sizeof d->transpose_a)); break;
        case kTransposeB: std::memcpy(&d->transpose_b, value, std::min(bytes, sizeof d->transpose_b)); break;
        case kEpilogue: std::memcpy(&d->epilogue, value, std::min(bytes, sizeof d->epilogue)); break;
        case kBias: std::memcpy(&d->bias, value, std::min(bytes, sizeof d->bias)); break;
        case kBiasType: std::memcpy(&d->bias_type, value, std::min(bytes, sizeof d->bias_type)); break;
        default: break;  // how fast, not what
    }
    return 0;
}

int cublasLtMatrixLayoutCreate(Layout** out, int type, uint64_t rows, uint64_t cols, int64_t ld) {
    *out = new Layout{type, rows, cols, ld};
    return 0;
}
int cublasLtMatrixLayoutDestroy(Layout* layout) { return destroy(layout); }

int cublasLtMatrixLayoutSetAttribute(Layout* layout, int attribute, const void* value, size_t bytes) {
    if (attribute == kBatchCount) std::memcpy(&layout->count, value, std::min(bytes, sizeof layout->count));
    if (attribute == kBatchStride)
        std::memcpy(&layout->stride, value, std::min(bytes, sizeof layout->stride));
    return attribute == 1 ? wl::cublas::unsupported("CUBLASLT_MATRIX_LAYOUT_ORDER") : 0;
}

int cublasLtMatmulPreferenceCreate(void** out) { return cublasLtCreate(out); }
int cublasLtMatmulPreferenceDestroy(void* preference) { return cublasLtDestroy(preference); }
int cublasLtMatmulPreferenceSetAttribute(void*, int, const void*, size_t) { return 0; }

int cublasLtMatmulAlgoGetHeuristic(
    void*, Description*, Layout*, Layout*, Layout*, Layout*, void*, int wanted, Heuristic* out, int* found
) {
    *found = wanted > 0 ? 1 : 0;
    if (wanted > 0) *out = {};
    return 0;
}

int cublasLtMatmul(
    void* /*handle*/,
    const Description* d,
    const void* alpha,
    const void* a,
    const Layout* layout_a,
    const void* b,
    const Layout* layout_b,
    const void* beta,
    const void* c,
    const Layout* layout_c,
    void* out,
    const Layout* layout_out,
    const void* /*algorithm*/,
    void* /*workspace*/,
    size_t /*workspace_bytes*/,
    void* stream
) {
    if ((d->epilogue & ~kKnownEpilogues) != 0)
        return wl::cublas::unsupported("cublasLtMatmul with this epilogue");
    Product p;
    p.m = static_cast<int64_t>(layout_out->rows), p.n = static_cast<int64_t>(layout_out->cols);
    p.k = static_cast<int64_t>(d->transpose_a != 0 ? layout_a->rows : layout_a->cols);
    p.alpha = wl::cublas::scalar(alpha, d->scale), p.beta = wl::cublas::scalar(beta, d->scale);
    p.a = {a, layout_a->type, layout_a->ld, d->transpose_a != 0};
    p.b = {b, layout_b->type, layout_b->ld, d->transpose_b != 0};
    p.c = {c, layout_c->type, layout_c->ld, false};
    p.d = out, p.ld = layout_out->ld, p.type = layout_out->type;
    p.epilogue = d->epilogue, p.bias = d->bias, p.bias_type = d->bias_type >= 0 ? d->bias_type : p.type;
    for (int k = 0; k < layout_out->count; ++k) {
        if (const int status = wl::cublas::multiply(p, stream); status != 0) return status;
        p.a.data = moved(p.a.data, layout_a->stride, p.a.type),
        p.b.data = moved(p.b.data, layout_b->stride, p.b.type);
        p.c.data = moved(p.c.data, layout_c->stride, p.c.type);
        p.d = const_cast<void*>(moved(p.d, layout_out->stride, p.type));
    }
    return 0;
}
}
