// Whether this CPU can run the executors. Compiled for the baseline, unlike the rest of the emulator.
#include "instrumentation/base/error.h"
#include "instrumentation/emulator/lower/lower.h"

namespace wl::emulator {

void require_vector_cpu() {
    // clang 14 knows no "f16c" here; every CPU with AVX2 has it.
    const bool able =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (!able)
        throw Error(
            "This CPU lacks AVX2, FMA, F16C or BMI2, which the emulator is built for; run WarpLens on an "
            "x86-64 CPU "
            "of 2015 or later."
        );
}

}  // namespace wl::emulator
