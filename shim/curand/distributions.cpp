// The formulas of curand_uniform.h, curand_normal.h and curand_lognormal.h, in the precision that they have
// there, with the sine, cosine, logarithm and exponential function of the CPU.
#include "shim/curand/distributions.h"

#include "shim/curand/sobol.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace wl::curand {
namespace {

constexpr float kSmall = 2.3283064e-10F, kTurn = 6.2831855F;                    // 2^-32, 2 pi
constexpr double kSmallest = 1.1102230246251565e-16, kPi = 3.1415926535897932;  // 2^-53
constexpr double kMrg = 2.3283065498378288e-10, kMrgBits = 1.000000048662;      // 1 / (2^32 - 208); to 2^32

template <class T>
using Pair = std::pair<T, T>;

float single_of(uint32_t x) { return static_cast<float>(x) * kSmall + kSmall / 2.0F; }
double double_of(uint32_t x, uint32_t y) {
    return static_cast<double>(uint64_t{x} ^ (uint64_t{y} << 21)) * kSmallest + kSmallest / 2.0;
}

// Box and Muller.
Pair<float> normal_of(float u, float angle) {
    const float s = std::sqrt(-2.0F * std::log(u));
    return {std::sin(angle) * s, std::cos(angle) * s};
}
Pair<float> normal_of_bits(uint32_t x, uint32_t y) {
    return normal_of(single_of(x), static_cast<float>(y) * (kSmall * kTurn) + kSmall * kTurn / 2.0F);
}
Pair<double> normal_of(double u, double half_turns) {
    const double s = std::sqrt(-2.0 * std::log(u));
    return {std::sin(half_turns * kPi) * s, std::cos(half_turns * kPi) * s};
}
Pair<double> normal_of_bits(uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1) {
    const double turns = static_cast<double>(uint64_t{y0} ^ (uint64_t{y1} << 21)) * (kSmallest * 2.0);
    return normal_of(double_of(x0, x1), turns + kSmallest);
}

// One draw, or more, by one sequence after the other; `Draw` makes `per_turn` elements.
template <class T, class Draw>
void by_turns(Sequences& s, std::vector<T>& out, size_t per_turn, Draw draw) {
    for (size_t k = 0; k + per_turn <= out.size(); k += per_turn, ++s.position) draw(s.turn(), &out[k]);
}

// Philox: four elements a turn, of which each takes `blocks` blocks. A turn that is not over goes on with the
// next call, from the same blocks.
template <class T, class Draw>
void by_fours(Sequences& s, std::vector<T>& out, uint64_t blocks, Draw draw) {
    for (size_t k = 0; k < out.size();) {
        const uint64_t turn = s.position / 4 % s.count, slot = s.position % 4;
        std::array<Words, 2> words{};
        for (uint64_t b = 0; b < blocks; ++b) words[b] = philox(s.settings.seed, s.blocks[turn] + b, turn);
        const std::array<T, 4> four = draw(words);
        const size_t n = std::min<size_t>(4 - slot, out.size() - k);
        std::copy_n(four.begin() + slot, n, out.begin() + static_cast<int64_t>(k));
        if (slot + n == 4) s.blocks[turn] += blocks;
        k += n, s.position += n;
    }
}

// Sobol: the numbers of one dimension after those of the other.
template <class T, class Of>
void by_dimensions(Sequences& s, std::vector<T>& out, Of of) {
    const uint64_t each = out.size() / s.settings.dimensions;
    const uint32_t bits = s.settings.kind == Kind::sobol64 ? 64 : 32;
    for (uint32_t d = 0; d < s.settings.dimensions; ++d) {
        const std::vector<uint64_t> x = sobol(d, bits, s.position, each);
        std::transform(x.begin(), x.end(), out.begin() + static_cast<int64_t>(d * each), of);
    }
    s.position += each;
}

// Halley's steps from a rough inverse; q from 0 to a little more than 1.
double inverse_of_erfc(double q) {
    double y = std::sqrt(std::max(0.0, -std::log(q * (2 - q))));
    for (int step = 0; step < 8; ++step) {
        const double error = (std::erfc(y) - q) / (-2 / std::sqrt(kPi) * std::exp(-y * y));
        y -= error / (1 + y * error);
    }
    return y;
}
// The inverse of the normal distribution, from the half that is represented better.
float normal_of_uniform(uint32_t x) {
    const bool mirrored = x > 0x80000000U;
    const auto y = static_cast<float>(inverse_of_erfc(2.0F * single_of(mirrored ? ~x : x)));
    return (mirrored ? 1.4142135F : -1.4142135F) * y;
}
double normal_of_uniform(uint64_t x, int bits) {
    const bool mirrored = x > uint64_t{1} << (bits - 1);
    if (mirrored) x = (uint64_t{1} << bits) - 1 - x;
    const double p = std::ldexp(static_cast<double>(x) + 0.5, -bits);
    return (mirrored ? 1 : -1) * std::sqrt(2.0) * inverse_of_erfc(2 * p);
}

uint32_t high_word(Kind kind, uint64_t x) {
    return static_cast<uint32_t>(kind == Kind::sobol64 ? x >> 32 : x);
}

void quasi(Sequences& s, std::vector<float>& out, Shape shape) {
    by_dimensions(s, out, [kind = s.settings.kind, shape](uint64_t x) {
        const uint32_t word = high_word(kind, x);
        return shape == Shape::uniform ? single_of(word) : normal_of_uniform(word);
    });
}
void quasi(Sequences& s, std::vector<double>& out, Shape shape) {
    by_dimensions(s, out, [kind = s.settings.kind, shape](uint64_t x) {
        if (kind == Kind::sobol32)
            return shape == Shape::uniform ? std::ldexp(static_cast<double>(x) + 1, -32)
                                           : normal_of_uniform(x, 32);
        const uint64_t y = x >> 11;
        return shape == Shape::uniform ? std::ldexp(static_cast<double>(y) + 0.5, -53)
                                       : normal_of_uniform(y, 53);
    });
}

std::array<float, 4> four_normal(const std::array<Words, 2>& w) {
    const auto [a, b] = normal_of_bits(w[0][0], w[0][1]);
    const auto [c, d] = normal_of_bits(w[0][2], w[0][3]);
    return {a, b, c, d};
}
std::array<double, 4> four_normal_doubles(const std::array<Words, 2>& w) {
    const auto [a, b] = normal_of_bits(w[0][0], w[0][1], w[0][2], w[0][3]);
    const auto [c, d] = normal_of_bits(w[1][0], w[1][1], w[1][2], w[1][3]);
    return {a, b, c, d};
}

void uniform(Sequences& s, std::vector<float>& out) {
    switch (s.settings.kind) {
        case Kind::xorwow:
            return by_turns(s, out, 1, [&](uint64_t t, float* to) { *to = single_of(s.xorwow[t].next()); });
        case Kind::mrg32k3a:
            return by_turns(s, out, 1, [&](uint64_t t, float* to) {
                *to = static_cast<float>(s.mrg[t].next() * kMrg);
            });
        case Kind::philox:
            return by_fours(s, out, 1, [](const std::array<Words, 2>& w) {
                const Words& x = w[0];
                return std::array<float, 4>{
                    single_of(x[0]), single_of(x[1]), single_of(x[2]), single_of(x[3])};
            });
        case Kind::sobol32:
        case Kind::sobol64: return quasi(s, out, Shape::uniform);
    }
}

void normal(Sequences& s, std::vector<float>& out) {
    switch (s.settings.kind) {
        case Kind::xorwow:
            return by_turns(s, out, 2, [&](uint64_t t, float* to) {
                const uint32_t x = s.xorwow[t].next(), y = s.xorwow[t].next();
                std::tie(to[0], to[1]) = normal_of_bits(x, y);
            });
        case Kind::mrg32k3a:
            return by_turns(s, out, 2, [&](uint64_t t, float* to) {
                const auto x = static_cast<float>(s.mrg[t].next() * kMrg),
                           y = static_cast<float>(s.mrg[t].next() * kMrg);
                std::tie(to[0], to[1]) = normal_of(x, y * kTurn);
            });
        case Kind::philox: return by_fours(s, out, 1, four_normal);
        case Kind::sobol32:
        case Kind::sobol64: return quasi(s, out, Shape::normal);
    }
}

void uniform(Sequences& s, std::vector<double>& out) {
    switch (s.settings.kind) {
        case Kind::xorwow:
            return by_turns(s, out, 1, [&](uint64_t t, double* to) {
                const uint32_t x = s.xorwow[t].next(), y = s.xorwow[t].next();
                *to = double_of(x, y);
            });
        case Kind::mrg32k3a:
            return by_turns(s, out, 1, [&](uint64_t t, double* to) { *to = s.mrg[t].next() * kMrg; });
        case Kind::philox:
            return by_fours(s, out, 2, [](const std::array<Words, 2>& w) {
                return std::array<double, 4>{
                    double_of(w[0][0], w[0][1]),
                    double_of(w[0][2], w[0][3]),
                    double_of(w[1][0], w[1][1]),
                    double_of(w[1][2], w[1][3])};
            });
        case Kind::sobol32:
        case Kind::sobol64: return quasi(s, out, Shape::uniform);
    }
}

void normal(Sequences& s, std::vector<double>& out) {
    switch (s.settings.kind) {
        case Kind::xorwow:
            return by_turns(s, out, 2, [&](uint64_t t, double* to) {
                Xorwow& x = s.xorwow[t];
                const uint32_t x0 = x.next(), x1 = x.next(), y0 = x.next(), y1 = x.next();
                std::tie(to[0], to[1]) = normal_of_bits(x0, x1, y0, y1);
            });
        case Kind::mrg32k3a:
            return by_turns(s, out, 2, [&](uint64_t t, double* to) {
                const double x = s.mrg[t].next() * kMrg, y = s.mrg[t].next() * kMrg;
                std::tie(to[0], to[1]) = normal_of(x, y * 2.0);
            });
        case Kind::philox: return by_fours(s, out, 2, four_normal_doubles);
        case Kind::sobol32:
        case Kind::sobol64: return quasi(s, out, Shape::normal);
    }
}

template <class T>
std::vector<T> numbers(Sequences& s, size_t count, Shape shape, T mean, T deviation) {
    std::vector<T> out(count);
    if (shape == Shape::uniform) {
        uniform(s, out);
        return out;
    }
    normal(s, out);
    for (T& x : out) x = shape == Shape::normal ? mean + deviation * x : std::exp(mean + deviation * x);
    return out;
}

}  // namespace

