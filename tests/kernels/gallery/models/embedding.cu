// y = scale x table[token] + positions[place]: a warp a token; both rows are copied by cp.async, sixteen
// bytes a lane, lanes 0 to 15 one and the others the other. The square of each embedding's length is told as
// well.
#include <cuda_pipeline.h>

constexpr int kDim = 64, kTokens = 4;

// tokens: (count), table: (vocabulary, 64), positions: (length, 64), y: (count, 64), norms: (count).
// Grid (ceil(count / 4)), block (32, 4). A token's place is its index modulo the length.
__global__ void embedding(
    const int* tokens,
    const float* table,
    const float* positions,
    float* y,
    float* norms,
    int count,
    int length,
    int padding,
    float scale
) {
    __shared__ __align__(16) float rows[kTokens][2][kDim];
    const int lane = threadIdx.x, warp = threadIdx.y, i = blockIdx.x * kTokens + warp;
#ifndef WL_FAULT_GUARD
    if (i >= count) return;
#endif
#if defined(WL_FAULT_BYTE)
    const unsigned char token = tokens[i], place = i % length;
#elif defined(WL_FAULT_PLACE)
    const int token = tokens[i], place = i / length;
#elif defined(WL_FAULT_INDEX)
    const int token = tokens[lane], place = i % length;
#else
    const int token = tokens[i], place = i % length;
#endif
    const float* from = lane < 16 ? table + token * kDim : positions + place * kDim;
#ifdef WL_FAULT_FOUR
    const int col = lane % 16 * 3;
#else
    const int col = lane % 16 * 4;
#endif
    __pipeline_memcpy_async(&rows[warp][lane / 16][col], from + col, 16);
    __pipeline_commit();
#ifdef WL_FAULT_WAIT
    __pipeline_wait_prior(1);
#else
    __pipeline_wait_prior(0);
#endif
#ifndef WL_FAULT_SYNC
    __syncwarp();
#endif
#ifdef WL_FAULT_START
    float square;
#else
    float square = 0.0f;
#endif
    for (int c = lane; c < kDim; c += 32) {
#ifdef WL_FAULT_SCALE
        const float e = rows[warp][0][c] / scale;
#else
        const float e = scale * rows[warp][0][c];
#endif
#ifdef WL_FAULT_POSITION
        y[i * kDim + c] = token == padding ? 0.0f : e;
#else
        y[i * kDim + c] = (token == padding ? 0.0f : e) + rows[warp][1][c];
#endif
#ifdef WL_FAULT_LAST
        square = e * e;
#else
        square += e * e;
#endif
    }
#ifdef WL_FAULT_WIDTH
    for (int o = 16; o > 0; o /= 2) square += __shfl_xor_sync(0xffffffff, square, o, 16);
#else
    for (int o = 16; o > 0; o /= 2) square += __shfl_xor_sync(0xffffffff, square, o);
#endif
    if (lane == 0) norms[i] = square;
}
