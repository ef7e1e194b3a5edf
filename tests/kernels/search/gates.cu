// Values that lack something that is made of what is at hand: the slope of a gate, a spread, corners of a
// box.
struct Slope {
    float gate, up;
};

__device__ Slope slope_of(float g, float u, float d) {
    const float s = 1.0f / (1.0f + expf(-g)), silu = g * s;
    Slope out;
#if defined(WL_FAULT_SLOPE)
    out.gate = d * u * s;
#else
    out.gate = d * u * (s + silu * (1.0f - s));
#endif
    out.up = d * silu;
    return out;
}

__device__ float sum_of_warp(float v) {
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// x, up: (rows, 64), boxes: (rows, 4), gates, ups: (rows, 64), spread, size: (rows). A block a row, 32
// threads of two values each.
__global__ void gates(
    const float* x,
    const float* up,
    const float* boxes,
    float* gates,
    float* ups,
    float* spread,
    float* size,
    int count,
    float scale
) {
    const int lane = threadIdx.x, at = blockIdx.x * count + lane;
    const Slope a = slope_of(x[at], up[at], 0.5f), b = slope_of(x[at + 32], up[at + 32], 0.25f);
    gates[at] = a.gate, gates[at + 32] = b.gate;
    ups[at] = a.up, ups[at + 32] = b.up;
    const float mean = sum_of_warp(x[at] + x[at + 32]) / count;
    const float low = x[at] - mean, high = x[at + 32] - mean;
    const float total = sum_of_warp(low * low + high * high);
    if (lane > 0) return;
    const float var = total / count;
#if defined(WL_FAULT_SPREAD)
    spread[blockIdx.x] = var;
#else
    spread[blockIdx.x] = var * count / (count - 1);
#endif
    const float* box = boxes + blockIdx.x * 4;
#if defined(WL_FAULT_CORNERS)
    const float left = box[0] * scale, top = box[1] * scale;
    const float right = box[2] * scale, bottom = box[3] * scale;
#else
    const float left = box[0] * scale - 0.5f, top = box[1] * scale - 0.5f;
    const float right = box[2] * scale - 0.5f, bottom = box[3] * scale - 0.5f;
#endif
    size[blockIdx.x] = left * top + right * right * bottom + var;
}
