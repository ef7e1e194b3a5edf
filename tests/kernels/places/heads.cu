// Scaled heads; its fault scales two of them otherwise.

// x, y: (batch, heads, seq, dim). Grid (seq, heads, batch), blocks of dim.
__global__ void heads(const float* x, float* y, int count, int seq, int dim) {
    int d = threadIdx.x, s = blockIdx.x, h = blockIdx.y, b = blockIdx.z;
    long at = ((long(b) * count + h) * seq + s) * dim + d;
#ifdef WL_FAULT_BAD
    float k = h == 1 || h == 2 ? 0.3f : 0.5f;
#else
    float k = 0.5f;
#endif
    y[at] = x[at] * k;
}
