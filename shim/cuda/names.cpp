// Every name that NVIDIA's driver exports, with the version of CUDA that brought it. What this library lacks
// fails by name: a definition elsewhere takes the place of the one here, as these are weak. cuda.h is not
// included, as it declares them with their parameters.
namespace wl::cudart {
int unsupported_name(const char* name);
}  // namespace wl::cudart

#define WL_NAME(symbol, name, since)                                       \
    extern "C" __attribute__((weak, section("wl_missing"))) int symbol() { \
        return wl::cudart::unsupported_name(#symbol);                      \
    }
#include "shim/cuda/names.inc"
#undef WL_NAME
