// Every name that NVIDIA's driver exports, with the version of CUDA that brought it. What this library lacks
// fails by name: a definition elsewhere takes the place of the one here, as these are weak. cuda.h is not
// included, as it declares them with their parameters.
#include "shim/cuda/names.h"

#include <cstring>

namespace wl::cudart {
int unsupported_name(const char* name);
}  // namespace wl::cudart

#define WL_NAME(symbol, name, since)                                       \
    extern "C" __attribute__((weak, visibility("default"))) int symbol() { \
        return wl::cudart::unsupported_name(#symbol);                      \
    }
#include "shim/cuda/names.inc"
#undef WL_NAME

namespace wl::cuda {
namespace {

struct Exported {
    const char* name;
    int since;
    int (*function)();
};

#define WL_NAME(symbol, name, since) {#name, since, symbol},
const Exported kExported[] = {
#include "shim/cuda/names.inc"
};
#undef WL_NAME

}  // namespace

Named named(const char* name, int version) {
    Named out;
    int newest = -1;
    for (const Exported& e : kExported) {
        if (std::strcmp(e.name, name) != 0) continue;
        if (out.found == Found::no_such_name) out.found = Found::not_so_old;
        if (e.since > version || e.since < newest) continue;
        out = {Found::yes, e.function}, newest = e.since;
    }
    return out;
}

}  // namespace wl::cuda
