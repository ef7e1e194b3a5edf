// A 16 x 16 product in steps of 16.
#include <mma.h>

using namespace nvcuda;

// a: (16, depth), b: (depth, 16), c: (16, 16). One warp.
__global__ void cleared(const half* a, const half* b, float* c, int depth) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
#ifndef WL_FAULT_CLEAR
    wmma::fill_fragment(sums, 0.0f);
#endif
    for (int k = 0; k < depth; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
        wmma::load_matrix_sync(left, a + k, depth);
        wmma::load_matrix_sync(right, b + k * 16, 16);
        wmma::mma_sync(sums, left, right, sums);
    }
    wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
}
