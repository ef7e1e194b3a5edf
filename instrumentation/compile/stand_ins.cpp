// NVRTC knows printf, assert, size_t, memcpy and the functions of <math.h> by itself.
#include "instrumentation/compile/stand_ins.h"

#include <algorithm>

namespace wl::compile {
namespace {

constexpr const char* kNothing = "#pragma once\n";

constexpr const char* kIntegers = R"(#pragma once
#include <cuda/std/cstdint>
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::intptr_t; using ::intmax_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t; using ::uintmax_t;
}
)";

// The macros as <math.h>, <float.h> and <limits.h> of C99 and POSIX have them.
constexpr const char* kNumbers = R"(#pragma once
#include <cuda/std/climits>
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fc00000)
#endif
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ll)
#define HUGE_VALF __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
)";

// <cmath> of the library that nvcc uses brings std::max with it; <cuda/std/algorithm> is not in every CUDA.
constexpr const char* kMath = R"(#pragma once
#undef INFINITY
#undef NAN
#include <cuda/std/cmath>
#include <cuda/std/utility>
namespace std {
using namespace cuda::std;
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
}
)";

}  // namespace

#define WL_LIBRARY(name) \
    "#pragma once\n#include <cuda/std/" name ">\nnamespace std { using namespace cuda::std; }\n"

const std::vector<StandIn>& stand_ins() {
    static const std::vector<StandIn> kAll = {
        {kPredefined,        kNumbers                      },
        {"stdint.h",         kIntegers                     },
        {"cstdint",          kIntegers                     },
        {"inttypes.h",       kIntegers                     },
        {"limits.h",         kNumbers                      },
        {"climits",          kNumbers                      },
        {"float.h",          kNumbers                      },
        {"cfloat",           kNumbers                      },
        {"math.h",           kMath                         },
        {"cmath",            kMath                         },
        {"assert.h",         kNothing                      },
        {"cassert",          kNothing                      },
        {"stdio.h",          kNothing                      },
        {"cstdio",           kNothing                      },
        {"stdbool.h",        kNothing                      },
        {"stddef.h",         WL_LIBRARY("cstddef")         },
        {"cstddef",          WL_LIBRARY("cstddef")         },
        {"stdlib.h",         WL_LIBRARY("cstdlib")         },
        {"cstdlib",          WL_LIBRARY("cstdlib")         },
        {"string.h",         WL_LIBRARY("cstring")         },
        {"cstring",          WL_LIBRARY("cstring")         },
        {"algorithm",        kMath                         },
        {"array",            WL_LIBRARY("array")           },
        {"complex",          WL_LIBRARY("complex")         },
        {"functional",       WL_LIBRARY("functional")      },
        {"initializer_list", WL_LIBRARY("initializer_list")},
        {"limits",           WL_LIBRARY("limits")          },
        {"tuple",            WL_LIBRARY("tuple")           },
        {"type_traits",      WL_LIBRARY("type_traits")     },
        {"utility",          WL_LIBRARY("utility")         },
    };
    return kAll;
}

#undef WL_LIBRARY

bool is_stand_in(const std::string& name) {
    const auto& all = stand_ins();
    return std::any_of(all.begin(), all.end(), [&](const StandIn& s) { return name == s.name; });
}

}  // namespace wl::compile
