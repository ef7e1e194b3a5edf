// What is right for some threads or turns alone: each element its own thread's.
// depth: (n) of codes, field: (n) changed in place, marks: (n, kTurns), first: (blocks), table: (256)
constexpr int kTurns = 4, kThreads = 32;

__global__ void guarded(
    const unsigned char* depth,
    const float* table,
    float* field,
    int* marks,
    int* first,
    float* looked,
    int n,
    float reach
) {
    __shared__ float known[256];
    for (int k = threadIdx.x; k < 256; k += kThreads) known[k] = 2.0f * table[k];
    __syncthreads();
    const int i = blockIdx.x * kThreads + threadIdx.x;
    int at = -1;
#if !defined(WL_FAULT_NONE)
    if (depth[blockIdx.x] >= kThreads)
#endif
        at = depth[blockIdx.x] * 3 % kThreads;
    if (threadIdx.x == 0) first[blockIdx.x] = at;
    if (i >= n) return;
#if defined(WL_FAULT_SIGNED)
    const signed char code = depth[i];
#else
    const unsigned char code = depth[i];
#endif
    const int own = i % kTurns;
    looked[i] = known[code] + own + code;
    for (int turn = 0; turn < kTurns; ++turn) {
#if defined(WL_FAULT_TURN)
        const int mark = i + turn;
#else
        const int mark = turn == own ? turn : i + turn;
#endif
        marks[i * kTurns + turn] = mark;
    }
    const float offset = table[depth[i]] - field[i];
#if !defined(WL_FAULT_HIDDEN)
    if (offset < -reach) return;
#endif
    field[i] = 0.5f * (field[i] + fminf(offset, reach));
}
