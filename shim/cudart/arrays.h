// CUDA arrays: memory whose layout only the runtime knows. Here texels lie densely, row after row.
#pragma once

#include "shim/cudart/copies.h"

namespace wl::cudart {

struct Array {
    uint64_t base = 0;
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  // as asked for: 0 where there is no such dimension
    unsigned flags = 0;
    uint32_t texel = 0;  // bytes
};
inline Array* array_of(cudaArray_const_t handle) {
    return reinterpret_cast<Array*>(const_cast<cudaArray*>(handle));
}
Side side_of(const Array& array);
// One that was made and not freed.
bool is_array(const void* handle);
// 1, 2 or 4 channels of one width.
bool is_format(const cudaChannelFormatDesc& format);

cudaError_t copy_described(const cudaMemcpy3DParms& p);

}  // namespace wl::cudart
