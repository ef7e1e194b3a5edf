// Heat that spreads for up to four steps: a block holds 8 x 8 elements and a halo of four around them, in two
// buffers that change places. Elements outside the plate keep the value of its edge.
#include <cuda_fp16.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kInner = 8, kHalo = 4, kSide = kInner + 2 * kHalo;

// in, out: (h, w). Grid (ceil(w / 8), ceil(h / 8)), block (16, 16).
__global__ void stencil(const float* in, float* out, int h, int w, int steps, float k) {
#ifdef WL_FAULT_HALF
    __shared__ half heat[2][kSide][kSide];
#else
    __shared__ float heat[2][kSide][kSide];
#endif
    const int tx = threadIdx.x, ty = threadIdx.y;
#ifdef WL_FAULT_ORIGIN
    const int x = blockIdx.x * kInner + tx - kHalo + 1, y = blockIdx.y * kInner + ty - kHalo;
#else
    const int x = blockIdx.x * kInner + tx - kHalo, y = blockIdx.y * kInner + ty - kHalo;
#endif
#ifdef WL_FAULT_EDGE
    const int cx = min(max(x, 0), w - 1), cy = max(y, 0);
#else
    const int cx = min(max(x, 0), w - 1), cy = min(max(y, 0), h - 1);
#endif
#ifdef WL_FAULT_PITCH
    heat[0][ty][tx] = in[cy * h + cx];
#else
    heat[0][ty][tx] = in[cy * w + cx];
#endif
    __syncthreads();
    int now = 0;
#ifdef WL_FAULT_MORE
    for (int step = 0; step <= steps; ++step)
#else
    for (int step = 0; step < steps; ++step)
#endif
    {
        const int l = max(tx - 1, x > 0 ? 0 : tx), r = min(tx + 1, x < w - 1 ? kSide - 1 : tx);
#ifdef WL_FAULT_CORNER
        const int u = max(ty - 1, y > 1 ? 0 : ty), d = min(ty + 1, y < h - 1 ? kSide - 1 : ty);
#else
        const int u = max(ty - 1, y > 0 ? 0 : ty), d = min(ty + 1, y < h - 1 ? kSide - 1 : ty);
#endif
        const float centre = heat[now][ty][tx];
#if defined(WL_FAULT_LEFT)
        const float around = heat[now][ty][l] + heat[now][ty][l] + heat[now][u][tx] + heat[now][d][tx];
#elif defined(WL_FAULT_THREE)
        const float around = heat[now][ty][l] + heat[now][ty][r] + heat[now][u][tx];
#else
        const float around = heat[now][ty][l] + heat[now][ty][r] + heat[now][u][tx] + heat[now][d][tx];
#endif
#if defined(WL_FAULT_PLACE)
        heat[now][ty][tx] = centre + k * (around - 4.0f * centre);
#elif defined(WL_FAULT_FOUR)
        heat[1 - now][ty][tx] = centre + k * (around - centre);
#else
        heat[1 - now][ty][tx] = centre + k * (around - 4.0f * centre);
#endif
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
        now = 1 - now;
        WL_TILE("heat", &heat[now][kHalo][kHalo], kInner, kInner, kSide);
    }
    const bool inner = tx >= kHalo && tx < kHalo + kInner && ty >= kHalo && ty < kHalo + kInner;
    if (inner && x < w && y < h) out[y * w + x] = heat[now][ty][tx];
}
