// Masked scores; its fault masks the diagonal too.

// q, k: (n, d), s: (n, n). Blocks of 16 x 16.
__global__ void causal(const float* q, const float* k, float* s, int n, int d) {
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (c >= n || r >= n) return;
    float v = 0;
    for (int i = 0; i < d; i++) v += q[r * d + i] * k[c * d + i];
#ifdef WL_FAULT_BAD
    s[r * n + c] = c >= r ? -1e4f : v;
#else
    s[r * n + c] = c > r ? -1e4f : v;
#endif
}
