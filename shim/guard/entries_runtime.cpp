// The runtime's entries. CUDA's headers are read inside a namespace, so that a name that none of them
// declares is found outside it.
#include "shim/guard/guard.h"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace wl::guard::runtime {

struct Undeclared {};
using Untyped = long(long, long, long, long, long, long);

#define WL_NAME(name) constexpr Undeclared name;
#include "shim/cudart/names.inc"
#undef WL_NAME

namespace declared {

#define __CUDA_API_VERSION_INTERNAL  // all versions, by the names of their symbols
extern "C" {

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
}

// Behind what it needs.
#include "shim/cudart/compiler_calls.h"

inline int error_of_handle(const CUgraph_st* h) { return error_of_graph(h); }
inline int error_of_handle(const CUgraphNode_st* h) { return error_of_node(h); }
inline int error_of_handle(const CUgraphExec_st* h) { return error_of_instance(h); }
inline int error_of_handle(const cudaArray* h) { return error_of_array(h); }
inline int error_of_handle(const CUmemPoolHandle_st* h) { return error_of_pool(h); }

#include "shim/guard/entries.h"
#define WL_NAME(name) WL_ENTRY(name)
#include "shim/cudart/names.inc"
WL_NAME(__cudaSubmitWork)
WL_NAME(__cudaDoWork)
WL_NAME(__cudaCopyMemory)
WL_NAME(__cudaFindMemory)
WL_NAME(__cudaTellMissing)
WL_NAME(__cudaTellPlain)
WL_NAME(__cudaTellNote)
#undef WL_NAME

}  // namespace declared
}  // namespace wl::guard::runtime
