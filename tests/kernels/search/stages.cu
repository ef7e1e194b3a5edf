// Points are placed in a box, and each is summed over those that lie near it; then the sums of a row are
// scaled. What one launch leaves for the next is compared by nobody.
#define REACH 1.25f

__device__ float wrap(float v, float box) { return v - box * rintf(v / box); }

__device__ float softened(float v) {
#if defined(WL_FAULT_SOFT)
    return v * (1.0f + fabsf(v));
#else
    return v / (1.0f + fabsf(v));
#endif
}

// raw, moved: (3, n)
__global__ void place(const float* raw, float* moved, int n, float box) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if defined(WL_FAULT_ROW)
    for (int axis = 0; axis < 3; ++axis) moved[axis * n + i] = wrap(softened(raw[i * 3 + axis]) * box, box);
#else
    for (int axis = 0; axis < 3; ++axis) moved[axis * n + i] = wrap(softened(raw[axis * n + i]) * box, box);
#endif
}

// sums: (n); a block 32 points
__global__ void gather(const float* moved, float* sums, int n, float box) {
#if defined(WL_FAULT_BLOCKS)
    const int each = n / gridDim.x;
#else
    const int each = (n + gridDim.x - 1) / gridDim.x;
#endif
    for (int i = blockIdx.x * each + threadIdx.x; i < min((blockIdx.x + 1) * each, n); i += blockDim.x) {
        float sum = 0.0f;
        for (int j = 0; j < n; ++j) {
            float3 d = make_float3(
                moved[i] - moved[j], moved[n + i] - moved[n + j], moved[2 * n + i] - moved[2 * n + j]
            );
#if defined(WL_FAULT_AXES)
            d.x -= box * floorf(d.x / box);
            d.y -= box * floorf(d.y / box);
            d.z -= box * floorf(d.z / box);
#else
            d.x -= box * rintf(d.x / box);
            d.y -= box * rintf(d.y / box);
            d.z -= box * rintf(d.z / box);
#endif
            const float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
            if (j == i || r2 > REACH) continue;
            sum += softened(expf(-r2) - 0.5f);
        }
#if defined(WL_FAULT_TWICE)
        sums[i] = sum + sum;
#else
        sums[i] = sum;
#endif
    }
}

// out: (n)
__global__ void scale(const float* sums, float* out, int n, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = by * sums[i];
}

// squares: (n)
__global__ void square(const float* sums, float* squares, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) squares[i] = sums[i] * sums[i];
}
