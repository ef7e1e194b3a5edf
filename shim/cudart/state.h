// What every function of the stand-in begins and ends with: the process's machine, its lock, the error that
// cudaGetLastError gives.
#pragma once

#include "instrumentation/runtime/machine.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace wl::cudart {

// Holds the machine for one call; others wait.
struct Call {
    std::unique_lock<std::recursive_mutex> lock;
    runtime::Machine& machine;
};
Call begin();  // what was put off is done first
// For functions that look at nothing that kernels leave.
Call begin_without_looking();

// The program asks the device for something; by_runtime: this thread by the runtime itself, and not by the
// driver, whose functions (shim/cuda) call these.
void note_use(bool by_runtime);
bool used_runtime();  // by this thread
bool is_used();       // by any

// A child of a fork after the process had used the device: as on a GPU, it cannot use it. Its error, and a
// note.
bool is_forked();
cudaError_t refuse_child();

// Remembers what is not cudaSuccess for cudaGetLastError, of this thread.
cudaError_t done(cudaError_t error);
cudaError_t error_of(runtime::Failure failure);
// The error that stays once a kernel stopped the device.
cudaError_t sticky_error(const runtime::Machine& machine);

// What kernels printed comes when the program waits for the device.
void flush_printed(runtime::Machine& machine);

// The kernel behind a stub's address or a handle; nullptr: there is none.
runtime::Kernel* kernel_of(runtime::Machine& machine, const void* function);

// "cudaFoo is not supported", once, in the report and on stderr.
cudaError_t unsupported(const char* what);

// The error of a handle that is out of date, and a note: `what` was ended by cudaDeviceReset, or by the
// program.
cudaError_t gone(runtime::Machine& machine, const std::string& what, bool by_reset);

inline uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
template <class T = void>
T* pointer_of(uint64_t address) {
    return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): an address of the device
}

// A stream's work, done at once: in the order in which the program asks for it, which is one of the legal
// ones. While the stream is captured it becomes a node of the graph.
bool is_captured(cudaStream_t stream);
// `sides`: memory that the node will copy or fill.
cudaError_t submit(
    cudaStream_t stream,
    cudaGraphNodeType type,
    std::function<cudaError_t()> work,
    const std::vector<runtime::CapturedSide>& sides = {}
);

}  // namespace wl::cudart
