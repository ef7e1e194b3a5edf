// Max pooling by windows of 3 x 3 with stride 2 and padding 1, and the place of each maximum within its
// plane.
#include <math_constants.h>

// in: (planes, h, w), out, places: (planes, oh, ow). A thread an element of the output, 128 a block.
__global__ void max_pool(const float* in, float* out, int* places, int planes, int h, int w) {
#ifdef WL_FAULT_SIZE
    const int oh = h / 2, ow = (w - 1) / 2 + 1;
#else
    const int oh = (h - 1) / 2 + 1, ow = (w - 1) / 2 + 1;
#endif
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef WL_FAULT_ALL
    if (i >= planes * oh * ow) return;
#endif
#ifdef WL_FAULT_ROW
    const int x = i % ow, y = i / ow % oh, plane = i / (ow * ow);
#else
    const int x = i % ow, y = i / ow % oh, plane = i / (ow * oh);
#endif
    const float* from = in + plane * h * w;
#ifdef WL_FAULT_ZERO
    float most = 0.0f;
#else
    float most = -CUDART_INF_F;
#endif
    int place = 0;
#if defined(WL_FAULT_STRIDE)
    for (int sy = max(y - 1, 0); sy <= min(y + 1, h - 1); ++sy)
#elif defined(WL_FAULT_BELOW)
    for (int sy = max(2 * y - 1, 0); sy < min(2 * y + 1, h - 1); ++sy)
#else
    for (int sy = max(2 * y - 1, 0); sy <= min(2 * y + 1, h - 1); ++sy)
#endif
#ifdef WL_FAULT_EDGE
        for (int sx = max(2 * x - 1, 1); sx <= min(2 * x + 1, w - 1); ++sx)
#else
        for (int sx = max(2 * x - 1, 0); sx <= min(2 * x + 1, w - 1); ++sx)
#endif
#ifdef WL_FAULT_LEAST
            if (from[sy * w + sx] < most || place == 0)
#else
            if (from[sy * w + sx] > most)
#endif
            {
                most = from[sy * w + sx];
#if defined(WL_FAULT_BYTE)
                place = static_cast<unsigned char>(sy * w + sx);
#elif defined(WL_FAULT_CROSS)
                place = sx * w + sy;
#else
        place = sy * w + sx;
#endif
            }
    out[i] = most;
    places[i] = place;
}
