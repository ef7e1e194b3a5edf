// Comparing what some blocks left in the outputs.
#include "instrumentation/diagnosis/prove/judge.h"

#include "instrumentation/analysis/decide.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/manifest/params.h"

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

// Integers of 32 bits and fewer are exact as doubles.
bool is_same_integer(DType dtype, const std::byte* element, int64_t reference) {
    if (size_of(dtype) == sizeof reference) return std::memcmp(element, &reference, sizeof reference) == 0;
    return to_double(dtype, element) == static_cast<double>(reference);
}

// A long sum may be so far off, and nobody says how long it is.
bool is_undecided(double difference, float limit, const analysis::ReferenceTile& reference) {
    return reference.estimated && std::isfinite(difference) &&
        difference <= reference.doubt * static_cast<double>(limit);
}

void count_bad(double difference, Trial& out) {
    ++out.bad;
    if (std::isfinite(difference))
        out.max_bad = std::max(out.max_bad, difference);
    else
        ++out.bad_infinite;
}

// `whose`: elements that are another launch's are passed by; null: all are this one's.
void judge(
    const Band& b,
    const analysis::ReferenceTile& reference,
    const std::vector<Whose>* whose,
    const TrialOptions& options,
    Trial& out
) {
    const Matrix<float> limits = analysis::limits(b.dtype, reference);
    const bool exact = analysis::is_exact(b.dtype, reference);
    const bool whole = !reference.whole.data.empty() && exact;
    for (size_t i = 0; i < reference.value.data.size(); ++i) {
        const double r = reference.value.data[i];
        const size_t at = b.begin() + i * b.element();
        if (whose != nullptr && (*whose)[at / b.element()] != Whose::own) continue;
        out.unjudged += std::isnan(r) ? 1 : 0;
        if (std::isnan(r) || !is_written(b.allocation, at, b.element())) continue;
        const std::byte* element = b.allocation.bytes.data() + at;
        const double got = to_double(b.dtype, element), difference = std::fabs(got - r);
        ++out.compared, ++out.outputs;
        if (std::isfinite(difference)) out.max_difference = std::max(out.max_difference, difference);
        const bool outside = whole ? !is_same_integer(b.dtype, element, reference.whole.data[i])
                                   : analysis::is_bad(got, r, limits.data[i]);
        const bool doubtful = outside && !exact && is_undecided(difference, limits.data[i], reference);
        const bool bad = outside && !doubtful;
        out.undecided += doubtful ? 1 : 0;
        if (bad) count_bad(difference, out);
        const auto place = static_cast<int64_t>(at / b.element());
        if (options.on_element)
            options.on_element({b.allocation.name, b.dtype, place, got, r, limits.data[i], bad});
    }
}

void judge_output(
    const Inputs& inputs,
    const manifest::BoundArgument& a,
    const execution::Allocation& allocation,
    const TrialOptions& options,
    Trial& out
) {
    const manifest::OutputRule rule = rule_of(inputs.problem, a.data.name);
    if (!rule.compare || !misfit(*inputs.reference, rule.of, a).empty()) return;
    const analysis::Allowed allowed{rule.tolerance, rule.rtol};
    const std::vector<Whose>* whose = nullptr;
    if (!options.at_end && inputs.unsettled &&
        !manifest::launch_of(inputs.problem).outputs.contains(a.data.name))
        whose = &inputs.unsettled->elements.at(a.data.name);
    const std::vector<int64_t>& shape = a.data.shape;
    const int64_t cols = std::max<int64_t>(shape.empty() ? 1 : shape.back(), 1),
                  rows = elements(shape) / cols, stripe = shape.size() < 2 ? 1 : shape[shape.size() - 2];
    for (int64_t row = 0; row < rows;) {
        const int64_t n = std::min(kBand, stripe - row % stripe);
        const Band band{allocation, a.data.dtype, row, n, cols};
        row += n;
        if (!any_written(band)) continue;
        analysis::ReferenceTile reference = inputs.reference->tile(window_of(rule.of, shape, band));
        if (!reference.problem.empty()) return;
        // A limit that lets nearly everything pass shows nothing mended.
        if (analysis::decides(analysis::decide(a.data.dtype, allowed, reference)))
            judge(band, reference, whose, options, out);
        else
            out.unjudged += n * cols;
    }
}

}  // namespace

std::vector<std::string> watch_outputs(const manifest::Problem& problem, execution::GlobalMemory& memory) {
    std::vector<std::string> filled;
    for (const manifest::BoundArgument* a : manifest::arrays(problem)) {
        if (!a->output) continue;
        for (execution::Allocation& m : memory.allocations) {
            // What launches before this one wrote is as good as a fill.
            const bool before = m.written.empty() ? a->filled : problem.at > 0;
            if (m.name != a->data.name || !before) continue;
            m.written.assign(m.bytes.size(), 0);
            filled.push_back("global " + a->data.name);
        }
    }
    return filled;
}

bool is_followed(const execution::Incident& i) {
    using Kind = execution::Incident::Kind;
    return i.kind == Kind::uninitialised_read ||
        (i.kind == Kind::lane_not_in_mask && i.detail == emulator::kInactiveSource);
}

bool reads_fill(const execution::Incident& i, const std::vector<std::string>& filled) {
    return i.kind == execution::Incident::Kind::uninitialised_read &&
        std::find(filled.begin(), filled.end(), i.first.memory) != filled.end();
}

void judge_outputs(
    const Inputs& inputs, const execution::GlobalMemory& memory, const TrialOptions& options, Trial& out
) {
    if (!inputs.reference) return;
    for (const manifest::BoundArgument* a : manifest::arrays(inputs.problem)) {
        const execution::Allocation* allocation =
            a->output ? execution::find_named(memory, a->data.name) : nullptr;
        const bool left_out = options.without_filled && inputs.filled.contains(a->data.name);
        if (allocation == nullptr || left_out) continue;
        const int64_t before = out.outputs;
        judge_output(inputs, *a, *allocation, options, out);
        out.of_output.push_back(out.outputs - before);
    }
}

}  // namespace wl::diagnosis
