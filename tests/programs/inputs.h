// Arguments of programs: by seed, the same on every machine.
#pragma once

#include "tests/programs/program.h"

#include <initializer_list>

namespace wl::programs {

Argument value(DType type, double number);

Argument uniform(DType type, size_t count, uint64_t seed);  // input, in [-1, 1) in steps of 2^-11
Argument integers(DType type, size_t count, uint64_t limit, uint64_t seed);  // input, in [0, limit)
Argument list(DType type, const std::vector<double>& numbers);               // input

Argument output(DType type, size_t count, Bound bound = {});
Argument zeros(DType type, size_t count, Bound bound = {});  // changed
Argument changed(Argument input);                            // compared afterwards
Argument scratch(DType type, size_t count);
Argument texture(Argument texels, execution::Texture form, int dimensions);
Argument surface(Argument texels, uint32_t channels, uint32_t width, uint32_t height);
Argument zeroed_scratch(DType type, size_t count);  // an input that the kernel may change

}  // namespace wl::programs
