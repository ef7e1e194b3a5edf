// y = alpha A x + beta y for a matrix in compressed rows, a warp a row.

constexpr int kWarps = 4;

// starts: (rows + 1), columns, values: (starts[rows]), x: (cols), y: (rows). Grid (ceil(rows / 4)), 128
// threads.
__global__ void spmv_csr(
    const int* starts,
    const int* columns,
    const float* values,
    const float* x,
    float* y,
    int rows,
    float alpha,
    float beta
) {
    const int lane = threadIdx.x % 32, row = blockIdx.x * kWarps + threadIdx.x / 32;
#ifndef WL_FAULT_GUARD
    if (row >= rows) return;
#endif
#if defined(WL_FAULT_NEXT)
    const int begin = starts[row], end = starts[row + 1] + 1;
#elif defined(WL_FAULT_END)
    const int begin = starts[row], end = starts[row + 1] - 1;
#else
    const int begin = starts[row], end = starts[row + 1];
#endif
    float sum = 0.0f;
#if defined(WL_FAULT_ONCE)
    for (int i = begin + lane; i < end; i += 32) sum = values[i] * x[columns[i]];
#elif defined(WL_FAULT_COLUMN)
    for (int i = begin + lane; i < end; i += 32) sum += values[i] * x[i % rows];
#elif defined(WL_FAULT_SINGLE)
    if (begin + lane < end) sum += values[begin + lane] * x[columns[begin + lane]];
#else
    for (int i = begin + lane; i < end; i += 32) sum += values[i] * x[columns[i]];
#endif
#ifdef WL_FAULT_UP
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_up_sync(0xffffffff, sum, o);
#else
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
#endif
#if defined(WL_FAULT_BETA)
    if (lane == 0) y[row] = alpha * sum + alpha * y[row];
#elif defined(WL_FAULT_LANE)
    if (lane == 0) y[row] = alpha * sum - beta * y[row];
#else
    if (lane == 0) y[row] = alpha * sum + beta * y[row];
#endif
}
