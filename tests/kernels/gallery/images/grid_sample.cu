// Samples an image where a flow says, between pixels, what lies outside counting as zero; gradients of the
// image are scattered back as well.
constexpr int kThreads = 64;

struct Corner {
    int y, x;
    float weight;
};

__device__ Corner corner(float fy, float fx, int k) {
    const int y0 = int(floorf(fy)), x0 = int(floorf(fx));
    const float dy = fy - y0, dx = fx - x0;
#ifdef WL_FAULT_WEIGHT
    return {y0 + k / 2, x0 + k % 2, (k / 2 ? 1.0f - dy : dy) * (k % 2 ? dx : 1.0f - dx)};
#else
    return {y0 + k / 2, x0 + k % 2, (k / 2 ? dy : 1.0f - dy) * (k % 2 ? dx : 1.0f - dx)};
#endif
}

// image, dimage: (channels, h, w), flow: (oh, ow, 2) of -1 to 1, out, dout: (channels, oh, ow).
// Grid (ceil(oh * ow / 64), channels), 64 threads.
__global__ void grid_sample(
    const float* image,
    const float* flow,
    const float* dout,
    float* out,
    float* dimage,
    int h,
    int w,
    int oh,
    int ow
) {
    const int p = blockIdx.x * kThreads + threadIdx.x, channel = blockIdx.y;
#ifdef WL_FAULT_GUARD
    if (p >= oh * oh) return;
#else
    if (p >= oh * ow) return;
#endif
#ifdef WL_FAULT_SWAPPED
    const float u = flow[2 * p + 1], v = flow[2 * p];
#else
    const float u = flow[2 * p], v = flow[2 * p + 1];
#endif
#ifdef WL_FAULT_HALF
    const float fx = (u + 1.0f) * 0.5f * w, fy = ((v + 1.0f) * h - 1.0f) * 0.5f;
#else
    const float fx = ((u + 1.0f) * w - 1.0f) * 0.5f, fy = ((v + 1.0f) * h - 1.0f) * 0.5f;
#endif
#ifdef WL_FAULT_CHANNEL
    const float* own = image + channel * oh * ow;
#else
    const float* own = image + channel * h * w;
#endif
    float sum = 0.0f;
#ifdef WL_FAULT_THREE
    for (int k = 0; k < 3; ++k) {
#else
    for (int k = 0; k < 4; ++k) {
#endif
        const Corner c = corner(fy, fx, k);
#ifdef WL_FAULT_LEFT
        if (c.y >= 0 && c.x > 0 && c.y < h && c.x < w) {
#else
        if (c.y >= 0 && c.x >= 0 && c.y < h && c.x < w) {
#endif
#ifdef WL_FAULT_PITCH
            sum += c.weight * own[c.y * h + c.x];
#else
            sum += c.weight * own[c.y * w + c.x];
#endif
#if defined(WL_FAULT_RACE)
            dimage[(channel * h + c.y) * w + c.x] += c.weight * dout[channel * oh * ow + p];
#elif defined(WL_FAULT_PLANE)
            atomicAdd(&dimage[(channel * h + c.y) * w + c.x], c.weight * dout[p]);
#else
    atomicAdd(&dimage[(channel * h + c.y) * w + c.x], c.weight * dout[channel * oh * ow + p]);
#endif
        }
    }
    out[channel * oh * ow + p] = sum;
}
