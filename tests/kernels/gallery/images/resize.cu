// Twice as many rows and columns, bilinear, pixel centres at halves: a thread a pixel, rows of halves read in
// pairs of neighbours; besides each block's largest value.
#include <cuda_fp16.h>

constexpr int kSide = 16;

__device__ float at(const half* image, int y, int x, int w) {
#ifdef WL_FAULT_PITCH
    return __half2float(image[y * 2 * w + x]);
#else
    return __half2float(image[y * w + x]);
#endif
}

// in: (planes, h, w), out: (planes, 2 h, 2 w), most: (planes, blocks). Grid (2 w / 16, 2 h / 16, planes)
// rounded up, 16 x 16 threads.
__global__ void resize(const half* in, float* out, float* most, int h, int w) {
    __shared__ float best[kSide * kSide];
    const int x = blockIdx.x * kSide + threadIdx.x, y = blockIdx.y * kSide + threadIdx.y;
    const int t = threadIdx.y * kSide + threadIdx.x, plane = blockIdx.z;
    const bool inside = x < 2 * w && y < 2 * h;
#ifdef WL_FAULT_CORNER
    const float fx = x * 0.5f, fy = y * 0.5f;
#else
    const float fx = (x + 0.5f) * 0.5f - 0.5f, fy = (y + 0.5f) * 0.5f - 0.5f;
#endif
    const int x0 = static_cast<int>(floorf(fx)), y0 = static_cast<int>(floorf(fy));
    const float ax = fx - x0, ay = fy - y0;
    const int left = min(max(x0, 0), w - 1), right = min(x0 + 1, w - 1);
#ifdef WL_FAULT_BELOW
    const int top = min(max(y0, 0), h - 1), bottom = y0 + 1;
#else
    const int top = min(max(y0, 0), h - 1), bottom = min(y0 + 1, h - 1);
#endif
    const half* image = in + size_t(plane) * h * w;
#ifdef WL_FAULT_FLOOR
    float v = 0.0f;
#else
    float v = -1e30f;
#endif
    if (inside) {
        const float a = at(image, top, left, w), b = at(image, top, right, w);
#ifdef WL_FAULT_DIAGONAL
        const float c = at(image, top, right, w), d = at(image, bottom, right, w);
#else
        const float c = at(image, bottom, left, w), d = at(image, bottom, right, w);
#endif
#ifdef WL_FAULT_WEIGHT
        const float upper = ax * a + (1.0f - ax) * b, lower = c + ax * (d - c);
#else
        const float upper = a + ax * (b - a), lower = c + ax * (d - c);
#endif
        v = upper + ay * (lower - upper);
#ifdef WL_FAULT_WHOLE
        out[(size_t(plane) * 2 * h + y) * 2 * w + x] = static_cast<int>(v * 16) / 16;
#else
        out[(size_t(plane) * 2 * h + y) * 2 * w + x] = v;
#endif
    }
    best[t] = v;
    __syncthreads();
    for (int half_of = kSide * kSide / 2; half_of > 0; half_of /= 2) {
        if (t < half_of) best[t] = fmaxf(best[t], best[t + half_of]);
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
    }
    if (t == 0) most[(plane * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = best[0];
}
