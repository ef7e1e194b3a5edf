#include "instrumentation/analysis/decide.h"

#include "instrumentation/analysis/bounds.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/capture/limit_words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace wl::analysis {
namespace {

using capture::Compared;
using capture::Limit;

bool is_compared(const ReferenceTile& t, size_t i) {
    return t.compared.data[i] != 0 && std::isfinite(t.value.data[i]);
}

double median(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double typical_size(const ReferenceTile& t) {
    std::vector<double> sizes;
    for (size_t i = 0; i < t.value.data.size(); ++i)
        if (is_compared(t, i) && t.value.data[i] != 0) sizes.push_back(std::fabs(t.value.data[i]));
    return median(sizes);
}

double median_of(const Matrix<float>& limits, const ReferenceTile& t) {
    std::vector<double> all;
    for (size_t i = 0; i < limits.data.size(); ++i)
        if (is_compared(t, i)) all.push_back(double{limits.data[i]});
    return median(all);
}

double largest_of(const Matrix<float>& limits, const ReferenceTile& t) {
    double out = 0;
    for (size_t i = 0; i < limits.data.size(); ++i)
        if (is_compared(t, i)) out = std::max(out, double{limits.data[i]});
    return out;
}

void allow(const Allowed& allowed, ReferenceTile& t) {
    for (size_t i = 0; i < t.bound.data.size(); ++i) {
        const double size = std::isfinite(t.value.data[i]) ? std::fabs(t.value.data[i]) : 0;
        t.bound.data[i] = static_cast<float>(allowed.tolerance.value_or(0) + allowed.rtol.value_or(0) * size);
    }
    t.estimated = false, t.tolerance = true;
}

std::string percent(double share) { return fmt::format("{:.2g} %", 100 * share); }

}  // namespace

Compared decide(DType dtype, const Allowed& allowed, ReferenceTile& t) {
    Compared out;
    out.elements = static_cast<int64_t>(t.value.data.size());
    if (!t.problem.empty() || out.elements == 0) return out;
    out.typical = typical_size(t);
    const auto share = [&] { return out.typical > 0 ? median_of(t.bound, t) / out.typical : 0; };
    if (allowed.tolerance || allowed.rtol) {
        allow(allowed, t);
        out.limit = Limit::tolerance, out.share = share();
        return out;
    }
    if (is_exact(dtype, t)) {
        out.limit = Limit::exact;
        return out;
    }
    out.limit = t.estimated ? Limit::estimated : Limit::worst_case;
    out.worst_case = largest_of(t.bound, t);
    out.probable = largest_of(t.probable, t);
    out.share = share();
    if (out.share < kVacuous || t.probable.data.empty()) return out;
    t.bound = t.probable;
    if (!t.estimated) out.limit = Limit::probable;
    out.share = share();
    return out;
}

bool decides(const Compared& c) {
    return c.share < (c.limit == Limit::tolerance ? kVacuousTolerance : kVacuous);
}

std::string limit_text(const Compared& c) {
    if (c.limit == Limit::exact) return "exact: integers are equal or wrong";
    std::string out(name_of(c.limit));
    if (c.typical > 0) out += fmt::format(", {} of the typical {:.3g}", percent(c.share), c.typical);
    if (c.limit == Limit::probable)
        out += fmt::format(
            "; chance of a false alarm at most {:g} if roundings are independent; worst case {:.3g}",
            capture::kFailure,
            c.worst_case
        );
    else if (c.probable > 0 && c.probable < c.worst_case)
        out += fmt::format("; probable {:.3g}", c.probable);
    if (c.limit == Limit::estimated) out += "; the reference returns no scale";
    return out;
}

std::string undecided_text(const capture::Output& o) {
    if (o.verdict != capture::Verdict::undecided) return {};
    if (decides(o.of))
        return fmt::format(
            "the bound is estimated and may be too tight: the largest difference {:.2g} lies outside {:.2g}, "
            "but a sum of {:g} terms may round so far; let the reference return {}.scale, or say in "
            "[output.{}] "
            "how many terms are summed (terms = ...), or set tolerance or rtol there",
            o.max_difference,
            o.bound,
            kDoubtfulTerms,
            o.name,
            o.name
        );
    const bool own = o.of.limit == Limit::tolerance;
    return fmt::format(
        "the bound is vacuous: by the {} limit up to {:.3g} is allowed, {} of the output's typical size "
        "{:.3g}, "
        "and from {} on it decides nothing; {}",
        name_of(o.of.limit),
        o.bound,
        percent(o.of.share),
        o.of.typical,
        percent(own ? kVacuousTolerance : kVacuous),
        own ? "set a smaller tolerance or rtol"
            : "set tolerance or rtol, or smaller terms if the kernel sums in parts"
    );
}

std::string limit_sentence(const capture::Output& o) {
    if (o.of.limit == Limit::estimated)
        return fmt::format(
            "The bound is estimated, as the reference returns no {}.scale, the sum of absolute terms of "
            "each element.",
            o.name
        );
    if (o.of.limit != Limit::probable) return {};
    return fmt::format(
        "The probable limit decided, as the worst case {:.3g} is too wide to: an element of a right kernel "
        "lies "
        "outside it with a chance of {:g}, if roundings are independent.",
        o.of.worst_case,
        capture::kFailure
    );
}

}  // namespace wl::analysis
