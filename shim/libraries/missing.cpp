// Names of NVIDIA's library that have no definition here: each fails by name. WL_NAMES: the file that lists
// them.
namespace wl::libraries {
int unsupported(const char* what, const void* caller);
}  // namespace wl::libraries

#define WL_NAME(name)                                                          \
    extern "C" __attribute__((weak, visibility("default"))) int name() {       \
        return wl::libraries::unsupported(#name, __builtin_return_address(0)); \
    }
#include WL_NAMES
#undef WL_NAME
