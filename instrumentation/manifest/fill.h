// What an array holds before the kernel starts: constants, codes that tell positions, or seeded noise.
//
// Noise is counter-based: element i of an argument depends on (seed, the argument's name, i) alone, so that
// adding an argument, or enlarging a shape, changes no other value. The bits are SplitMix64's (Steele, Lea,
// Flood 2014) at counter i from a start that hashes seed and name (FNV-1a).
#pragma once

#include "instrumentation/base/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::manifest {

struct Fill {
    enum class Kind : uint8_t {
        normal,
        uniform,
        random,
        zeros,
        ones,
        coordinates,
        one_hot,
        identity,
        permutation,
        arange,
        full,
        offsets,
        file
    };
    Kind kind = Kind::zeros;
    std::vector<std::string> parameters;  // expressions, in the order of the kind's definition below
    std::string file;                     // as written
};

// The kinds that can be named without parameters.
std::vector<std::string> plain_fills();

// Throws Error "<where>: unknown fill ..." with the nearest known one, or of `besides`, what else stands for
// one there.
Fill parse_fill(
    const std::string& text, const std::string& where, const std::vector<std::string>& besides = {}
);

// Fills `tensor` (dtype and shape set, bytes allocated) by any kind but `file`.
//   normal       mean + deviation * z, z by Box-Muller; rounded to the dtype (integers: to whole numbers)
//   uniform      [lo, hi); integers: every whole number of [lo, hi] alike
//   random       normal(0, 1); integers: every value of the type alike
//   coordinates  the row-major index i of the element, modulo coordinate_period(dtype)
//   one_hot      one 1 in each row (last dimension), at a column drawn from the seed
//   identity     1 where the last two coordinates are equal
//   permutation  the numbers 0 to columns - 1 in an order drawn from the seed, anew in each row
//   arange       start + step * i
//   full         value
//   offsets      where ragged rows begin: 0 first, `total` last, between them whole numbers that never fall
void fill_tensor(Tensor& tensor, const Fill& fill, const std::vector<double>& parameters, uint64_t seed);

// All whole numbers below it are exact in the format: 2048 for f16, 256 for bf16, 16 for e4m3, 2^24 for f32.
uint64_t coordinate_period(DType t);

void poison(Tensor& tensor);  // every byte 0xff: NaN in each floating-point format, -1 or the largest integer

// `from` in the format of `to` (round to nearest even), into it. Throws Error naming both shapes when they
// differ. Unsigned integers of the right width are taken as the bits of formats that numpy lacks.
void convert(const Tensor& from, Tensor& to, const std::string& where);

}  // namespace wl::manifest
