// Stresses: wmma fragments from shared memory, row- and column-major, an accumulator that is scaled element
// by element and stored to global memory.
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 32, kStep = 16, kPad = 8;

// C = 2 A B + C. A: (m, k) by rows, B: (k, n) by columns; all multiples of 32.
extern "C" __global__ void gemm_wmma(const __half* a, const __half* b, float* c, int m, int n, int k) {
    __shared__ __align__(32) __half sa[kTile][kStep + kPad], sb[kTile][kStep + kPad];
    const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile, warp = threadIdx.x / 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
    wmma::fill_fragment(sum, 0.0f);
    for (int k0 = 0; k0 < k; k0 += kStep) {
        for (int e = threadIdx.x; e < kTile * kStep; e += blockDim.x) {
            const int line = e / kStep, i = e % kStep;
            sa[line][i] = a[(row0 + line) * k + k0 + i];
            sb[line][i] = b[(column0 + line) * k + k0 + i];
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, sa[warp / 2 * 16], kStep + kPad);
        wmma::load_matrix_sync(fb, sb[warp % 2 * 16], kStep + kPad);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    float* mine = c + (row0 + warp / 2 * 16) * n + column0 + warp % 2 * 16;
    wmma::load_matrix_sync(old, mine, n, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = 2 * sum.x[i] + old.x[i];
    wmma::store_matrix_sync(mine, sum, n, wmma::mem_row_major);
}
