// Models the products of f16, bf16, tf32 and 8-bit float matrices of mma, mma.sp and wmma: PTX ISA 9.7.14,
// with the sums of an H200 (matrix_sum.h). Not modelled: metadata that name one element twice.
#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/exec/matrix/matrix_sum.h"
#include "instrumentation/emulator/exec/values/float32.h"
#include "instrumentation/emulator/exec/values/half.h"

#include <algorithm>
#include <array>

namespace wl::emulator {
namespace {

using ptx::Type;

template <class F>
void for_each_element(Warp& w, const MatrixFragment& f, F put) {
    const int parts = f.bits >= 32 ? 1 : 32 / f.bits;
    const uint16_t* index = f.index.data();
    alignas(64) float values[kLanes];
    for (const uint32_t slot : f.slots)
        for (int part = 0; part < parts; ++part, index += kLanes) {
            widen(cells<uint32_t>(w, slot), f.type, part, values);
            put(values, index);
        }
}

template <size_t Size>
void decompose_all(const float* values, int count, Numbers<Size>& out) {
    out.special = decompose(values, static_cast<size_t>(count), out.significand.data(), out.exponent.data());
}
template <size_t Size>
void unpack_numbers(Warp& w, const MatrixFragment& f, int count, Numbers<Size>& out) {
    alignas(32) float values[Size];
    unpack_floats(w, f, values);
    decompose_all(values, count, out);
}

// The addend comes last, as a number of its own: FADD or HADD2.
void add_last(Warp& w, const MatrixProduct& p, float* d) {
    for_each_element(w, p.c, [&](const float* values, const uint16_t* index) {
        for (int lane = 0; lane < kLanes; ++lane) d[index[lane]] = canonical(d[index[lane]] + values[lane]);
    });
}

}  // namespace

void widen(const uint32_t* in, Type type, int part, float* out) {
    alignas(64) uint32_t bits[kLanes];
    switch (type) {
        case Type::f16:
            WL_FOR_LANES bits[lane] = in[lane] >> (16 * part);
            halves_to_floats(bits, out);
            return;
        case Type::bf16:
            WL_FOR_LANES out[lane] = std::bit_cast<float>((in[lane] >> (16 * part)) << 16);
            return;
        case Type::tf32: WL_FOR_LANES out[lane] = std::bit_cast<float>(in[lane] & 0xffffe000); return;
        case Type::e5m2:  // an f16 without its low byte
            WL_FOR_LANES bits[lane] = (in[lane] >> (8 * part) & 0xff) << 8;
            halves_to_floats(bits, out);
            return;
        case Type::e4m3:  // the exponent's bias is 7; the code of all ones is NaN
            WL_FOR_LANES {
                const uint32_t code = in[lane] >> (8 * part) & 0xff;
                const float size = std::bit_cast<float>((code & 0x7f) << 20) * 0x1p120f;
                const uint32_t value = (code & 0x7f) == 0x7f ? 0x7fffffff : std::bit_cast<uint32_t>(size);
                out[lane] = std::bit_cast<float>(value | (code & 0x80) << 24);
            }
            return;
        default: WL_FOR_LANES out[lane] = std::bit_cast<float>(in[lane]); return;
    }
}

void unpack_floats(Warp& w, const MatrixFragment& f, float* matrix) {
    for_each_element(w, f, [&](const float* values, const uint16_t* index) {
        for (int lane = 0; lane < kLanes; ++lane) matrix[index[lane]] = values[lane];
    });
}

void pack_floats(Warp& w, const MatrixFragment& f, const float* matrix) {
    const uint16_t* index = f.index.data();
    const auto take = [&](float* values) {
        for (int lane = 0; lane < kLanes; ++lane) values[lane] = matrix[index[lane]];
        index += kLanes;
    };
    alignas(64) float values[kLanes];
    for (const uint32_t slot : f.slots) {
        take(values);
        if (f.bits == 32) {
            write_lanes<float>(w, slot, [&](int lane) { return values[lane]; });
            continue;
        }
        alignas(64) uint32_t low[kLanes], high[kLanes];
        floats_to_halves<0>(values, low);
        take(values);
        floats_to_halves<0>(values, high);
        write_lanes<uint32_t>(w, slot, [&](int lane) { return low[lane] | high[lane] << 16; });
    }
}

const Instr* multiply_floats(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixProduct& p = plan_of(w, i).product;
    const int results = p.rows * p.columns;
    Factors a, b;
    Addends c;
    unpack_numbers(w, p.a, p.rows * p.stored, a);
    unpack_numbers(w, p.b, p.depth * p.columns, b);
    alignas(32) float d[kMaxResults];
    if (p.addend_last)
        std::fill_n(d, results, 0.0f);
    else
        unpack_floats(w, p.c, d);
    uint16_t rows[kMaxFactors] = {};
    const uint16_t* row_of = p.row_of.data();
    if (p.row_of.empty()) {
        find_rows(w, p, rows);
        row_of = rows;
    }
    const int count = p.stored / p.groups;
    for (int group = 0; group < p.groups; ++group) {
        decompose_all(d, results, c);
        add_products({a, b, row_of, c}, {p.rows, p.columns, p.stored, group * count, count, p.to_half}, d);
    }
    if (p.addend_last) add_last(w, p, d);
    pack_floats(w, p.d, d);
    return i + 1;
}

// mma.m8n8k4: no machine instruction of sm_90; ptxas (13.0) writes it out in f32. Sums in f32 fuse the four
// products from k = 0 up and add c; sums in f16 add two pairs of products to c.
const Instr* multiply_quad_pairs(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixProduct& p = plan_of(w, i).product;
    constexpr size_t kMatrices = 4, kTerms = 4, kExtent = 8;
    std::array<float, kMatrices * kExtent * kTerms> a, b;
    std::array<float, kMatrices * kExtent * kExtent> c, d;
    unpack_floats(w, p.a, a.data());  // (matrix, row, k)
    unpack_floats(w, p.b, b.data());  // (matrix, k, column)
    unpack_floats(w, p.c, c.data());
    for (size_t at = 0; at < d.size(); ++at) {
        const size_t matrix = at / (kExtent * kExtent), row = at / kExtent % kExtent, column = at % kExtent;
        const float* left = &a[(matrix * kExtent + row) * kTerms];
        const auto right = [&](size_t k) { return b[(matrix * kTerms + k) * kExtent + column]; };
        float sum = 0;
        if (p.to_half) {
            sum = c[at] + std::fma(left[1], right(1), left[0] * right(0));
            sum += std::fma(left[3], right(3), left[2] * right(2));
        } else {
            for (size_t k = 0; k < kTerms; ++k) sum = std::fma(left[k], right(k), sum);
            sum += c[at];
        }
        d[at] = canonical(sum);
    }
    pack_floats(w, p.d, d.data());
    return i + 1;
}

}  // namespace wl::emulator
