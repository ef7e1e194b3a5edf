// What every function of the driver begins and ends with. Memory, streams, events and graphs are the
// runtime's (shim/cudart), as on a GPU, where a program may mix both; contexts, modules and functions are
// here.
#pragma once

#include "instrumentation/runtime/interprocess.h"
#include "instrumentation/runtime/machine.h"
#include "shim/cudart/state.h"

#include <cuda.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace wl::cuda {

using cudart::begin;
using cudart::Call;

struct Context {
    unsigned flags = 0;
    int retained = 0;  // of the primary context
    bool alive = true;
};
inline CUcontext handle_of(Context* context) { return reinterpret_cast<CUcontext>(context); }

// Of cuMemCreate.
struct PhysicalMemory {
    uint64_t bytes = 0;
    CUmemAllocationProp prop = {};
    bool held = true;                   // the program has its handle
    bool visible = false;               // mapped, and given access to
    uint64_t mapped_at = 0;             // 0: nowhere
    std::vector<std::byte> bytes_kept;  // what it holds while it is not visible; empty: nobody wrote there
    std::vector<uint8_t> written;
    runtime::FilePointer file = nullptr;  // of memory that other processes can have: what it holds
};

// Of cuMemAddressReserve.
struct AddressRange {
    uint64_t base = 0, bytes = 0;
    std::string name;
};

// Nothing is taken out of here before the process ends, so that a handle that is out of date is known; but
// for memory without handle and mapping.
struct Driver {
    bool initialised = false;
    std::vector<std::unique_ptr<Context>> contexts;  // the first is the primary one
    std::map<uint64_t, Context*> owners;             // of allocations, by address
    std::map<uint64_t, AddressRange> ranges;         // by base
    std::map<CUmemGenericAllocationHandle, PhysicalMemory> physical;
    CUmemGenericAllocationHandle last_physical = 0;
};
Driver& driver();  // under the lock of `begin`

// A context of the program's, alive or not; nullptr: no handle of one.
Context* context_of(CUcontext handle);
// That of this thread; the primary one where the runtime was used and none is set; nullptr: none.
Context* current_context();

// cuInit was called, or the runtime, which does that.
bool initialised();
// CUDA_SUCCESS where that is so and this thread has a context.
CUresult usable();

// The runtime's errors as the driver's, which mostly are the same numbers.
CUresult result_of(cudaError_t error);

// The runtime's function, where a context allows it.
template <class Work>
CUresult in_context(Work work) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    return result_of(work());
}

// Buffers that a program gives for words of the linker, or of the compiler behind a module, stay empty.
// False: the options are not there, or one is none.
bool clear_logs(unsigned count, const CUjit_option* options, void** values);

// One sentence for the program's report, and the error.
CUresult refuse(CUresult error, const std::string& why);

inline CUdeviceptr device_address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace wl::cuda
