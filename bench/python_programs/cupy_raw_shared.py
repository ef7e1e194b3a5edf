"""A RawKernel of CuPy that turns the elements of each block around in shared memory."""
import cupy as cp
import numpy as np

turn = cp.RawKernel(r"""
extern "C" __global__ void turn(const float* in, float* out) {
    __shared__ float held[256];
    const int base = blockIdx.x * 256;
    held[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    out[base + threadIdx.x] = held[255 - threadIdx.x];
}
""", "turn")
x = np.arange(1024, dtype=np.float32)
out = cp.zeros_like(cp.asarray(x))
turn((4,), (256,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), x.reshape(4, 256)[:, ::-1].ravel())
print("right")
