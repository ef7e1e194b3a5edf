// Of each row the sum of what is within reach, from its own first element on, and a number.

// x: (rows, cols), from: (rows), out: (rows). Grid (1), block (32).
extern "C" __global__ void apart(
    const float* x, const int* from, float* out, int rows, int cols, int reach, int fixed
) {
    const int r = threadIdx.x;
    if (r >= rows) return;
    float sum = fixed;
#ifdef WL_FAULT_ROW
    for (int c = from[r]; c < min(cols, reach); ++c) sum += x[r * rows + c];  // here: row
#else
    for (int c = from[r]; c < min(cols, reach); ++c) sum += x[r * cols + c];
#endif
    out[r] = sum;
}
