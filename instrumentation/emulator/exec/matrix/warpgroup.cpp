// Models wgmma.mma_async of f16, bf16, tf32, 8-bit floats and integers, and bits: PTX ISA 9.0, 9.7.15.5.2.
// Results are there at once; what reads or writes them, or what the product reads, before it has been waited
// for is a fault of its own. Not modelled: sparse a.
#include "instrumentation/emulator/exec/matrix/warpgroup.h"

#include "instrumentation/emulator/exec/matrix/matrix_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace wl::emulator {
namespace {

using ptx::Type;

constexpr int kRows = 16, kColumns = 8;  // of d: a warp's, of a block
constexpr int kWarpgroup = 4;
constexpr int kMostColumns = 256, kMostStored = 32;
constexpr int kWords = kDepthBytes / 4;  // of a row
constexpr size_t kBlock = size_t{kRows} * kColumns;

// `Rows` rows of kDepthBytes bytes each.
template <int Rows>
struct Raw {
    alignas(64) std::byte bytes[Rows * kDepthBytes];
};

uint64_t uniform(Warp& w, uint32_t slot) { return cells<uint64_t>(w, slot)[first_lane(w.mask)]; }

bool adds(Warp& w, const WarpgroupProduct& g) {
    return (read_predicate(w, g.adds) >> first_lane(w.mask) & 1) != 0;
}

// What d starts from.
void read_addends(Warp& w, const MatrixPlan& plan, float* d) {
    if (adds(w, plan.warpgroup))
        unpack_floats(w, plan.product.c, d);
    else
        std::fill_n(d, kRows * plan.product.columns, 0.0f);
}
void read_addends(Warp& w, const MatrixPlan& plan, int32_t* d) {
    if (adds(w, plan.warpgroup))
        unpack_integers(w, plan.product.c, d);
    else
        std::fill_n(d, kRows * plan.product.columns, 0);
}

void read_a(WarpgroupReads& r, const WarpgroupProduct& g, Raw<kRows>& out) {
    const auto first = static_cast<uint32_t>(r.warp.index % kWarpgroup * kRows);
    read_lines(r, descriptor_of(uniform(r.warp, g.a)), {!g.a_by_rows, first, kRows}, out.bytes);
}

// put(row, k, value) for every element.
template <int Rows, class Put>
void each_float(const Raw<Rows>& raw, Type type, Put put) {
    const int parts = 4 / static_cast<int>(ptx::bytes_of(type));
    const auto* words = reinterpret_cast<const uint32_t*>(raw.bytes);
    alignas(64) float values[kLanes];
    for (int first = 0; first < Rows * kWords; first += kLanes)
        for (int part = 0; part < parts; ++part) {
            widen(words + first, type, part, values);
            for (int k = 0; k < kLanes; ++k)
                put((first + k) / kWords, (first + k) % kWords * parts + part, values[k]);
        }
}

template <int Rows, class Put>
void each_integer(const Raw<Rows>& raw, Type type, Put put) {
    for (int row = 0; row < Rows; ++row)
        for (int k = 0; k < static_cast<int>(kDepthBytes); ++k) {
            const auto byte = static_cast<uint8_t>(raw.bytes[row * static_cast<int>(kDepthBytes) + k]);
            put(row, k, is_signed_element(type) ? int32_t{static_cast<int8_t>(byte)} : int32_t{byte});
        }
}

// Subnormals of 8 bits stay as they are, below [1, 2), at the least exponent of their type (measured).
void keep_subnormals(Type type, size_t count, Factors& f) {
    if (type != Type::e4m3 && type != Type::e5m2) return;
    const int32_t least = type == Type::e4m3 ? -6 : -14;
    for (size_t k = 0; k < count; ++k) {
        if (f.exponent[k] >= least || f.exponent[k] == kNoExponent) continue;
        f.significand[k] = std::ldexp(f.significand[k], f.exponent[k] - least);
        f.exponent[k] = least;
    }
}

void read_factors_a(WarpgroupReads& r, const MatrixPlan& plan, Factors& a) {
    const MatrixProduct& p = plan.product;
    const WarpgroupProduct& g = plan.warpgroup;
    alignas(64) float values[kRows * kMostStored];
    if (g.a_in_registers) {
        unpack_floats(r.warp, p.a, values);
    } else {
        Raw<kRows> raw;
        read_a(r, g, raw);
        each_float(raw, g.a_type, [&](int row, int k, float x) { values[row * p.stored + k] = x; });
    }
    const int count = kRows * p.stored;
    if (g.negates)
        for (int k = 0; k < count; ++k) values[k] = -values[k];
    a.special = decompose(values, static_cast<size_t>(count), a.significand.data(), a.exponent.data());
    keep_subnormals(g.a_type, static_cast<size_t>(count), a);
}

// `spread`: what memory holds of a, as elements.
template <class Spread>
void read_integers_a(WarpgroupReads& r, const MatrixPlan& plan, int32_t* a, Spread spread) {
    if (plan.warpgroup.a_in_registers) return unpack_integers(r.warp, plan.product.a, a);
    Raw<kRows> raw;
    read_a(r, plan.warpgroup, raw);
    spread(raw);
}

}  // namespace

