"""Variables of a RawModule, streams and events of CuPy."""
import cupy as cp
import numpy as np

module = cp.RawModule(code=r"""
extern "C" {
__constant__ float factor[4];
__device__ int calls = 0;
__global__ void scale(float* a) {
    a[threadIdx.x] *= factor[threadIdx.x % 4];
    if (threadIdx.x == 0) atomicAdd(&calls, 1);
}
}
""")
factor = cp.ndarray(4, cp.float32, module.get_global("factor"))
factor[...] = cp.asarray([1, 2, 3, 4], dtype=cp.float32)
scale, a = module.get_function("scale"), cp.ones(64, cp.float32)
with cp.cuda.Stream(non_blocking=True) as stream:
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record(stream)
    scale((1,), (64,), (a,))
    scale((1,), (64,), (a,))
    end.record(stream)
    end.synchronize()
assert cp.cuda.get_elapsed_time(start, end) > 0
np.testing.assert_array_equal(a.get(), np.tile(np.array([1, 4, 9, 16], np.float32), 16))
assert int(cp.ndarray((), cp.int32, module.get_global("calls"))) == 2
print("right")
