// A selective scan: h = exp(dt a) h + dt b x along time for each channel and state, y = sum of c h over
// states, gated. A warp a channel; lanes are instants, scanned by shuffles, a chunk of 32 at a time.
#include <cuda_fp16.h>

constexpr int kStates = 4;

__device__ float gated(float v, float gate) {
#ifdef WL_FAULT_GATE
    return v / (1.0f + expf(-gate));
#else
    return v * gate / (1.0f + expf(-gate));
#endif
}

// x, dt, z, y: (channels, length), a: (channels, 4), b, c: (4, length), d: (channels).
// Grid ceil(channels / 4), 128 threads.
__global__ void selective_scan(
    const __half* x,
    const float* dt,
    const float* a,
    const float* b,
    const float* c,
    const float* d,
    const __half* z,
    float* y,
    int channels,
    int length
) {
    const int channel = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (channel >= channels) return;
#ifdef WL_FAULT_CARRY
    float carry[kStates];
#else
    float carry[kStates] = {};
#endif
    for (int t0 = 0; t0 < length; t0 += 32) {
        const int t = t0 + lane;
        const bool inside = t < length;
        const float step = inside ? dt[channel * length + t] : 0.0f;
        const float in = inside ? __half2float(x[channel * length + t]) : 0.0f;
        float sum = 0.0f;
        for (int s = 0; s < kStates; ++s) {
#ifdef WL_FAULT_STATE
            float decay = expf(step * a[s]);
#else
            float decay = expf(step * a[channel * kStates + s]);
#endif
#if defined(WL_FAULT_STEP)
            float h = inside ? b[s * length + t] * in : 0.0f;
#elif defined(WL_FAULT_LEADING)
            float h = inside ? step * b[s * channels + t] * in : 0.0f;
#else
            float h = inside ? step * b[s * length + t] * in : 0.0f;
#endif
            for (int o = 1; o < 32; o *= 2) {
                const float before = __shfl_up_sync(0xffffffff, h, o);
                const float shrink = __shfl_up_sync(0xffffffff, decay, o);
#ifdef WL_FAULT_LANE
                if (lane > o) {
#else
                if (lane >= o) {
#endif
#ifdef WL_FAULT_ORDER
                    h = h + shrink * before;
#else
                    h = h + decay * before;
#endif
                    decay *= shrink;
                }
            }
#ifndef WL_FAULT_FORGET
            h += decay * carry[s];
#endif
#ifdef WL_FAULT_LAST
            carry[s] = __shfl_sync(0xffffffff, h, 0);
#else
            carry[s] = __shfl_sync(0xffffffff, h, 31);
#endif
            if (inside) sum += h * c[s * length + t];
        }
        if (!inside) continue;
        sum += d[channel] * in;
        y[channel * length + t] = gated(sum, __half2float(z[channel * length + t]));
    }
}
