// Edit distances of pairs of words: a block a pair, antidiagonal by antidiagonal, three of them in shared
// memory.
constexpr int kMost = 96;

extern "C" __global__ void edit_distance(
    const int* first,
    const int* second,
    const int* lengths,
    int* distance,
    int pairs,
    int width,
    int swap_cost
) {
    __shared__ int diagonal[3][kMost];
    const int pair = blockIdx.x;
    if (pair >= pairs) return;
#ifdef WL_FAULT_WORD
    const int *a = first + pair * pairs, *b = second + pair * width;
#else
    const int *a = first + pair * width, *b = second + pair * width;
#endif
#ifdef WL_FAULT_LENGTHS
    const int n = lengths[pair], m = lengths[pairs + pair];
#else
    const int n = lengths[2 * pair], m = lengths[2 * pair + 1];
#endif
#ifdef WL_FAULT_LAST
    for (int d = 0; d < n + m; ++d) {
#else
    for (int d = 0; d <= n + m; ++d) {
#endif
#ifdef WL_FAULT_RING
        const int *old = diagonal[(d + 2) % 3], *before = diagonal[(d + 2) % 3];
#else
        const int *old = diagonal[(d + 1) % 3], *before = diagonal[(d + 2) % 3];
#endif
        int* now = diagonal[d % 3];
        for (int i = threadIdx.x; i <= n; i += blockDim.x) {
            const int j = d - i;
            if (j < 0 || j > m) continue;
            int best;
#ifdef WL_FAULT_EDGE
            if (i == 0) {
#else
            if (i == 0 || j == 0) {
#endif
                best = i + j;
            } else {
#ifdef WL_FAULT_SAME
                const int change = a[i - 1] == b[j] ? 0 : swap_cost;
#else
                const int change = a[i - 1] == b[j - 1] ? 0 : swap_cost;
#endif
#ifdef WL_FAULT_DROP
                best = min(before[i - 1], before[i]);
#else
                best = min(before[i - 1], before[i]) + 1;
#endif
#ifdef WL_FAULT_MOST
                best = max(best, old[i - 1] + change);
#else
                best = min(best, old[i - 1] + change);
#endif
            }
            now[i] = best;
        }
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
    }
    if (threadIdx.x == 0) distance[pair] = diagonal[(n + m) % 3][n];
}
