// Comparing what some blocks left in the outputs.
#include "instrumentation/diagnosis/prove/judge.h"

#include "instrumentation/analysis/decide.h"
#include "instrumentation/analysis/diff.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace wl::diagnosis {

namespace {

constexpr int64_t kBand = 16;  // rows of an output whose reference is asked for at once

// Rows of an output, within one matrix of its last two dimensions.
struct Band {
    const execution::Allocation& allocation;
    DType dtype = DType::f32;
    int64_t row = 0, rows = 0, cols = 0;  // rows counted through all matrices

    size_t element() const { return size_of(dtype); }
    size_t begin() const { return static_cast<size_t>(row * cols) * element(); }
    size_t bytes() const { return static_cast<size_t>(rows * cols) * element(); }
};

bool any_written(const Band& b) {
    const std::vector<uint8_t>& written = b.allocation.written;
    return written.empty() || std::memchr(written.data() + b.begin(), 1, b.bytes()) != nullptr;
}

bool is_written(const execution::Allocation& a, size_t first, size_t size) {
    if (a.written.empty()) return true;
    const std::span<const uint8_t> flags(a.written.data() + first, size);
    return std::all_of(flags.begin(), flags.end(), [](uint8_t w) { return w != 0; });
}

analysis::Window window_of(const std::string& tensor, const std::vector<int64_t>& shape, const Band& b) {
    analysis::Window w{
        tensor, std::vector<int64_t>(shape.size(), 0), static_cast<int>(b.rows), static_cast<int>(b.cols)};
    if (shape.size() < 2) return w;
    const int64_t stripe = shape[shape.size() - 2];
    int64_t outer = b.row / stripe;
    w.at[shape.size() - 2] = b.row % stripe;
    for (size_t d = shape.size() - 2; d-- > 0;) w.at[d] = outer % shape[d], outer /= shape[d];
    return w;
}

void judge(const Band& b, const analysis::ReferenceTile& reference, Trial& out) {
    const Matrix<float> limits = analysis::limits(b.dtype, reference);
    const bool whole = !reference.whole.data.empty() && analysis::is_exact(b.dtype, reference);
    for (size_t i = 0; i < reference.value.data.size(); ++i) {
        const double r = reference.value.data[i];
        const size_t at = b.begin() + i * b.element();
        if (std::isnan(r) || !is_written(b.allocation, at, b.element())) continue;
        const std::byte* element = b.allocation.bytes.data() + at;
        const double got = to_double(b.dtype, element), difference = std::fabs(got - r);
        ++out.compared;
        if (std::isfinite(difference)) out.max_difference = std::max(out.max_difference, difference);
        const bool bad = whole ? std::memcmp(element, &reference.whole.data[i], sizeof(int64_t)) != 0
                               : analysis::is_bad(got, r, limits.data[i]);
        if (bad) ++out.bad;
    }
}

const execution::Allocation* allocation_of(
    const execution::GlobalMemory& memory, const std::string& argument
) {
    const auto it = std::find_if(memory.allocations.begin(), memory.allocations.end(), [&](const auto& a) {
        return a.name == argument;
    });
    return it == memory.allocations.end() ? nullptr : &*it;
}

void judge_output(
    const Inputs& inputs,
    const manifest::BoundArgument& a,
    const execution::Allocation& allocation,
    Trial& out
) {
    const auto rule = inputs.problem.kernel.outputs.find(a.name);
    const bool ruled = rule != inputs.problem.kernel.outputs.end();
    if (ruled && !rule->second.compare) return;
    analysis::Allowed allowed;
    if (ruled) allowed = {rule->second.tolerance, rule->second.rtol};
    const std::string& of = ruled && !rule->second.of.empty() ? rule->second.of : a.name;
    const std::vector<int64_t>& shape = a.data.shape;
    const int64_t cols = std::max<int64_t>(shape.empty() ? 1 : shape.back(), 1),
                  rows = elements(shape) / cols, stripe = shape.size() < 2 ? 1 : shape[shape.size() - 2];
    for (int64_t row = 0; row < rows;) {
        const int64_t n = std::min(kBand, stripe - row % stripe);
        const Band band{allocation, a.data.dtype, row, n, cols};
        row += n;
        if (!any_written(band)) continue;
        analysis::ReferenceTile reference = inputs.reference->tile(window_of(of, shape, band));
        if (!reference.problem.empty()) return;
        // A limit that lets nearly everything pass shows nothing mended.
        if (analysis::decides(analysis::decide(a.data.dtype, allowed, reference)))
            judge(band, reference, out);
    }
}

}  // namespace

std::vector<std::string> watch_filled_outputs(
    const manifest::Problem& problem, execution::GlobalMemory& memory
) {
    std::vector<std::string> filled;
    for (const manifest::BoundArgument& a : problem.args) {
        if (!a.array || !a.output || !a.filled) continue;
        for (execution::Allocation& m : memory.allocations) {
            if (m.name != a.name || !m.written.empty()) continue;
            m.written.assign(m.bytes.size(), 0);
            filled.push_back("global " + a.name);
        }
    }
    return filled;
}

bool reads_fill(const execution::Incident& i, const std::vector<std::string>& filled) {
    return i.kind == execution::Incident::Kind::uninitialised_read &&
        std::find(filled.begin(), filled.end(), i.first.memory) != filled.end();
}

void judge_outputs(const Inputs& inputs, const execution::GlobalMemory& memory, Trial& out) {
    if (!inputs.reference) return;
    for (const manifest::BoundArgument& a : inputs.problem.args) {
        const execution::Allocation* allocation =
            a.array && a.output ? allocation_of(memory, a.name) : nullptr;
        if (allocation != nullptr) judge_output(inputs, a, *allocation, out);
    }
}

}  // namespace wl::diagnosis
