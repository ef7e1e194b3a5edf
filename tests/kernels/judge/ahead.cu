// Each element becomes the next one and one more, level after level, in two halves that are taken in turns.
extern "C" __global__ void ahead_first(const int* x, int* rows, int n) {
    for (int i = threadIdx.x; i < n; i += 32) rows[i] = x[i];
}
extern "C" __global__ void ahead_step(int* rows, int n, int level) {
    const int* in = rows + (level & 1) * n;
#ifdef WL_FAULT_HALF
    int* out = rows + (level & 1) * n;
#else
    int* out = rows + ((level + 1) & 1) * n;
#endif
    for (int i = threadIdx.x; i < n; i += 32) {
        const int next = in[(i + 1) % n];
        out[i] = next + 1;
#ifdef WL_FAULT_RACE
        if (out[i ^ 1] == -1) out[i] = 0;
#endif
    }
}
