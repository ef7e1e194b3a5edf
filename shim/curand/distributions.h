// What becomes of the bits: cuRAND's distributions.
#pragma once

#include "shim/curand/sequences.h"

#include <cstddef>
#include <vector>

namespace wl::curand {

enum class Shape : uint8_t { uniform, normal, log_normal };

std::vector<uint32_t> bits(Sequences& s, size_t count);
std::vector<uint64_t> long_bits(Sequences& s, size_t count);  // of Sobol's 64 bits
// `count` of a normal distribution is even, but for Philox and Sobol; of Sobol it is a multiple of the
// dimensions.
std::vector<float> singles(Sequences& s, size_t count, Shape shape, float mean, float deviation);
std::vector<double> doubles(Sequences& s, size_t count, Shape shape, double mean, double deviation);

}  // namespace wl::curand
