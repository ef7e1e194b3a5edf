// Difference, relative difference, ratio and signed distance in ULP.
#include "instrumentation/analysis/metric.h"

#include <cmath>
#include <limits>

namespace wl::analysis {

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

float ulp_of(DType t, double got, double reference) {
    const std::optional<uint64_t> distance = ulp_distance(t, got, reference);
    if (!distance) return kNaN;
    const auto magnitude = static_cast<float>(*distance);
    return got < reference ? -magnitude : magnitude;
}

}  // namespace

float metric_of(DType dtype, double got, double reference, Metric metric) {
    if (std::isnan(reference)) return kNaN;
    const double difference = got == reference ? 0 : got - reference;  // inf - inf: agreement, not NaN
    switch (metric) {
        case Metric::difference: return static_cast<float>(difference);
        case Metric::relative:
            return static_cast<float>(difference == 0 ? 0 : difference / std::fabs(reference));
        case Metric::ratio: return static_cast<float>(got == reference ? 1 : got / reference);
        case Metric::ulp: return ulp_of(dtype, got, reference);
    }
    return kNaN;
}

}  // namespace wl::analysis
