// A moving sum over a window of three: indices one too far, in each space, and a vector load that is not
// aligned.

// in, out, after: (n), n a multiple of 64. Grid (n / 64), block (64).
extern "C" __global__ void window(const float* in, float* out, float* after, int n, int step) {
    __shared__ float tile[66];
    __shared__ float scale[2];
    float last[4] = {};
    const int i = threadIdx.x, at = blockIdx.x * blockDim.x + i;
    if (i < 2) scale[i] = 1.0f;
    tile[i + 1] = in[at];
    if (i == 0) tile[0] = at > 0 ? in[at - 1] : 0.0f;
#ifdef WL_FAULT_GLOBAL
    if (i == 63) tile[65] = in[at + 1];  // here: global
#else
    if (i == 63) tile[65] = at + 1 < n ? in[at + 1] : 0.0f;
#endif
    __syncthreads();
#ifdef WL_FAULT_SHARED
    const float right = tile[i + 5];  // here: shared
#else
    const float right = tile[i + 2];
#endif
#ifdef WL_FAULT_LOCAL
    for (int k = 0; k <= 4; ++k) last[k * step] = right;  // here: local
#else
    for (int k = 0; k < 4; ++k) last[(k * step) & 3] = right;
#endif
    float sum = tile[i] + tile[i + 1] + right * scale[i & 1] + last[n & 3] * 0.0f;
#ifdef WL_FAULT_MISALIGNED
    const float2 pair = *reinterpret_cast<const float2*>(in + (at | 1));  // here: misaligned
    sum += 0.0f * (pair.x - pair.y);
#endif
    out[at] = sum;
#ifdef WL_FAULT_NEIGHBOUR
    if (at == n - 1) out[n + 64] = sum;  // here: neighbour
#endif
    after[at] = sum;
}
