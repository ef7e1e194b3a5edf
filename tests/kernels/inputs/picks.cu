// The largest of each row, by comparison: most inputs decide, and one goes into the result.
__global__ void picks(const int* x, int* most, int cols) {
    const int* const row = x + threadIdx.x * cols;
    int best = row[0];
#if defined(WL_FAULT_EARLY)
    for (int c = 1; c < cols - 1; ++c)
#else
    for (int c = 1; c < cols; ++c)
#endif
        if (row[c] > best) best = row[c];
#if defined(WL_FAULT_MORE)
    best += threadIdx.x / 3;
#endif
    most[threadIdx.x] = best;
}