std::vector<uint32_t> bits(Sequences& s, size_t count) {
    std::vector<uint32_t> out(count);
    switch (s.settings.kind) {
        case Kind::xorwow:
            by_turns(s, out, 1, [&](uint64_t t, uint32_t* to) { *to = s.xorwow[t].next(); });
            break;
        case Kind::mrg32k3a:
            by_turns(s, out, 1, [&](uint64_t t, uint32_t* to) {
                *to = static_cast<uint32_t>(s.mrg[t].next() * kMrgBits);
            });
            break;
        case Kind::philox: by_fours(s, out, 1, [](const std::array<Words, 2>& w) { return w[0]; }); break;
        case Kind::sobol32:
        case Kind::sobol64: by_dimensions(s, out, [](uint64_t x) { return static_cast<uint32_t>(x); });
    }
    return out;
}

std::vector<uint64_t> long_bits(Sequences& s, size_t count) {
    std::vector<uint64_t> out(count);
    by_dimensions(s, out, [](uint64_t x) { return x; });
    return out;
}

std::vector<float> singles(Sequences& s, size_t count, Shape shape, float mean, float deviation) {
    return numbers(s, count, shape, mean, deviation);
}
std::vector<double> doubles(Sequences& s, size_t count, Shape shape, double mean, double deviation) {
    return numbers(s, count, shape, mean, deviation);
}

}  // namespace wl::curand
