// Transposes a batch of matrices, 32 x 32 elements a block.

constexpr int kTile = 32, kRows = 8;

// in: (batch, h, w), out: (batch, w, h). Grid (ceil(w / 32), ceil(h / 32), batch), block (32, 8).
__global__ void transpose(const float* in, float* out, int h, int w) {
#ifdef WL_FAULT_PAD
    __shared__ float tile[kTile][kTile - 1];
#else
    __shared__ float tile[kTile][kTile + 1];
#endif
#ifdef WL_FAULT_SLICE
    const size_t slice = 0;
#else
    const size_t slice = size_t(blockIdx.z) * h * w;
#endif
    int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
#ifdef WL_FAULT_HALF
    for (int j = 0; j < kTile / 2; j += kRows)
#else
    for (int j = 0; j < kTile; j += kRows)
#endif
#if defined(WL_FAULT_ROWS)
        if (x < w) tile[threadIdx.y + j][threadIdx.x] = in[slice + (y + j) * w + x];
#elif defined(WL_FAULT_EDGE)
        if (x < w - 1 && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[slice + (y + j) * w + x];
#else
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[slice + (y + j) * w + x];
#endif
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    x = blockIdx.y * kTile + threadIdx.x;
#ifdef WL_FAULT_BLOCK
    y = blockIdx.y * kTile + threadIdx.y;
#else
    y = blockIdx.x * kTile + threadIdx.y;
#endif
    for (int j = 0; j < kTile; j += kRows)
#if defined(WL_FAULT_INNER)
        if (x < h && y + j < w) out[slice + (y + j) * h + x] = tile[threadIdx.y + j][threadIdx.x];
#elif defined(WL_FAULT_STRIDE)
        if (x < h && y + j < w) out[slice + (y + j) * w + x] = tile[threadIdx.x][threadIdx.y + j];
#else
        if (x < h && y + j < w) out[slice + (y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
#endif
}
