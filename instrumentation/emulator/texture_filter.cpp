// Models weights of eight bits that are rounded one axis after the other, and sums in the precision of the
// texture's format: 16 bits for integers that are read as numbers, f16 and f32.
#include "instrumentation/emulator/texture_filter.h"

#include "instrumentation/emulator/half.h"

#include <bit>
#include <cmath>

namespace wl::emulator {
namespace {

// The nearest f16, of two the larger in magnitude.
double to_half_away(double x) {
    if (x == 0 || !std::isfinite(x)) return x;
    const double unit = std::ldexp(1.0, std::max(std::ilogb(x), -14) - 10);
    return std::copysign(std::floor(std::fabs(x) / unit + 0.5) * unit, x);
}

double float_sum(const Blend& b) {
    double sum = 0;
    for (size_t k = 0; k < b.values.size(); ++k)
        if (b.weights[k] != 0) sum += b.weights[k] / 256.0 * double{std::bit_cast<float>(b.values[k])};
    return sum;
}

// In 256ths.
int32_t integer_sum(const Blend& b) {
    int32_t sum = 0;
    for (size_t k = 0; k < b.values.size(); ++k) sum += b.weights[k] * static_cast<int32_t>(b.values[k]);
    return sum;
}

}  // namespace

// Each slice's share is split in two along x, each part in two along y: of two nearest weights the upper x
// takes the larger one of both splits, and the lower row the larger one where x is lower.
std::array<int, 8> corner_weights(const std::array<Footprint, 3>& axes) {
    std::array<int, 8> all{};
    for (size_t z = 0; z < 2; ++z) {
        const int slice = z == 1 ? axes[2].weight : 256 - axes[2].weight;
        const int right = (slice * axes[0].weight + 128) >> 8, left = slice - right;
        const int right_up = (right * axes[1].weight + 128) >> 8,
                  left_up = (left * axes[1].weight + 127) >> 8;
        all[4 * z] = left - left_up;
        all[4 * z + 1] = right - right_up;
        all[4 * z + 2] = left_up;
        all[4 * z + 3] = right_up;
    }
    return all;
}

// Bytes become 16 bits: an unsigned one exactly, of a signed sum the factor 32767/127 = 258 + 1/127 is taken
// for 258 + 257/32768, the fraction of a sum without its last four bits.
uint32_t blended(DType dtype, const Blend& b) {
    const auto number = [](int32_t value, int32_t one) {
        return std::bit_cast<uint32_t>(std::max(static_cast<float>(value) / static_cast<float>(one), -1.0f));
    };
    switch (dtype) {
        case DType::u8: return number((integer_sum(b) * 257 + 128) >> 8, 65535);
        case DType::u16: return number((integer_sum(b) + 128) >> 8, 65535);
        case DType::s16: return number((integer_sum(b) + 128) >> 8, 32767);
        case DType::s8: {
            const int32_t sum = integer_sum(b);
            return number(sum + (((sum >> 4) * 257 + 1024) >> 11), 32767);
        }
        case DType::f16: return std::bit_cast<uint32_t>(static_cast<float>(to_half_away(float_sum(b))));
        default: return std::bit_cast<uint32_t>(static_cast<float>(float_sum(b)));
    }
}

}  // namespace wl::emulator
