// Stresses: calls that recurse to a depth that depends on the data, two functions that call each other,
// frames with arrays in local memory, a sort that recurses.

__noinline__ __device__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__noinline__ __device__ bool is_odd(unsigned n);
__noinline__ __device__ bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__noinline__ __device__ bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

__noinline__ __device__ void quick_sort(int* first, int* last) {
    if (last - first < 2) return;
    const int pivot = first[(last - first) / 2];
    int *low = first, *high = last - 1;
    while (low <= high) {
        while (*low < pivot) ++low;
        while (*high > pivot) --high;
        if (low > high) break;
        const int kept = *low;
        *low++ = *high;
        *high-- = kept;
    }
    quick_sort(first, high + 1);
    quick_sort(low, last);
}

extern "C" __global__ void recursion(const int* in, int* out) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int own[8];
    for (int i = 0; i < 8; ++i) own[i] = in[thread * 8 + i];
    quick_sort(own, own + 8);
    for (int i = 0; i < 8; ++i) out[thread * 10 + i] = own[i];
    out[thread * 10 + 8] = ackermann(2, own[0] & 3);
    out[thread * 10 + 9] = is_even(own[3] & 15) + 2 * is_odd(own[4] & 15);
}
