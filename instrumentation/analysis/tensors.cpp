// Reference tensors given whole (Python, npz), with the bound that terms and scale allow.
#include "instrumentation/analysis/bounds.h"
#include "instrumentation/analysis/reference.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace wl::analysis {

namespace {

struct Named {
    Tensor value;
    std::vector<double> scale;  // sum of absolute terms, by element; empty: unknown
    double terms = 1;
};

using Set = std::vector<Named>;

// Strides in elements, row-major.
std::vector<int64_t> strides(const std::vector<int64_t>& shape) {
    std::vector<int64_t> out(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) out[i - 1] = out[i] * shape[i];
    return out;
}

std::string check(const Named& n, const Window& w) {
    const size_t dims = n.value.shape.size();
    if (w.at.size() != dims)
        return "the reference tensor '" + n.value.name + "' has " + std::to_string(dims) +
            " dimensions, `at` gives " + std::to_string(w.at.size());
    const Axes a = axes(w, dims);
    const bool row_fits = w.rows == 1 || (a.row >= 0 && a.row < static_cast<int>(dims)),
               col_fits = w.cols == 1 || (a.col >= 0 && a.col < static_cast<int>(dims));
    if (!row_fits || !col_fits)
        return "a " + std::to_string(w.rows) + " x " + std::to_string(w.cols) + " tile does not fit the " +
            std::to_string(dims) + "-dimensional reference tensor '" + n.value.name +
            "': give row_axis and col_axis";
    return {};
}

// Without a sum of absolute terms the largest value of the tile stands for it: an estimate, and said to be
// one.
double estimated_scale(const ReferenceTile& t) {
    double largest = 0;
    for (size_t i = 0; i < t.value.data.size(); ++i) {
        if (t.compared.data[i] != 0 && std::isfinite(t.value.data[i]))
            largest = std::max(largest, std::fabs(t.value.data[i]));
    }
    return largest;
}

ReferenceTile window_of(const Named& n, const Window& w) {
    ReferenceTile out = blank_tile(w);
    out.problem = check(n, w);
    if (!out.problem.empty()) return out;
    const Axes a = axes(w, n.value.shape.size());
    const std::vector<int64_t> stride = strides(n.value.shape);
    for (int r = 0; r < w.rows; ++r) {
        for (int c = 0; c < w.cols; ++c) {
            int64_t flat = 0;
            bool inside = true;
            for (size_t d = 0; d < stride.size(); ++d) {
                const int64_t x =
                    w.at[d] + (static_cast<int>(d) == a.row ? r : 0) + (static_cast<int>(d) == a.col ? c : 0);
                inside = inside && x >= 0 && x < n.value.shape[d];
                flat += x * stride[d];
            }
            if (!inside) continue;
            out.value(r, c) = at(n.value, flat);
            out.compared(r, c) = 1;
            if (!n.scale.empty())
                out.bound(r, c) =
                    static_cast<float>(sum_bound(n.terms, 2, n.scale[static_cast<size_t>(flat)]));
        }
    }
    if (n.scale.empty()) {
        out.estimated = true;
        const auto bound =
            static_cast<float>(sum_bound(n.terms, 2, estimated_scale(out) * std::sqrt(n.terms)));
        std::fill(out.bound.data.begin(), out.bound.data.end(), bound);
    }
    return out;
}

}  // namespace

Axes axes(const Window& w, size_t dimensions) {
    const int last = static_cast<int>(dimensions) - 1;
    if (w.row_axis >= 0 || w.col_axis >= 0) return {w.row_axis, w.col_axis};
    if (w.cols == 1) return {last, -1};
    if (w.rows == 1) return {-1, last};
    return {last - 1, last};
}

Reference tensor_reference(
    std::string origin, std::vector<Tensor> tensors, const std::vector<TensorTerms>& terms
) {
    auto set = std::make_shared<Set>();
    Reference out;
    out.origin = std::move(origin);
    for (Tensor& t : tensors) {
        if (t.name.ends_with(".scale")) continue;
        out.tensors.push_back({t.name, t.shape});
        set->push_back({t, {}, 1});
    }
    for (Named& n : *set) {
        for (const TensorTerms& known : terms) {
            if (known.name == n.value.name) n.terms = known.terms;
        }
        const auto scale = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) {
            return t.name == n.value.name + ".scale" && t.shape == n.value.shape;
        });
        if (scale == tensors.end()) continue;
        for (int64_t i = 0; i < elements(scale->shape); ++i) n.scale.push_back(std::fabs(at(*scale, i)));
    }
    out.tile = [set](const Window& w) {
        const auto named =
            std::find_if(set->begin(), set->end(), [&](const Named& n) { return n.value.name == w.tensor; });
        if (named != set->end()) return window_of(*named, w);
        ReferenceTile none = blank_tile(w);
        none.problem = "no tensor named '" + w.tensor + "' in the reference; there are";
        for (const Named& n : *set) none.problem += " " + n.value.name;
        return none;
    };
    return out;
}

}  // namespace wl::analysis
