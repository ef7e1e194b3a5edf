"""Kernels of Python's libraries for `warplens record`: python3 from_python.py cupy|triton|numba|extension|torch|exact"""
import os
import sys

import numpy as np

N = 4096


def with_cupy():
    import cupy as cp
    x, y = cp.arange(N, dtype=cp.float32), cp.linspace(-3, 3, N, dtype=cp.float32)
    out = cp.zeros_like(x)
    saxpy = cp.RawKernel(r"""
    extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = a * x[i] + y[i];
    }""", "saxpy")
    saxpy((N // 256,), (256,), (np.float32(2), x, y, out, np.int32(N)))
    squared = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")
    z = squared(x, y)
    w = cp.tanh(y)  # CuPy's own elementwise kernel
    norm = cp.ReductionKernel("float32 x", "float32 y", "x * x", "a + b", "y = sqrt(a)", "0", "two_norm")
    print(float(out[-1]), float(z[-1]), float(w[-1]), float(norm(y)))


def with_triton():
    import torch
    from triton_kernels import add_kernel, softmax_kernel
    x, y = torch.arange(N, device="cuda", dtype=torch.float32), torch.linspace(-3, 3, N, device="cuda")
    out = torch.empty_like(x)
    add_kernel[(N // 512,)](x, y, out, N, BLOCK=512)
    rows = torch.linspace(-4, 4, 16 * 100, device="cuda").reshape(16, 100)
    soft = torch.empty_like(rows)
    softmax_kernel[(16,)](rows, soft, 100, BLOCK=128)
    torch.cuda.synchronize()
    print(float(out[-1]), float(soft.sum()))


def with_numba():
    np.row_stack = getattr(np, "row_stack", np.vstack)  # numba-cuda asks NumPy 2.5 for it, which has it no more
    from numba import cuda

    @cuda.jit
    def scale_rows(x, factor, out):
        i = cuda.grid(1)
        if i < x.shape[0]:
            out[i] = x[i] * factor[i % factor.shape[0]]

    x = cuda.to_device(np.arange(N, dtype=np.float32))
    factor = cuda.to_device(np.array([1.5, -2, 0.25], dtype=np.float32))
    out = cuda.to_device(np.zeros(N, dtype=np.float32))
    scale_rows[N // 128, 128](x, factor, out)
    print(out.copy_to_host()[-1])


def with_extension():
    import torch
    from torch.utils.cpp_extension import load_inline
    module = load_inline(
        "wl_extension", cpp_sources="torch::Tensor rms_norm(torch::Tensor x);", cuda_sources=r"""
    __global__ void rms_norm_kernel(const float* x, float* out, int columns) {
        __shared__ float part[32];
        const float* row = x + blockIdx.x * columns;
        float sum = 0;
        for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += row[c] * row[c];
        for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0;
        for (int w = 0; w < blockDim.x / 32; ++w) sum += part[w];
        const float scale = rsqrtf(sum / columns + 1e-6f);
        for (int c = threadIdx.x; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = row[c] * scale;
    }
    torch::Tensor rms_norm(torch::Tensor x) {
        auto out = torch::empty_like(x);
        rms_norm_kernel<<<x.size(0), 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
        return out;
    }""", functions=["rms_norm"], extra_cuda_cflags=["-gencode", "arch=compute_80,code=compute_80"])
    x = torch.linspace(-2, 2, 32 * 200, device="cuda").reshape(32, 200)
    out = module.rms_norm(x)
    torch.cuda.synchronize()
    print(float(out.square().mean()))


def with_torch():
    import torch
    x = torch.linspace(-2, 2, 1 << 14, device="cuda")
    print(float(torch.sigmoid(x)[-1]))
    kernel = torch.cuda._compile_kernel(r"""
    extern "C" __global__ void clamp(const float* x, float* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = fminf(fmaxf(x[i], -1.0f), 1.0f);
    }""", "clamp")
    out = torch.empty_like(x)
    kernel((64, 1, 1), (256, 1, 1), (x, out, x.numel()))
    torch.cuda.synchronize()
    print(float(out[-1]))


def with_exact_bounds():
    """Each tensor is an allocation of its own, so that the read behind x can be told."""
    os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] = "1"
    import torch
    kernel = torch.cuda._compile_kernel(r"""
    extern "C" __global__ void differences(const float* x, float* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = x[i + 1] - x[i];
    }""", "differences")
    x = torch.linspace(-2, 2, 1 << 12, device="cuda")
    out = torch.empty_like(x)
    kernel((16, 1, 1), (256, 1, 1), (x, out, x.numel()))
    torch.cuda.synchronize()
    print(float(out[0]))


if __name__ == "__main__":
    {"cupy": with_cupy, "triton": with_triton, "numba": with_numba, "extension": with_extension,
     "torch": with_torch, "exact": with_exact_bounds}[sys.argv[1]]()
