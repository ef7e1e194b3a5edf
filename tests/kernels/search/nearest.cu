// The nearest point of each pixel within a distance and how many there are, points by asynchronous copies in
// two stages.
constexpr int kTile = 64, kSide = 16;

struct Nearest {
    float limit, far;  // squared
    int id, met;
};

__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__device__ float length2(float2 a) { return dot(a, a); }

__device__ void meet(float2 p, int id, float2 at, Nearest& best) {
    const float far = length2(p - at);
    if (far < best.limit) ++best.met;
    if (far < best.far) best.far = far, best.id = id;
}

template <int kLeft>
__device__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

// points: (count), id, far, met: (h, w); -1 where none lies within the reach.
__global__ void nearest(
    const float2* points, int* id, float* far, int* met, float reach, int count, int w, int h
) {
    __shared__ float2 tile[2][kTile];
    const int x = blockIdx.x * kSide + threadIdx.x, y = blockIdx.y * (kSide / 2) + threadIdx.y;
    const int t = threadIdx.y * kSide + threadIdx.x;
#if defined(WL_FAULT_CENTRE)
    const float across = 1.0f * x / w;
    const float along = 1.0f * y / h;
#else
    const float across = 1.0f * (x + 0.5f) / w;
    const float along = 1.0f * (y + 0.5f) / h;
#endif
    auto load = [&](int first) {
        const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[first / kTile % 2][t]));
        if (t < kTile && first + t < count)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(points + first + t));
        asm volatile("cp.async.commit_group;");
    };
    Nearest best = {reach * reach, reach * reach, -1, 0};
    load(0);
    for (int first = 0; first < count; first += kTile) {
        load(first + kTile);
#if defined(WL_FAULT_WAIT)
        wait<2>();
        __syncthreads();
#elif defined(WL_FAULT_ORDER)
        __syncthreads();
        wait<1>();
#else
        wait<1>();
        __syncthreads();
#endif
#if defined(WL_FAULT_TAIL)
        const int here = kTile;
#else
        const int here = min(kTile, count - first);
#endif
        for (int j = 0; j < here; ++j)
            meet(tile[first / kTile % 2][j], first + j, make_float2(across, along), best);
        __syncthreads();
    }
    if (x >= w || y >= h) return;
    id[y * w + x] = best.id;
    far[y * w + x] = best.id < 0 ? -1.0f : best.far;
    met[y * w + x] = best.met;
}
