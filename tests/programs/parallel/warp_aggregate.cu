// Stresses: ballot and popc, one atomic a warp for all its lanes, a broadcast by shuffle; places of elements
// that depend on the schedule, of which only what does not depend on it is compared.

extern "C" __global__ void warp_aggregate(
    const int* values, int n, int* kept, int* count, unsigned long long* checksum
) {
    const int lane = threadIdx.x % 32;
    for (int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 32; first < n;
         first += gridDim.x * blockDim.x) {
        const int i = first + lane;
        const int value = i < n ? values[i] : -1;
        const unsigned keepers = __ballot_sync(0xffffffff, value % 3 == 1);
        int base = 0;
        if (lane == 0) base = atomicAdd(count, __popc(keepers));
        base = __shfl_sync(0xffffffff, base, 0);
        if (keepers >> lane & 1) {
            kept[base + __popc(keepers & ((1u << lane) - 1))] = value;
            atomicAdd(checksum, static_cast<unsigned long long>(value) * value);
        }
    }
}
