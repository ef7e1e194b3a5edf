// Stresses: a hash table that lanes fill at once by compare-and-swap on 64-bit slots, then look up: probes of
// different lengths in one warp, duplicates that lose.

constexpr unsigned long long kEmpty = ~0ull;

extern "C" __global__ void hash_table(
    const unsigned* keys, unsigned long long* slots, int* counts, unsigned* found, int capacity, int n
) {
    for (int i = threadIdx.x; i < capacity; i += blockDim.x) slots[i] = kEmpty;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const unsigned key = keys[i] % 500;
        const unsigned long long entry = static_cast<unsigned long long>(key) << 32 | key * 7;
        for (int at = key * 2654435761u % capacity;; at = (at + 1) % capacity) {
            const unsigned long long before = atomicCAS(&slots[at], kEmpty, entry);
            if (before == kEmpty) atomicAdd(&counts[0], 1);
            if (before == entry) atomicAdd(&counts[1], 1);
            if (before == kEmpty || before == entry) break;
        }
    }
    __syncthreads();
    for (int key = threadIdx.x; key < 500; key += blockDim.x) {
        unsigned value = 0;
        for (int at = key * 2654435761u % capacity; slots[at] != kEmpty; at = (at + 1) % capacity)
            if (slots[at] >> 32 == key) {
                value = static_cast<unsigned>(slots[at]) + 1;
                break;
            }
        found[key] = value;
    }
}
