// Stresses: two-dimensional blocks, static shared arrays with and without padding and with an XOR swizzle,
// ragged edges; a block's z says which.

constexpr int kTile = 32, kRows = 8;

struct Plain {
    static constexpr int kLd = kTile;
    static __device__ int column(int, int c) { return c; }
};
struct Padded {
    static constexpr int kLd = kTile + 1;
    static __device__ int column(int, int c) { return c; }
};
struct Swizzled {
    static constexpr int kLd = kTile;
    static __device__ int column(int r, int c) { return c ^ r; }
};

template <class Layout>
__device__ void move(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[kTile * Layout::kLd];
    const int r0 = blockIdx.y * kTile, c0 = blockIdx.x * kTile, x = threadIdx.x;
    for (int y = threadIdx.y; y < kTile; y += kRows)
        if (r0 + y < rows && c0 + x < columns)
            tile[y * Layout::kLd + Layout::column(y, x)] = in[(r0 + y) * columns + c0 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < kTile; y += kRows)
        if (c0 + y < columns && r0 + x < rows)
            out[(c0 + y) * rows + r0 + x] = tile[x * Layout::kLd + Layout::column(x, y)];
}

extern "C" __global__ void transpose(const float* in, float* out, int rows, int columns) {
    float* mine = out + blockIdx.z * rows * columns;
    switch (blockIdx.z) {
        case 0: return move<Plain>(in, mine, rows, columns);
        case 1: return move<Padded>(in, mine, rows, columns);
        default: return move<Swizzled>(in, mine, rows, columns);
    }
}
