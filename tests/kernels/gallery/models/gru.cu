// A step of a gated recurrent unit: a warp a unit of one sequence, six products summed over lanes.
constexpr int kWarps = 4;

__device__ float warp_sum(float v) {
#ifdef WL_FAULT_WARP
    for (int o = 16; o > 0; o /= 2) v += __shfl_up_sync(0xffffffff, v, o);
#else
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
#endif
    return v;
}

__device__ float sigmoid(float v) {
#ifdef WL_FAULT_SIGMOID
    return 1.0f / (1.0f + __expf(v));
#else
    return 1.0f / (1.0f + __expf(-v));
#endif
}

// x: (batch, inputs), h, next: (batch, units), w: (3, units, inputs), u: (3, units, units), b, c: (3, units).
// Grid (ceil(units / 4), batch), 128 threads.
__global__ void gru(
    const float* __restrict__ x,
    const float* __restrict__ h,
    const float* __restrict__ w,
    const float* __restrict__ u,
    const float* __restrict__ b,
    const float* __restrict__ c,
    float* __restrict__ next,
    int inputs,
    int units
) {
    __shared__ float state[256];
    const int lane = threadIdx.x % 32, unit = blockIdx.x * kWarps + threadIdx.x / 32;
    x += blockIdx.y * inputs;
    h += blockIdx.y * units;
#ifdef WL_FAULT_PART
    if (threadIdx.x < units) state[threadIdx.x] = h[threadIdx.x];
#else
    for (int i = threadIdx.x; i < units; i += blockDim.x) state[i] = h[i];
#endif
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    if (unit >= units) return;
    float gate[3], own[3];
    for (int g = 0; g < 3; ++g) {
#ifdef WL_FAULT_MATRIX
        const float* wr = w + (g * inputs + unit) * inputs;
#else
        const float* wr = w + (g * units + unit) * inputs;
#endif
        const float* ur = u + (g * units + unit) * units;
        float in = 0.0f, back = 0.0f;
        for (int i = lane; i < inputs; i += 32) in += wr[i] * x[i];
#ifdef WL_FAULT_BACK
        for (int i = lane; i < inputs; i += 32) back += ur[i] * state[i];
#else
        for (int i = lane; i < units; i += 32) back += ur[i] * state[i];
#endif
#ifdef WL_FAULT_BIAS
        gate[g] = warp_sum(in) + b[unit];
#else
        gate[g] = warp_sum(in) + b[g * units + unit];
#endif
#ifdef WL_FAULT_INNER
        own[g] = warp_sum(back);
#else
        own[g] = warp_sum(back) + c[g * units + unit];
#endif
    }
    const float reset = sigmoid(gate[0] + own[0]), update = sigmoid(gate[1] + own[1]);
#ifdef WL_FAULT_RESET
    const float fresh = tanhf(reset * (gate[2] + own[2]));
#else
    const float fresh = tanhf(gate[2] + reset * own[2]);
#endif
    if (lane == 0) {
#if defined(WL_FAULT_MIX)
        next[blockIdx.y * units + unit] = update * fresh + (1.0f - update) * state[unit];
#elif defined(WL_FAULT_ROW)
        next[blockIdx.y * inputs + unit] = (1.0f - update) * fresh + update * state[unit];
#else
        next[blockIdx.y * units + unit] = (1.0f - update) * fresh + update * state[unit];
#endif
    }
}
