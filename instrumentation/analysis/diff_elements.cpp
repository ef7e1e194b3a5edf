// Comparing four elements at a time. Compiled for AVX2 and F16C, which the emulator asks for as well; nothing
// is contracted, so that every element is computed as analysis::is_bad and store_bound have it.
#include "instrumentation/analysis/diff_elements.h"

#include "instrumentation/analysis/bounds.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <immintrin.h>

namespace wl::analysis {
namespace {

constexpr size_t kWidth = 4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void widen_halves(const std::byte* values, size_t n, double* out) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256 f = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values + 2 * i)));
        _mm256_storeu_pd(out + i, _mm256_cvtps_pd(_mm256_castps256_ps128(f)));
        _mm256_storeu_pd(out + i + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(f, 1)));
    }
    for (; i < n; ++i) out[i] = to_double(DType::f16, values + 2 * i);
}

// Four elements; those of `valid` count.
struct Four {
    __m256d got, reference, valid, compared;
    __m128 bound;
};

Four four_at(const double* got, const double* reference, const float* bound, const uint8_t* compared) {
    int32_t flags = 0;
    std::memcpy(&flags, compared, sizeof flags);
    const __m256i counts = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(flags));
    return {
        _mm256_loadu_pd(got),
        _mm256_loadu_pd(reference),
        _mm256_castsi256_pd(_mm256_set1_epi64x(-1)),
        _mm256_castsi256_pd(_mm256_cmpgt_epi64(counts, _mm256_setzero_si256())),
        _mm_loadu_ps(bound)};
}

__m256d magnitude_of(__m256d x) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x); }
__m256d is_finite(__m256d x) { return _mm256_cmp_pd(magnitude_of(x), _mm256_set1_pd(kInfinity), _CMP_LT_OQ); }
int64_t lanes_of(__m256d mask) { return std::popcount(static_cast<unsigned>(_mm256_movemask_pd(mask))); }
__m256d all_of(__m256d a, __m256d b) { return _mm256_and_pd(a, b); }

__m128 limits_of(const StoreError& e, __m256d reference, __m128 bound) {
    const __m256d magnitude = _mm256_add_pd(magnitude_of(reference), _mm256_cvtps_pd(bound));
    const __m256d stored =
        _mm256_add_pd(_mm256_mul_pd(_mm256_set1_pd(e.relative), magnitude), _mm256_set1_pd(e.absolute));
    const __m256d finite = _mm256_and_pd(is_finite(reference), stored);
    return _mm_add_ps(bound, _mm256_cvtpd_ps(finite));
}

struct Counter {
    StoreError error;
    ElementCounts counts;
    __m256d low = _mm256_set1_pd(kInfinity), high = _mm256_set1_pd(-kInfinity);
    __m256d difference = _mm256_setzero_pd(), excess = _mm256_setzero_pd();
};

// As analysis::is_bad.
__m256d bad_lanes(const Four& x, __m256d difference, __m256d limit) {
    const __m256d sign = _mm256_set1_pd(-0.0);
    const __m256d apart = _mm256_cmp_pd(difference, limit, _CMP_NLE_UQ);
    const __m256d above = _mm256_cmp_pd(x.got, _mm256_xor_pd(limit, sign), _CMP_NLE_UQ);
    const __m256d other = _mm256_cmp_pd(x.got, x.reference, _CMP_NEQ_UQ);
    const __m256d negative = _mm256_cmp_pd(x.reference, _mm256_set1_pd(-kInfinity), _CMP_EQ_OQ);
    const __m256d positive = _mm256_cmp_pd(x.reference, _mm256_set1_pd(kInfinity), _CMP_EQ_OQ);
    return _mm256_blendv_pd(_mm256_blendv_pd(apart, above, negative), other, positive);
}

void count_four(Counter& c, const Four& x, size_t index) {
    const __m256d infinity = _mm256_set1_pd(kInfinity);
    const __m256d finite = all_of(is_finite(x.got), x.valid);
    c.counts.nan += lanes_of(all_of(_mm256_cmp_pd(x.got, x.got, _CMP_UNORD_Q), x.valid));
    c.counts.inf += lanes_of(all_of(_mm256_cmp_pd(magnitude_of(x.got), infinity, _CMP_EQ_OQ), x.valid));
    c.low = _mm256_min_pd(_mm256_blendv_pd(infinity, x.got, finite), c.low);
    c.high = _mm256_max_pd(_mm256_blendv_pd(_mm256_set1_pd(-kInfinity), x.got, finite), c.high);

    const __m256d known = _mm256_cmp_pd(x.reference, x.reference, _CMP_ORD_Q);
    const __m256d compared = all_of(all_of(x.compared, x.valid), known);
    const __m256d limit = _mm256_cvtps_pd(limits_of(c.error, x.reference, x.bound));
    const __m256d difference = magnitude_of(_mm256_sub_pd(x.got, x.reference));
    const __m256d counted = all_of(all_of(finite, is_finite(x.reference)), compared);
    const __m256d apart = all_of(_mm256_cmp_pd(difference, _mm256_setzero_pd(), _CMP_GT_OQ), counted);
    c.counts.compared += lanes_of(compared);
    c.difference = _mm256_max_pd(all_of(difference, counted), c.difference);
    c.excess = _mm256_max_pd(all_of(_mm256_div_pd(difference, limit), apart), c.excess);

    const auto bad =
        static_cast<unsigned>(_mm256_movemask_pd(all_of(bad_lanes(x, difference, limit), compared)));
    if (bad != 0 && c.counts.bad == 0)
        c.counts.first_bad = index + static_cast<size_t>(std::countr_zero(bad));
    c.counts.bad += std::popcount(bad);
}

