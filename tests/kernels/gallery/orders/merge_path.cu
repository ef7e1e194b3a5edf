// Two sorted lists of keys and values into one, stable: the path through the merge is cut into equal parts,
// each found by bisection along its diagonal, first for blocks in global memory, then for threads in shared
// memory.
constexpr int kThreads = 32, kItems = 5, kPart = kThreads * kItems;

template <typename Key>
struct List {
    const Key* keys;
    const int* values;
    long long count;
};

// How many of the first `diagonal` merged elements come from a.
template <typename Key, typename Index>
__device__ Index cut(const Key* a, Index a_count, const Key* b, Index b_count, Index diagonal) {
#ifdef WL_FAULT_LOW
    Index low = 0;
#else
    Index low = diagonal > b_count ? diagonal - b_count : 0;
#endif
    Index high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        const Index middle = (low + high) / 2;
#ifdef WL_FAULT_TIE
        if (a[middle] < b[diagonal - 1 - middle]) {
#else
        if (a[middle] <= b[diagonal - 1 - middle]) {
#endif
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// keys, values: (a.count + b.count). Grid (ceil(count / 160)), 32 threads.
template <typename Key>
__global__ void merge_path(List<Key> a, List<Key> b, Key* keys, int* values) {
    __shared__ Key staged[kPart];
    __shared__ int origins[kPart];
    __shared__ long long bounds[2];
    const long long total = a.count + b.count, begin = (long long)blockIdx.x * kPart;
#ifdef WL_FAULT_END
    const long long end = begin + kPart;
#else
    const long long end = begin + kPart < total ? begin + kPart : total;
#endif
#ifdef WL_FAULT_COUNT
    if (threadIdx.x < 2)
        bounds[threadIdx.x] = cut(a.keys, a.count, b.keys, a.count, threadIdx.x ? end : begin);
#else
    if (threadIdx.x < 2)
        bounds[threadIdx.x] = cut(a.keys, a.count, b.keys, b.count, threadIdx.x ? end : begin);
#endif
    __syncthreads();
    const long long a0 = bounds[0], b0 = begin - bounds[0];
    const int na = int(bounds[1] - a0), nb = int(end - begin) - na;
#ifdef WL_FAULT_FIRST
    for (int i = threadIdx.x; i < na + nb; i += kThreads)
        staged[i] = i < na ? a.keys[a0 + i] : b.keys[b0 + i];
#else
    for (int i = threadIdx.x; i < na + nb; i += kThreads)
        staged[i] = i < na ? a.keys[a0 + i] : b.keys[b0 + i - na];
#endif
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif

    const int diagonal = min(int(threadIdx.x) * kItems, na + nb);
    int i = cut(staged, na, staged + na, nb, diagonal), j = diagonal - i;
    Key own[kItems];
    for (int item = 0; item < kItems && diagonal + item < na + nb; ++item) {
#ifdef WL_FAULT_EMPTY
        const bool from_a = j >= nb || staged[i] <= staged[na + j];
#else
        const bool from_a = j >= nb || (i < na && staged[i] <= staged[na + j]);
#endif
        own[item] = from_a ? staged[i] : staged[na + j];
#ifdef WL_FAULT_ORIGIN
        origins[diagonal + item] = from_a ? a.values[a0 + i] : b.values[b0 + i];
#else
        origins[diagonal + item] = from_a ? a.values[a0 + i] : b.values[b0 + j];
#endif
        from_a ? ++i : ++j;
    }
    __syncthreads();
    for (int item = 0; item < kItems && diagonal + item < na + nb; ++item)
        staged[diagonal + item] = own[item];
    __syncthreads();
    for (int k = threadIdx.x; k < na + nb; k += kThreads) {
        keys[begin + k] = staged[k];
        values[begin + k] = origins[k];
    }
}

template __global__ void merge_path<int>(List<int>, List<int>, int*, int*);
