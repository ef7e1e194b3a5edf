// Stresses: inclusive scans by shuffle up with predicated adds, a scan of the warps' sums, a carried prefix.

__device__ int warp_scan(int x) {
    for (int step = 1; step < 32; step *= 2) {
        const int below = __shfl_up_sync(0xffffffff, x, step);
        if (threadIdx.x % 32 >= step) x += below;
    }
    return x;
}

extern "C" __global__ void scan_block(const int* in, int* out, int n) {
    __shared__ int sums[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    int carried = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        const int i = first + threadIdx.x;
        const int x = warp_scan(i < n ? in[i] : 0);
        if (lane == 31) sums[warp] = x;
        __syncthreads();
        if (warp == 0) {
            const int s = warp_scan(lane < warps ? sums[lane] : 0);
            if (lane < warps) sums[lane] = s;
        }
        __syncthreads();
        if (i < n) out[i] = carried + x + (warp > 0 ? sums[warp - 1] : 0);
        carried += sums[warps - 1];
        __syncthreads();
    }
}
