// The driver's entries, those of nvJitLink, and the table by which cuGetProcAddress finds them.
#include "shim/cuda/names.h"
#include "shim/guard/guard.h"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace wl::guard::driver {

struct Undeclared {};
using Untyped = long(long, long, long, long, long, long);

#define WL_NAME(symbol, name, since) constexpr Undeclared symbol;
#include "shim/cuda/names.inc"
#undef WL_NAME

namespace declared {

#define __CUDA_API_VERSION_INTERNAL  // all versions, by the names of their symbols
extern "C" {

#include <cuda.h>
#include <cudaProfiler.h>
}

// Behind what it needs.
#include "shim/cuda/nvjitlink.h"

inline int error_of_handle(const CUgraph_st* h) { return error_of_graph(h); }
inline int error_of_handle(const CUgraphNode_st* h) { return error_of_node(h); }
inline int error_of_handle(const CUgraphExec_st* h) { return error_of_instance(h); }
inline int error_of_handle(const CUarray_st* h) { return error_of_array(h); }
inline int error_of_handle(const CUmemPoolHandle_st* h) { return error_of_pool(h); }

#include "shim/guard/entries.h"
#define WL_NAME(symbol, name, since) WL_ENTRY(symbol)
#include "shim/cuda/names.inc"
#undef WL_NAME
#define WL_NAME(symbol) WL_ENTRY(symbol)
#include "shim/cuda/nvjitlink.inc"
#undef WL_NAME

}  // namespace declared

namespace {

struct Exported {
    const char* name;
    int since;
    int (*function)();
};

// As the linker knows them: what stands before `wl_entry_` are the entries themselves.
#define WL_NAME(symbol, name, since) extern "C" int wl_exported_##symbol() __asm__(#symbol);
#include "shim/cuda/names.inc"
#undef WL_NAME

#define WL_NAME(symbol, name, since) {#name, since, &wl_exported_##symbol},
const Exported kExported[] = {
#include "shim/cuda/names.inc"
};
#undef WL_NAME

}  // namespace
}  // namespace wl::guard::driver

namespace wl::cuda {

Named named(const char* name, int version) {
    Named out;
    int newest = -1;
    for (const auto& e : guard::driver::kExported) {
        if (std::strcmp(e.name, name) != 0) continue;
        if (out.found == Found::no_such_name) out.found = Found::not_so_old;
        if (e.since > version || e.since < newest) continue;
        out = {Found::yes, e.function}, newest = e.since;
    }
    return out;
}

}  // namespace wl::cuda
