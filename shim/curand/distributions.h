// What becomes of the bits: cuRAND's distributions.
#pragma once

#include "shim/curand/sequences.h"

#include <cstddef>
#include <vector>

namespace wl::curand {

enum class Shape : uint8_t { uniform, normal, log_normal };

std::vector<uint32_t> bits(Sequences& s, size_t count);
// `count` of a normal distribution is even, but for Philox.
std::vector<float> singles(Sequences& s, size_t count, Shape shape, float mean, float deviation);
std::vector<double> doubles(Sequences& s, size_t count, Shape shape, double mean, double deviation);

}  // namespace wl::curand
