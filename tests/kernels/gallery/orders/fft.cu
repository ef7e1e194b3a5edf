// A Fourier transform of 256 complex points by Stockham's algorithm: radix 2, two buffers that change places.

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kPoints = 256, kThreads = kPoints / 2;
constexpr float kPi = 3.14159265f;

// x, y: (batch, 256). Grid (batch), 128 threads. `sign` is -1 for the transform and 1 for its inverse.
__global__ void fft(const float2* x, float2* y, float sign, float scale) {
    __shared__ float2 buffer[2][kPoints];
    const int t = threadIdx.x;
    x += blockIdx.x * kPoints;
    for (int i = t; i < kPoints; i += kThreads) buffer[0][i] = x[i];
    __syncthreads();
    WL_TILE("points", reinterpret_cast<float*>(buffer[0]), kPoints, 2, 2);
    int from = 0;
#ifdef WL_FAULT_LAST
    for (int length = 1; length < kPoints / 2; length *= 2)
#else
    for (int length = 1; length < kPoints; length *= 2)
#endif
    {
#ifdef WL_FAULT_MASK
        const int k = t & length;
#else
        const int k = t & (length - 1);
#endif
#if defined(WL_FAULT_TWO)
        const float angle = 2.0f * sign * kPi * k / length;
#elif defined(WL_FAULT_WHOLE)
        const float angle = sign * kPi * (k / length);
#else
        const float angle = sign * kPi * k / length;
#endif
        float s, c;
#ifdef WL_FAULT_SWAP
        sincosf(angle, &c, &s);
#else
        sincosf(angle, &s, &c);
#endif
#ifdef WL_FAULT_PAIR
        const float2 a = buffer[from][t], b = buffer[from][t ^ length];
#else
        const float2 a = buffer[from][t], b = buffer[from][t + kThreads];
#endif
#ifdef WL_FAULT_CROSS
        const float2 turned = {b.x * c + b.y * s, b.x * s + b.y * c};
#else
        const float2 turned = {b.x * c - b.y * s, b.x * s + b.y * c};
#endif
        const int to = 2 * t - k;
#ifdef WL_FAULT_PLACE
        buffer[from][to] = {a.x + turned.x, a.y + turned.y};
#else
        buffer[1 - from][to] = {a.x + turned.x, a.y + turned.y};
#endif
        buffer[1 - from][to + length] = {a.x - turned.x, a.y - turned.y};
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
        from = 1 - from;
    }
    for (int i = t; i < kPoints; i += kThreads)
#ifdef WL_FAULT_SCALE
        y[blockIdx.x * kPoints + i] = buffer[from][i];
#else
        y[blockIdx.x * kPoints + i] = {scale * buffer[from][i].x, scale * buffer[from][i].y};
#endif
}
