// What nvcc's code calls, and what libraries that stand in beside this one do: no header of CUDA's declares
// it. Read after cuda_runtime_api.h.
#pragma once

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
char __cudaInitModule(void** handle);
void __cudaRegisterFunction(
    void** handle,
    const char* stub,
    char* device_function,
    const char* name,
    int thread_limit,
    uint3* tid,
    uint3* bid,
    dim3* block,
    dim3* grid,
    int* warp_size
);
void __cudaRegisterVar(
    void** handle, char* host, char* device, const char* name, int ext, size_t size, int constant, int global
);
void __cudaRegisterManagedVar(
    void** handle, void** host, char* device, const char* name, int ext, size_t size, int constant, int global
);
void __cudaRegisterHostVar(void** handle, const char* name, char* host, size_t size);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub);
cudaError_t __cudaLaunchKernel(
    cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t stream
);
cudaError_t __cudaLaunchKernel_ptsz(
    cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t stream
);
cudaError_t __cudaSubmitWork(
    cudaStream_t stream, void (*work)(void* data), void (*drop)(void* data), void* data
);
void __cudaDoWork();
cudaError_t __cudaCopyMemory(void* to, const void* from, size_t bytes);
cudaError_t __cudaFindMemory(const void* at, size_t bytes);
void __cudaTellMissing(const char* what, const void* caller);
void __cudaTellPlain(const char* function);
void __cudaTellNote(const char* text);
}
