// Values that a stream writes to memory, or waits for.
#include "instrumentation/runtime/stream_values.h"

#include "shim/cuda/state.h"
#include "shim/cudart/streams.h"

#include <cuda.h>

namespace wl::cuda {
namespace {

using runtime::StreamValue;
using runtime::Until;

constexpr auto kNode = static_cast<cudaGraphNodeType>(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);

CUresult write(CUstream stream, const StreamValue& value, unsigned flags) {
    if ((flags & ~unsigned{CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER}) != 0) return CUDA_ERROR_INVALID_VALUE;
    return in_context([&] {
        return cudart::submit(stream, kNode, [=] {
            const cudart::Call call = cudart::begin_without_looking();
            return runtime::write_value(call.machine, value, flags == 0) ? cudaSuccess
                                                                         : cudaErrorInvalidValue;
        });
    });
}

CUresult wait(CUstream stream, const StreamValue& value, unsigned flags) {
    constexpr unsigned kKinds = 3;
    if ((flags & ~(kKinds | unsigned{CU_STREAM_WAIT_VALUE_FLUSH})) != 0) return CUDA_ERROR_INVALID_VALUE;
    const auto until = static_cast<Until>(flags & kKinds);
    return in_context([&] {
        return cudart::submit(stream, kNode, [=] {
            const cudart::Call call = cudart::begin_without_looking();
            return runtime::wait_for_value(call.machine, value, until) ? cudaSuccess : cudaErrorInvalidValue;
        });
    });
}

CUresult carry_out(CUstream stream, const CUstreamBatchMemOpParams& op) {
    const auto& w = op.writeValue;
    const auto& u = op.waitValue;
    switch (op.operation) {
        case CU_STREAM_MEM_OP_WRITE_VALUE_32: return write(stream, {w.address, w.value, 4}, w.flags);
        case CU_STREAM_MEM_OP_WRITE_VALUE_64: return write(stream, {w.address, w.value64, 8}, w.flags);
        case CU_STREAM_MEM_OP_WAIT_VALUE_32: return wait(stream, {u.address, u.value, 4}, u.flags);
        case CU_STREAM_MEM_OP_WAIT_VALUE_64: return wait(stream, {u.address, u.value64, 8}, u.flags);
        case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        case CU_STREAM_MEM_OP_BARRIER: return CUDA_SUCCESS;
        default: return CUDA_ERROR_INVALID_VALUE;
    }
}

}  // namespace
}  // namespace wl::cuda

using namespace wl::cuda;

extern "C" {

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags) {
    return write(stream, {at, value, 4}, flags);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
    return write(stream, {at, value, 8}, flags);
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags) {
    return wait(stream, {at, value, 4}, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
    return wait(stream, {at, value, 8}, flags);
}
CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* ops, unsigned flags) {
    if (flags != 0 || count > 256) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned k = 0; k < count; ++k)
        if (const CUresult error = carry_out(stream, ops[k]); error != CUDA_SUCCESS) return error;
    return CUDA_SUCCESS;
}
}
