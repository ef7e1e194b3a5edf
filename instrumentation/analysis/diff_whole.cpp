// Comparing integers: equal, or wrong.
#include "instrumentation/analysis/diff_elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wl::analysis {
namespace {

// Wide enough for the difference of any two integers of 64 bits.
__extension__ using Wide = __int128;

Wide wide_of(DType dtype, uint64_t bits) {
    return dtype == DType::u64 ? static_cast<Wide>(bits) : static_cast<Wide>(static_cast<int64_t>(bits));
}

Wide element_of(DType dtype, const std::byte* at) {
    if (size_of(dtype) < sizeof(uint64_t)) return static_cast<Wide>(to_double(dtype, at));
    uint64_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return wide_of(dtype, bits);
}

// How far apart they are; 0: nothing says that they differ.
double difference_of(Wide got, double reference) {
    constexpr double kCounts = 0x1p53, kRange = 0x1p100;  // doubles count whole numbers to here; conversion
    if (!(std::fabs(reference) < kRange)) return std::fabs(static_cast<double>(got) - reference);
    const Wide whole = static_cast<Wide>(reference);
    const double fraction = reference - static_cast<double>(whole);
    const double apart = std::fabs(static_cast<double>(got - whole) - fraction);
    return std::fabs(reference) > kCounts && apart <= std::fabs(reference) * 0x1p-53 ? 0 : apart;
}

}  // namespace

ElementCounts count_whole(DType dtype, const std::vector<std::byte>& values, const ReferenceTile& reference) {
    ElementCounts out = count_values(widen(dtype, values));
    const bool exact = !reference.whole.data.empty();
    for (size_t i = 0; i < reference.value.data.size(); ++i) {
        const double r = reference.value.data[i];
        if (reference.compared.data[i] == 0 || std::isnan(r)) continue;
        ++out.compared;
        const Wide got = element_of(dtype, values.data() + i * size_of(dtype));
        const double apart = exact
            ? std::fabs(static_cast<double>(
                  got - wide_of(reference.whole_type, static_cast<uint64_t>(reference.whole.data[i]))
              ))
            : difference_of(got, r);
        if (apart == 0) continue;
        if (out.bad++ == 0) out.first_bad = i;
        out.max_difference = std::max(out.max_difference, apart);
        out.max_excess = std::max(out.max_excess, apart);  // a step of 1 is one too many
    }
    return out;
}

}  // namespace wl::analysis
