// Where the largest of each row stands: inputs decide, and none goes into the result.
__global__ void picks(const int* x, int* place, int cols) {
    const int* const row = x + threadIdx.x * cols;
    int best = row[0], at = 0;
#if defined(WL_FAULT_EARLY)
    for (int c = 1; c < cols - 1; ++c)
#else
    for (int c = 1; c < cols; ++c)
#endif
        if (row[c] > best) best = row[c], at = c;
#if defined(WL_FAULT_MORE)
    at += threadIdx.x / 3;
#endif
    place[threadIdx.x] = at;
}