// What is left over, between zeros that do not count.
void count_rest(Counter& c, const std::vector<double>& got, const ReferenceTile& reference, size_t index) {
    std::array<double, kWidth> g{}, r{}, valid{};
    std::array<float, kWidth> bound{};
    std::array<uint8_t, kWidth> compared{};
    for (size_t i = index; i < got.size(); ++i) {
        g[i - index] = got[i], r[i - index] = reference.value.data[i];
        bound[i - index] = reference.bound.data[i], compared[i - index] = reference.compared.data[i];
        valid[i - index] = 1;
    }
    Four x = four_at(g.data(), r.data(), bound.data(), compared.data());
    x.valid = _mm256_cmp_pd(_mm256_loadu_pd(valid.data()), _mm256_setzero_pd(), _CMP_GT_OQ);
    count_four(c, x, index);
}

double highest(__m256d x) {
    std::array<double, kWidth> each{};
    _mm256_storeu_pd(each.data(), x);
    return *std::max_element(each.begin(), each.end());
}

// Of zeros, the first one's sign counts.
void settle_zeros(const std::vector<double>& got, ElementCounts& n) {
    if (n.low != 0 && n.high != 0) return;
    const auto zero = std::find(got.begin(), got.end(), 0.0);
    if (n.low == 0) n.low = *zero;
    if (n.high == 0) n.high = *zero;
}

}  // namespace

std::vector<double> widen(DType dtype, const std::vector<std::byte>& values) {
    const size_t n = values.size() / size_of(dtype);
    std::vector<double> out(n);
    if (dtype == DType::f16) {
        widen_halves(values.data(), n, out.data());
        return out;
    }
    if (dtype == DType::f32) {
        for (size_t i = 0; i < n; ++i) {
            float f = 0;
            std::memcpy(&f, values.data() + i * sizeof f, sizeof f);
            out[i] = f;
        }
        return out;
    }
    for (size_t i = 0; i < n; ++i) out[i] = to_double(dtype, values.data() + i * size_of(dtype));
    return out;
}

ElementCounts count_values(const std::vector<double>& got) {
    ElementCounts out;
    for (const double g : got) {
        if (std::isnan(g)) {
            ++out.nan;
        } else if (std::isinf(g)) {
            ++out.inf;
        } else {
            out.low = std::min(out.low, g), out.high = std::max(out.high, g);
        }
    }
    return out;
}

ElementCounts count_elements(DType dtype, const std::vector<double>& got, const ReferenceTile& reference) {
    Counter c;
    c.error = store_error(dtype);
    size_t i = 0;
    for (; i + kWidth <= got.size(); i += kWidth)
        count_four(
            c,
            four_at(
                got.data() + i,
                reference.value.data.data() + i,
                reference.bound.data.data() + i,
                reference.compared.data.data() + i
            ),
            i
        );
    if (i < got.size()) count_rest(c, got, reference, i);
    c.counts.low = -highest(_mm256_xor_pd(c.low, _mm256_set1_pd(-0.0)));
    c.counts.high = highest(c.high);
    c.counts.max_difference = highest(c.difference), c.counts.max_excess = highest(c.excess);
    settle_zeros(got, c.counts);
    return c.counts;
}

void add_store_bounds(DType dtype, const std::vector<double>& reference, std::vector<float>& limits) {
    const StoreError error = store_error(dtype);
    size_t i = 0;
    for (; i + kWidth <= limits.size(); i += kWidth)
        _mm_storeu_ps(
            limits.data() + i,
            limits_of(error, _mm256_loadu_pd(reference.data() + i), _mm_loadu_ps(limits.data() + i))
        );
    for (; i < limits.size(); ++i)
        if (const double r = reference[i]; std::isfinite(r))
            limits[i] += static_cast<float>(store_bound(error, std::fabs(r) + limits[i]));
}

}  // namespace wl::analysis
