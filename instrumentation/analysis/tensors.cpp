// Reference tensors given whole (Python, npz), with the bound that terms and scale allow.
#include "instrumentation/analysis/bounds.h"
#include "instrumentation/analysis/reference.h"
#include "instrumentation/base/shape_text.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace wl::analysis {

namespace {

struct Named {
    Tensor value;
    std::vector<double> scale;  // sum of absolute terms, by element; empty: unknown
    double terms = 1;
    double probable = 0;  // probable limit over scale
    std::string problem;  // with the scale that came with it
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

double median(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Medians of |value| over the finite elements of each row, of each column, and of all.
struct Sizes {
    std::vector<double> row, col;
    double all = 0;
};

Sizes sizes_of(const ReferenceTile& t) {
    const int rows = t.value.rows, cols = t.value.cols;
    std::vector<std::vector<double>> by_row(static_cast<size_t>(rows)), by_col(static_cast<size_t>(cols));
    std::vector<double> all;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            const double size = std::fabs(t.value(r, c));
            if (t.compared(r, c) == 0 || !std::isfinite(size)) continue;
            by_row[static_cast<size_t>(r)].push_back(size), by_col[static_cast<size_t>(c)].push_back(size);
            all.push_back(size);
        }
    }
    Sizes out;
    for (std::vector<double>& each : by_row) out.row.push_back(median(each));
    for (std::vector<double>& each : by_col) out.col.push_back(median(each));
    out.all = median(all);
    return out;
}

// Without a sum of absolute terms one is guessed for each element, and said to be: the element itself, or
// what its row and its column are usually like, times the square root of the terms, by which signs cancel.
// Medians, so that one large element widens no other's bound.
double estimated_scale(const Sizes& sizes, const ReferenceTile& t, int r, int c, double terms) {
    const double row = sizes.row[static_cast<size_t>(r)], col = sizes.col[static_cast<size_t>(c)];
    const double around = t.value.rows == 1 || t.value.cols == 1 ? sizes.all
        : sizes.all > 0                                          ? row * col / sizes.all
                                                                 : std::min(row, col);
    const double own = std::fabs(t.value(r, c));
    return std::max(std::isfinite(own) ? own : 0, around) * std::sqrt(terms);
}

// The limits of one element whose absolute terms sum up to `scale`.
void bound_element(const Named& n, double scale, size_t i, ReferenceTile& out) {
    out.bound.data[i] = static_cast<float>(sum_bound(n.terms, 2, scale));
    out.probable.data[i] = static_cast<float>(n.probable * scale);
}

void estimate_bounds(const Named& n, ReferenceTile& out) {
    const Sizes sizes = sizes_of(out);
    for (int r = 0; r < out.value.rows; ++r)
        for (int c = 0; c < out.value.cols; ++c)
            bound_element(n, estimated_scale(sizes, out, r, c, n.terms), out.value.index(r, c), out);
    out.estimated = true;
    out.doubt = std::max(1.0, (kDoubtfulTerms + 2) / (n.terms + 2));
}

ReferenceTile window_of(const Named& n, const Window& w) {
    ReferenceTile out = blank_tile(w);
    out.problem = n.problem.empty() ? check(n, w) : n.problem;
    if (!out.problem.empty()) return out;
    out.probable = make_matrix<float>(w.rows, w.cols);
    const bool whole = n.value.dtype == DType::s64 || n.value.dtype == DType::u64;
    if (whole) out.whole = make_matrix<int64_t>(w.rows, w.cols), out.whole_type = n.value.dtype;
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
            const std::byte* bytes =
                n.value.bytes.data() + static_cast<size_t>(flat) * size_of(n.value.dtype);
            if (whole) out.whole(r, c) = static_cast<int64_t>(bits_of(n.value.dtype, bytes));
            if (!n.scale.empty())
                bound_element(n, n.scale[static_cast<size_t>(flat)], out.value.index(r, c), out);
        }
    }
    if (n.scale.empty()) estimate_bounds(n, out);
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
        set->push_back({t, {}, 1, 0, {}});
    }
    for (Named& n : *set) {
        for (const TensorTerms& known : terms) {
            if (known.name == n.value.name) n.terms = known.terms;
        }
        const double roundings = n.terms * static_cast<double>(elements(n.value.shape));
        n.probable = probable_sum_bound(n.terms, 2, 1, probable_lambda(roundings));
        const auto scale = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) {
            return t.name == n.value.name + ".scale";
        });
        if (scale == tensors.end()) continue;
        if (scale->shape != n.value.shape) {
            n.problem = scale->name + " of the reference has the shape " + shape_text(scale->shape) + ", " +
                n.value.name + " the shape " + shape_text(n.value.shape) + "; they must be the same";
            continue;
        }
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
