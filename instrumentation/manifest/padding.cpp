// What a reference does not read, found by asking it.
#include "instrumentation/manifest/padding.h"

#include "instrumentation/base/error.h"
#include "instrumentation/manifest/inputs.h"
#include "instrumentation/manifest/python.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace wl::manifest {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Asked {
    Problem& problem;
    std::vector<Tensor> wanted;  // what the reference returns of the inputs as they are
    int left = kMostAsked;
};

bool is_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tensor& x, const Tensor& y) {
        return x.name == y.name && x.shape == y.shape && x.bytes == y.bytes;
    });
}

// Indices along an axis, of all of an array or of one index of its first axis.
struct Slab {
    size_t axis = 0;
    int64_t begin = 0, end = 0;
    int64_t row = -1;  // -1: all of the array
};

template <class Visit>
void each_element(const Tensor& t, const Slab& slab, const Visit& visit) {
    int64_t inner = 1;
    for (size_t d = slab.axis + 1; d < t.shape.size(); ++d) inner *= t.shape[d];
    const int64_t step = inner * t.shape[slab.axis], all = elements(t.shape);
    const int64_t row = slab.row < 0 ? all : all / t.shape[0], first = std::max<int64_t>(slab.row, 0) * row;
    for (int64_t outer = first; outer < first + row; outer += step)
        for (int64_t i = outer + slab.begin * inner; i < outer + slab.end * inner; ++i) visit(i);
}

// Puts NaN there; where the reference reads some of it, all is as it was.
bool takes_nan(Asked& a, Tensor& t, const Slab& slab) {
    if (a.left-- <= 0) return false;
    const std::vector<std::byte> before = t.bytes;
    each_element(t, slab, [&](int64_t i) {
        std::byte* const at = t.bytes.data() + static_cast<size_t>(i) * size_of(t.dtype);
        from_double(t.dtype, kNaN, at);
    });
    const PythonReference now = run_python_reference(a.problem, a.problem.kernel.reference.target);
    const bool same = now.problem.empty() && is_same(now.tensors, a.wanted);
    if (!same) t.bytes = before;
    return same;
}

// Of an axis what is not known to be padding.
struct Kept {
    int64_t begin = 0, end = 0;
};

// More of it from either end: twice as much as long as that goes, then by halves.
void shrink(Asked& a, Tensor& t, size_t axis, int64_t row, bool last, Kept& kept) {
    const auto takes = [&](int64_t more) {
        if (more > kept.end - kept.begin) return false;
        const Slab slab = last ? Slab{axis, kept.end - more, kept.end, row}
                               : Slab{axis, kept.begin, kept.begin + more, row};
        if (!takes_nan(a, t, slab)) return false;
        (last ? kept.end : kept.begin) += last ? -more : more;
        return true;
    };
    int64_t step = 1;
    while (takes(step)) step *= 2;
    for (step /= 2; step > 0; step /= 2) takes(step);
}

std::string stretch_text(const Tensor& t, const Slab& slab) {
    std::vector<std::string> at(t.shape.size(), ":");
    if (slab.row >= 0) at[0] = fmt::format("{}", slab.row);
    at[slab.axis] = fmt::format("{}:{}", slab.begin, slab.end);
    return fmt::format("{}[{}]", t.name, fmt::join(at, ", "));
}

// Of one axis, both ends; what is left of it.
Kept pad(Asked& a, Tensor& t, size_t axis, int64_t row, Kept known, std::vector<std::string>& said) {
    Kept kept = known;
    shrink(a, t, axis, row, true, kept);
    shrink(a, t, axis, row, false, kept);
    const int64_t extent = t.shape[axis];
    if (kept.end < known.end) said.push_back(stretch_text(t, {axis, kept.end, extent, row}));
    if (kept.begin > known.begin) said.push_back(stretch_text(t, {axis, 0, kept.begin, row}));
    return kept;
}

void pad(Asked& a, Tensor& t, std::vector<std::string>& said) {
    std::vector<Kept> kept;
    for (size_t axis = 0; axis < t.shape.size(); ++axis) {
        kept.push_back(pad(a, t, axis, -1, {0, t.shape[axis]}, said));
        if (kept.back().begin == kept.back().end) return;  // all of the array
    }
    for (int64_t row = kept[0].begin; t.shape.size() > 1 && row < kept[0].end; ++row)
        for (size_t axis = 1; axis < t.shape.size(); ++axis) {
            const Kept left = pad(a, t, axis, row, kept[axis], said);
            if (left.begin == left.end) break;
        }
}

bool has_nan(DType t) {
    std::array<std::byte, sizeof(double)> bytes{};
    if (!is_float(t)) return false;
    from_double(t, kNaN, bytes.data());
    return std::isnan(to_double(t, bytes.data()));
}

void collect(BoundArgument& argument, std::vector<Tensor*>& found) {
    if (argument.array && argument.filled && !argument.output && has_nan(argument.data.dtype))
        found.push_back(&argument.data);
    for (BoundArgument& field : argument.fields) collect(field, found);
}

}  // namespace

void put_nan_in_padding(Problem& problem) {
    using Kind = ReferenceRule::Kind;
    const std::string what = fmt::format("--inputs {}: ", kNanPadding);
    if (problem.kernel.reference.kind == Kind::builtin) {
        problem.remarks.push_back(what + "the built-in reference reads every input, so there is no NaN");
        return;
    }
    if (problem.kernel.reference.kind != Kind::python)
        throw Error(
            what + "the Python reference is asked what it does not read, and " + problem.kernel.path +
            " has none: write one ([reference] python = \"...\"), or take another kind of inputs"
        );
    PythonReference first = run_python_reference(problem, problem.kernel.reference.target);
    if (!first.problem.empty()) throw Error(what + first.problem);
    Asked asked{problem, std::move(first.tensors)};
    std::vector<Tensor*> found;
    for (BoundArgument& argument : problem.args) collect(argument, found);
    std::vector<std::string> said;
    for (Tensor* tensor : found) pad(asked, *tensor, said);
    constexpr size_t kShown = 6;
    const size_t more = said.size() > kShown ? said.size() - kShown : 0;
    if (more > 0) said.resize(kShown);
    problem.remarks.push_back(
        what +
        (said.empty() ? "the reference reads every input that was asked for, so there is no NaN"
                      : fmt::format("NaN, as the reference does not read it, in {}", fmt::join(said, ", "))) +
        (more > 0 ? fmt::format(" and {} more", more) : "") +
        (asked.left < 0
             ? fmt::format("; it was asked {} times, and what lies beyond that is as it was", kMostAsked)
             : "")
    );
}

}  // namespace wl::manifest
