// A product of 10 x 16 by 16 x 16 in a tile of 16 x 16: nobody sets the tile's last six rows, and what comes
// of them is dropped.
#include <cuda_fp16.h>

#include <mma.h>

using namespace nvcuda;

// a: (10, 16), b: (16, 16), c: (10, 16). Grid (1), block (32).
extern "C" __global__ void short_tile(const half* a, const half* b, float* c) {
    __shared__ half left[16 * 16];
    __shared__ float product[16 * 16];
    const int lane = threadIdx.x;
    for (int i = lane; i < 10 * 16; i += 32) {
#ifdef WL_FAULT_DEEP
        if (i % 16 == 15) continue;  // the last column is of every row
#endif
        left[i] = a[i];
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(x, left, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(product, sum, 16, wmma::mem_row_major);
    __syncwarp();
#ifdef WL_FAULT_TALL
    for (int i = lane; i < 10 * 16; i += 32) c[i] = product[i + 16];  // a row too far
#else
    for (int i = lane; i < 10 * 16; i += 32) c[i] = product[i];
#endif
}
