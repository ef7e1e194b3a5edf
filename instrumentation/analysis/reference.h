// The FP64 truth for any window of any named tensor, with the bound that the arithmetic allows.
#pragma once

#include "instrumentation/base/matrix.h"
#include "instrumentation/base/tensor.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace wl::analysis {

struct Window {
    std::string tensor;
    std::vector<int64_t> at;  // coordinates of element (0,0), one a dimension
    int rows = 0, cols = 0;
    int row_axis = -1,
        col_axis = -1;  // -1: the last two dimensions; a rows x 1 or 1 x cols tile runs along the last
};

// The dimensions that the window's rows and columns run along; -1: none.
struct Axes {
    int row = -1, col = -1;
};
Axes axes(const Window& window, size_t dimensions);

struct ReferenceTile {
    Matrix<double> value;  // NaN where the window leaves the tensor: not compared (compared == 0 there)
    Matrix<float>
        bound;  // limit for |got - value| before the tile's own format rounds: derived, see bounds.h
    Matrix<uint8_t> compared;
    bool estimated = false;       // no sum of absolute terms was known: it was guessed from the values around
    std::string problem;          // "no tensor named ..., there are ..."; then nothing is compared
    Matrix<float> probable = {};  // as bound, for independent roundings (bounds.h); empty: not derived
    Matrix<int64_t> whole = {};   // of a tensor of s64 or u64 its elements' bits; else empty
    DType whole_type = DType::s64;
    double doubt = 1;        // of an estimated bound: up to this multiple of it may be rounding all the same
    bool tolerance = false;  // bound is what the manifest allows: integers are not exact then
};

// Nothing compared yet: values NaN, limits 0.
ReferenceTile blank_tile(const Window& window);

struct ReferenceTensor {
    std::string name;
    std::vector<int64_t> shape;
    bool pieced = false;  // put together from tiles: as large as they reach, which is no statement of a shape
};

// A value with one function: whoever makes it (attention in C++, arrays from Python or npz, another kernel's
// capture) hides how. `tile` may be called from several threads at once.
struct Reference {
    std::string origin;  // "builtin attention, FP64", "gemm.py", ...
    std::vector<ReferenceTensor> tensors;
    std::function<ReferenceTile(const Window&)> tile;
};

// O = softmax(scale * Q K^T + mask) V, streamed over KV tiles of N keys in the order of the kernels.
struct AttentionProblem {
    int64_t batch = 1, heads = 1, sequence = 0, head_dim = 0;  // B, H, S, D
    int64_t kv_tile = 64;                                      // N
    bool causal = false;
    double scale = 0;  // 0: 1/sqrt(D)
    Tensor q, k, v;    // (B, H, S, D), as the kernel got them
    DType score_format = DType::f32,
          p_format = DType::f32;  // formats in which the kernel keeps S and P between the stages
};

// Tensors: Q K V, scores (B,H,S,S) before the mask, masked (B,H,S,S), P (B,H,S,S) = exp(masked - m of the KV
// iteration), m, l, alpha (iterations,B,H,S), O_accum (iterations,B,H,S,D) after each iteration, O (B,H,S,D).
Reference attention_reference(AttentionProblem problem);

// Whole tensors by name (Python, npz). `NAME.scale` gives the sum of absolute terms; `terms` how many terms
// each element sums.
struct TensorTerms {
    std::string name;
    double terms = 1;
};
Reference tensor_reference(
    std::string origin, std::vector<Tensor> tensors, const std::vector<TensorTerms>& terms
);

}  // namespace wl::analysis
