// Five points; its fault takes an element for its own neighbour at the edges of blocks.

// in, out: (h, w). Blocks of 32 x 8.
__global__ void stencil(const float* in, float* out, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float c = in[y * w + x];
    float l = in[y * w + max(x - 1, 0)], r = in[y * w + min(x + 1, w - 1)];
#ifdef WL_FAULT_BAD
    if (threadIdx.x == 31) r = c;
#endif
    float u = in[max(y - 1, 0) * w + x], d = in[min(y + 1, h - 1) * w + x];
    out[y * w + x] = 0.5f * c + 0.125f * (l + r + u + d);
}