const Instr* multiply_warpgroup_floats(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixPlan& plan = plan_of(w, i);
    const MatrixProduct& p = plan.product;
    const WarpgroupProduct& g = plan.warpgroup;
    WarpgroupReads reads{w, i};
    Factors a, b;
    Addends c;
    read_factors_a(reads, plan, a);
    const MatrixDescriptor of_b = descriptor_of(uniform(w, g.b));
    alignas(64) float d[kRows * kMostColumns];
    read_addends(w, plan, d);
    const bool narrow = p.stored == kMostStored;
    for (int column = 0; column < p.columns; column += kColumns) {
        Raw<kColumns> raw;
        alignas(64) float values[kColumns * kMostStored];
        read_lines(reads, of_b, {!g.b_by_columns, static_cast<uint32_t>(column), kColumns}, raw.bytes);
        each_float(raw, g.b_type, [&](int n, int k, float x) { values[k * kColumns + n] = x; });
        b.special = decompose(
            values, static_cast<size_t>(kColumns * p.stored), b.significand.data(), b.exponent.data()
        );
        keep_subnormals(g.b_type, static_cast<size_t>(kColumns * p.stored), b);
        float* block = d + static_cast<size_t>(column) * kRows;
        c.special = decompose(block, kBlock, c.significand.data(), c.exponent.data());
        add_products(
            {a, b, p.row_of.data(), c}, {kRows, kColumns, p.stored, 0, p.stored, p.to_half, narrow}, block
        );
    }
    begin_product(reads);
    pack_floats(w, p.d, d);
    return i + 1;
}

const Instr* multiply_warpgroup_integers(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixPlan& plan = plan_of(w, i);
    const MatrixProduct& p = plan.product;
    const WarpgroupProduct& g = plan.warpgroup;
    WarpgroupReads reads{w, i};
    alignas(64) int32_t a[kRows * kMostStored], d[kRows * kMostColumns];
    read_integers_a(reads, plan, a, [&](const Raw<kRows>& raw) {
        each_integer(raw, g.a_type, [&](int row, int k, int32_t x) { a[row * kMostStored + k] = x; });
    });
    const MatrixDescriptor of_b = descriptor_of(uniform(w, g.b));
    read_addends(w, plan, d);
    for (int column = 0; column < p.columns; column += kColumns) {
        Raw<kColumns> raw;
        alignas(64) int32_t b[kMostStored * kColumns];
        read_lines(reads, of_b, {true, static_cast<uint32_t>(column), kColumns}, raw.bytes);
        each_integer(raw, g.b_type, [&](int n, int k, int32_t x) { b[k * kColumns + n] = x; });
        for (int at = 0; at < static_cast<int>(kBlock); ++at) {
            int64_t sum = 0;
            for (int k = 0; k < kMostStored; ++k)
                sum += a[at / kColumns * kMostStored + k] * b[k * kColumns + at % kColumns];
            int32_t& result = d[column * kRows + at];
            sum += result;
            if (p.saturate)
                sum = std::clamp<int64_t>(
                    sum, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()
                );
            result = static_cast<int32_t>(sum);
        }
    }
    begin_product(reads);
    pack_integers(w, p.d, d);
    return i + 1;
}

const Instr* multiply_warpgroup_bits(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixPlan& plan = plan_of(w, i);
    const MatrixProduct& p = plan.product;
    const WarpgroupProduct& g = plan.warpgroup;
    WarpgroupReads reads{w, i};
    alignas(64) int32_t a[kRows * kWords], d[kRows * kMostColumns];
    read_integers_a(reads, plan, a, [&](const Raw<kRows>& raw) {
        std::memcpy(a, raw.bytes, sizeof(raw.bytes));
    });
    const MatrixDescriptor of_b = descriptor_of(uniform(w, g.b));
    read_addends(w, plan, d);
    for (int column = 0; column < p.columns; column += kColumns) {
        Raw<kColumns> raw;
        read_lines(reads, of_b, {true, static_cast<uint32_t>(column), kColumns}, raw.bytes);
        const auto* b = reinterpret_cast<const uint32_t*>(raw.bytes);
        for (int at = 0; at < static_cast<int>(kBlock); ++at) {
            uint32_t ones = 0;
            for (int k = 0; k < kWords; ++k)
                ones += static_cast<uint32_t>(std::popcount(
                    static_cast<uint32_t>(a[at / kColumns * kWords + k]) & b[at % kColumns * kWords + k]
                ));
            int32_t& result = d[column * kRows + at];
            result = static_cast<int32_t>(static_cast<uint32_t>(result) + ones);
        }
    }
    begin_product(reads);
    pack_integers(w, p.d, d);
    return i + 1;
}

}  // namespace wl::emulator
