// Names of NVIDIA's library that have no definition here: each fails by name.
namespace wl::cublas {
int unsupported_name(const char* name);
}  // namespace wl::cublas

#define WL_NAME(name)                                                    \
    extern "C" __attribute__((weak, visibility("default"))) int name() { \
        return wl::cublas::unsupported_name(#name);                      \
    }
#include "shim/cublas/lt_names.inc"
#undef WL_NAME
