// The weighted sum of each row; nobody says how many terms it has.
extern "C" __global__ void rough(const float* x, const float* w, float* sums, int rows, int cols) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.0f;
#ifdef WL_FAULT_WEIGHT
    for (int c = 0; c < cols; ++c) sum += x[r * cols + c] * w[r];  // here: weight
#else
    for (int c = 0; c < cols; ++c) sum += x[r * cols + c] * w[c];
#endif
    sums[r] = sum;
}
