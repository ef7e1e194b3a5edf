// Arrays that the kernel finds through tables of their addresses.
__global__ void sum_of(const float** parts, int count, float* const* rows, int width) {
    const int row = blockIdx.x, col = threadIdx.x;
    float sum = 0.0f;
#if defined(WL_FAULT_ORDER)
    for (int k = 1; k < count; ++k) sum += parts[k][row * width + col];
#elif defined(WL_FAULT_FAR)
    for (int k = 0; k <= count; ++k) sum += parts[k][row * width + col];
#else
    for (int k = 0; k < count; ++k) sum += parts[k][row * width + col];
#endif
    rows[row][col] = sum;
}
