// Of each row the sum of what is within reach.

// x: (rows, cols), out: (rows). Grid (1), block (32).
extern "C" __global__ void apart(const float* x, float* out, int rows, int cols, int reach) {
    const int r = threadIdx.x;
    if (r >= rows) return;
    float sum = 0.0f;
#ifdef WL_FAULT_ROW
    for (int c = 0; c < min(cols, reach); ++c) sum += x[r * rows + c];  // here: row
#else
    for (int c = 0; c < min(cols, reach); ++c) sum += x[r * cols + c];
#endif
    out[r] = sum;
}
