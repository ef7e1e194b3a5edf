// Tensor maps: in 128 bytes of our own, as the kernel's executor reads them (base/tensor_map.h).
#include "instrumentation/base/tensor_map.h"
#include "shim/cuda/state.h"

#include <cuda.h>

#include <cstring>

namespace wl::cuda {
namespace {

CUresult store(CUtensorMap* out, const TensorMap& map) {
    if (!fault_of(map).empty()) return CUDA_ERROR_INVALID_VALUE;
    const auto bytes = encoded(map);
    static_assert(sizeof(CUtensorMap) == kTensorMapBytes);
    std::memcpy(out, bytes.data(), bytes.size());
    return CUDA_SUCCESS;
}

// Types that change values on their way, interleaved tensors, and swizzles of sm_100.
bool is_executed(CUtensorMapDataType type, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle) {
    return bytes_of_tensor_type(static_cast<uint8_t>(type)) != 0 &&
        interleave == CU_TENSOR_MAP_INTERLEAVE_NONE && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B;
}

}  // namespace
}  // namespace wl::cuda

using namespace wl;
using namespace wl::cuda;

extern "C" {

CUresult cuTensorMapEncodeTiled(
    CUtensorMap* out,
    CUtensorMapDataType type,
    cuuint32_t rank,
    void* address,
    const cuuint64_t* extents,
    const cuuint64_t* strides,
    const cuuint32_t* box,
    const cuuint32_t* steps,
    CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion,
    CUtensorMapFloatOOBfill fill
) {
    const bool given = out != nullptr && extents != nullptr && box != nullptr && steps != nullptr;
    if (!given || rank == 0 || rank > kMostTensorAxes || (rank > 1 && strides == nullptr))
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_executed(type, interleave, swizzle))
        return static_cast<CUresult>(
            wl::cudart::unsupported("cuTensorMapEncodeTiled of this type, interleave or swizzle")
        );
    TensorMap map;
    map.type = static_cast<uint8_t>(type), map.rank = static_cast<uint8_t>(rank);
    map.swizzle = static_cast<uint8_t>(swizzle), map.nan_fill = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    map.address = reinterpret_cast<uint64_t>(address);
    for (size_t axis = 0; axis < rank; ++axis) {
        map.extents[axis] = extents[axis], map.box[axis] = box[axis];
        map.strides[axis] = axis == 0 ? bytes_of_tensor_type(map.type) : strides[axis - 1];
        map.steps[axis] = axis == 0 ? 1 : steps[axis];  // of dimension 0 it is ignored
    }
    return store(out, map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
    if (map == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto known = decoded(std::as_bytes(std::span(map, 1)));
    if (!known) return CUDA_ERROR_INVALID_VALUE;
    known->address = reinterpret_cast<uint64_t>(address);
    return store(map, *known);
}

}  // extern "C"
