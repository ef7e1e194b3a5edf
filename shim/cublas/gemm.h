// Matrix products in plain loops, for programs that compare their own kernels with cuBLAS. Sums are FP64 and
// rounded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wl::cublas {

// A matrix of the device or the host, by columns.
struct Matrix {
    const void* data = nullptr;
    int type = 0;  // cudaDataType
    int64_t ld = 0;
    bool transposed = false;
};
bool is_known(int type);
size_t bytes_of(int type);
// What a program's description says of it is possible, and it is there.
void require_there(const Matrix& m, int64_t rows, int64_t cols, const char* what);

// rows x cols of op(matrix), by rows.
std::vector<double> load(const Matrix& m, int64_t rows, int64_t cols);
// Of the device's or the host's memory, by its address.
double scalar(const void* at, int type);

struct Product {
    int64_t m = 0, n = 0, k = 0;
    double alpha = 1, beta = 0;
    Matrix a, b, c;              // c: read where beta is not 0
    void* d = nullptr;           // written; of c's type unless told
    int64_t ld = 0;              // of d
    int type = 0;                // of d
    int epilogue = 1;            // cublasLtEpilogue_t: of 1 plain, 2 ReLU, 4 bias, 32 GELU
    const void* bias = nullptr;  // m elements
    int bias_type = 0;
};
// Checks that all is there.
void multiply_now(const Product& p);
// As work of the stream, which is a cudaStream_t; the answer is a cublasStatus_t, or a Failure.
int multiply(const char* function, const Product& p, void* stream);
// `count` of them, the matrices so many elements apart.
struct Strides {
    int64_t a = 0, b = 0, c = 0, d = 0;
};
int multiply_batched(const char* function, Product p, const Strides& strides, int64_t count, void* stream);

}  // namespace wl::cublas
