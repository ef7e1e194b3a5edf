// Every name that NVIDIA's library exports and this one lacks: it fails by name. A definition elsewhere
// takes its place, as these are weak.
#include <cstdint>

namespace wl::cudart {
int unsupported_name(const char* name);
}  // namespace wl::cudart

#define WL_NAME(name)                                                    \
    extern "C" __attribute__((weak, section("wl_missing"))) int name() { \
        return wl::cudart::unsupported_name(#name);                      \
    }
#include "shim/cudart/names.inc"
#undef WL_NAME
