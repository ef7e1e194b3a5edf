// Models the products of double, integer and bit matrices of mma, mma.sp and wmma: PTX ISA 9.7.14. Exact, but
// for the rounding of each fused multiply-add of doubles, in rising k.
#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/exec/matrix/matrix_sum.h"
#include "instrumentation/emulator/exec/values/float32.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <immintrin.h>
#include <limits>

namespace wl::emulator {
namespace {

using ptx::Type;

// Elements of at most 32 bits, sign-extended or not.
template <bool Signed>
void unpack_as(Warp& w, const MatrixFragment& f, int32_t* matrix) {
    const int parts = 32 / f.bits, rest = 32 - f.bits;
    const uint16_t* index = f.index.data();
    for (const uint32_t slot : f.slots) {
        const uint32_t* in = cells<uint32_t>(w, slot);
        for (int part = 0; part < parts; ++part, index += kLanes) {
            alignas(64) int32_t values[kLanes];
            WL_FOR_LANES {
                const uint32_t top = in[lane] << (rest - f.bits * part);
                values[lane] = Signed ? static_cast<int32_t>(top) >> rest : static_cast<int32_t>(top >> rest);
            }
            for (int lane = 0; lane < kLanes; ++lane) matrix[index[lane]] = values[lane];
        }
    }
}
int32_t added(int32_t c, int32_t sum, bool saturate) {
    const int64_t exact = int64_t{c} + sum;
    if (!saturate) return static_cast<int32_t>(exact);
    return static_cast<int32_t>(
        std::clamp<int64_t>(exact, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())
    );
}

void load_doubles(Warp& w, const MatrixFragment& f, double* matrix) {
    const uint16_t* index = f.index.data();
    for (const uint32_t slot : f.slots) {
        const double* in = cells<double>(w, slot);
        for (int lane = 0; lane < kLanes; ++lane) matrix[index[lane]] = in[lane];
        index += kLanes;
    }
}

constexpr int kColumns = 8;

struct IntegerFactors {
    const int32_t *a, *b;    // (rows, stored), (depth, columns)
    const uint16_t* row_of;  // (rows, stored)
};
// One row, eight columns: no sum of products reaches 2^31, only adding c may.
void multiply_eight(const MatrixProduct& p, const IntegerFactors& f, int row, int column, int32_t* d) {
    const auto columns = static_cast<size_t>(p.columns), left = static_cast<size_t>(row * p.stored);
    __m256i sum = _mm256_setzero_si256();
    for (size_t k = left; k < left + static_cast<size_t>(p.stored); ++k) {
        const int32_t* at = f.b + f.row_of[k] * columns + static_cast<size_t>(column);
        const __m256i right = _mm256_load_si256(reinterpret_cast<const __m256i*>(at));
        sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(right, _mm256_set1_epi32(f.a[k])));
    }
    alignas(32) int32_t sums[kColumns];
    _mm256_store_si256(reinterpret_cast<__m256i*>(sums), sum);
    int32_t* result = d + static_cast<size_t>(row) * columns + static_cast<size_t>(column);
    for (size_t j = 0; j < kColumns; ++j) result[j] = added(result[j], sums[j], p.saturate);
}

struct Doubles {
    std::array<double, 256> a, b, d;
};
// Apart, so that its arithmetic stays between the two settings of the rounding mode. A NaN of the sum so far
// goes before one of a factor (measured on an H200).
[[gnu::noinline]] void multiply(const MatrixProduct& p, Doubles& m) {
    const auto columns = static_cast<size_t>(p.columns);
    for (size_t row = 0; row < static_cast<size_t>(p.rows); ++row)
        for (size_t k = 0; k < static_cast<size_t>(p.stored); ++k) {
            const double left = m.a[row * static_cast<size_t>(p.stored) + k];
            for (size_t column = 0; column < columns; ++column) {
                double& sum = m.d[row * columns + column];
                const double fused = std::fma(left, m.b[k * columns + column], sum);
                sum = sum == sum ? fused : quiet(sum);
            }
        }
}

}  // namespace

bool is_signed_element(ptx::Type t) { return t == Type::s8 || t == Type::s4 || t == Type::s32; }

void unpack_integers(Warp& w, const MatrixFragment& f, int32_t* matrix) {
    if (is_signed_element(f.type))
        unpack_as<true>(w, f, matrix);
    else
        unpack_as<false>(w, f, matrix);
}

void pack_integers(Warp& w, const MatrixFragment& f, const int32_t* matrix) {
    const uint16_t* index = f.index.data();
    for (const uint32_t slot : f.slots) {
        write_lanes<int32_t>(w, slot, [&](int lane) { return matrix[index[lane]]; });
        index += kLanes;
    }
}

const Instr* multiply_doubles(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixProduct& p = plan_of(w, i).product;
    Doubles m;
    load_doubles(w, p.a, m.a.data());
    load_doubles(w, p.b, m.b.data());
    load_doubles(w, p.c, m.d.data());
    const unsigned before = _mm_getcsr();
    _mm_setcsr((before & ~unsigned{_MM_ROUND_MASK}) | p.rounding);
    multiply(p, m);
    _mm_setcsr(before);
    const uint16_t* index = p.d.index.data();
    for (const uint32_t slot : p.d.slots) {
        write_lanes<double>(w, slot, [&](int lane) { return m.d[index[lane]]; });
        index += kLanes;
    }
    return i + 1;
}

const Instr* multiply_integers(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixProduct& p = plan_of(w, i).product;
    alignas(32) std::array<int32_t, kMaxFactors> a, b;
    alignas(32) std::array<int32_t, kMaxResults> d;
    unpack_integers(w, p.a, a.data());
    unpack_integers(w, p.b, b.data());
    unpack_integers(w, p.c, d.data());
    uint16_t rows[kMaxFactors] = {};
    const uint16_t* row_of = p.row_of.data();
    if (p.row_of.empty()) {
        find_rows(w, p, rows);
        row_of = rows;
    }
    for (int row = 0; row < p.rows; ++row)
        for (int column = 0; column < p.columns; column += kColumns)
            multiply_eight(p, {a.data(), b.data(), row_of}, row, column, d.data());
    pack_integers(w, p.d, d.data());
    return i + 1;
}

// Factors are words of 32 bits along k.
const Instr* multiply_bits(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixProduct& p = plan_of(w, i).product;
    std::array<int32_t, kMaxFactors> a, b;
    std::array<int32_t, kMaxResults> d;
    unpack_integers(w, p.a, a.data());
    unpack_integers(w, p.b, b.data());
    unpack_integers(w, p.c, d.data());
    const auto columns = static_cast<size_t>(p.columns), words = static_cast<size_t>(p.stored);
    for (size_t at = 0; at < static_cast<size_t>(p.rows) * columns; ++at)
        for (size_t k = 0; k < words; ++k) {
            const auto left = static_cast<uint32_t>(a[at / columns * words + k]);
            const auto right = static_cast<uint32_t>(b[k * columns + at % columns]);
            const int ones = std::popcount(p.bit_and ? left & right : left ^ right);
            d[at] = static_cast<int32_t>(static_cast<uint32_t>(d[at]) + static_cast<uint32_t>(ones));
        }
    pack_integers(w, p.d, d.data());
    return i + 1;
}

}  // namespace wl::emulator
