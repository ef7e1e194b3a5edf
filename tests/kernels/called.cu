// Weighted sums of rows, where all the arithmetic lies in a function that stays a function; they go into an
// output that holds zeros before.

// Of one row; every column counts `weight` times.
__device__ __noinline__ float weighted_sum(const float* row, int columns, float weight) {
    float sum = 0.0f;
    for (int c = 0; c < columns; ++c) sum += row[c];
#ifdef WL_FAULT_TWICE
    sum = sum * weight;  // here: twice
#endif
    return sum * weight;
}

// in: (n, columns), out: (n), n a multiple of 32. Grid (n / 32), block (32).
extern "C" __global__ void called(const float* in, float* out, int columns, float weight) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    out[row] = weighted_sum(in + row * columns, columns, weight);
}
