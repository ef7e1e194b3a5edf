// S = Q K^T: S[i][j] is the dot product of query i and key j. Q and K lie by rows, a query or a key a row.
#include <mma.h>
#include <warplens.cuh>
using namespace nvcuda;

extern "C" __global__ void scores(const __half* Q, const __half* K, float* S) {
    __shared__ __half q[16][16], k[16][16];
    __shared__ float s[16][16];
    for (int i = threadIdx.x; i < 256; i += 32) q[i / 16][i % 16] = Q[i], k[i / 16][i % 16] = K[i];
    __syncwarp();
    WL_TILE("Q", &q[0][0], 16, 16, 16);
    WL_TILE("K", &k[0][0], 16, 16, 16);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::load_matrix_sync(a, &q[0][0], 16);
    wmma::load_matrix_sync(b, &k[0][0], 16);
    wmma::fill_fragment(acc, 0.0f);
    wmma::mma_sync(acc, a, b, acc);
    wmma::store_matrix_sync(&s[0][0], acc, 16, wmma::mem_row_major);
    __syncwarp();
    WL_TILE("S", &s[0][0], 16, 16, 16);
    for (int i = threadIdx.x; i < 256; i += 32) S[i] = s[i / 16][i % 16];
}
