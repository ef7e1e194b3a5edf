"""The same without its barrier: a race that is found. What it computes is not compared."""
import cupy as cp

turn = cp.RawKernel(r"""
extern "C" __global__ void turn(const float* in, float* out) {
    __shared__ float held[256];
    const int base = blockIdx.x * 256;
    held[threadIdx.x] = in[base + threadIdx.x];
    out[base + threadIdx.x] = held[255 - threadIdx.x];
}
""", "turn")
x = cp.arange(1024, dtype=cp.float32)
turn((4,), (256,), (x, cp.zeros_like(x)))
cp.cuda.Device().synchronize()
print("right")
