// C = A B on the tensor cores. The warp stores C itself, register by register, without store_matrix_sync.
#include <mma.h>
#include <warplens.cuh>
using namespace nvcuda;

__device__ int row_of(int lane, int i) { return lane / 2; }             // of acc.x[i] in this lane
__device__ int column_of(int lane, int i) { return lane % 2 * 8 + i; }  // the same

extern "C" __global__ void product(const __half* A, const __half* B, float* C) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::load_matrix_sync(a, A, 16);
    wmma::load_matrix_sync(b, B, 16);
    wmma::fill_fragment(acc, 0.0f);
    wmma::mma_sync(acc, a, b, acc);
    WL_FRAGMENT("acc", acc);
    const int lane = threadIdx.x;
    for (int i = 0; i < acc.num_elements; ++i) C[row_of(lane, i) * 16 + column_of(lane, i)] = acc.x[i];
}
