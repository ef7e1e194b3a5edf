// Matrix products in plain loops, for programs that compare their own kernels with cuBLAS. Sums are FP64 and
// rounded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wl::cublas {

// cublasStatus_t
enum Status : int { success = 0, invalid_value = 7, execution_failed = 13, not_supported = 15 };

// A matrix of the device or the host, by columns.
struct Matrix {
    const void* data = nullptr;
    int type = 0;  // cudaDataType
    int64_t ld = 0;
    bool transposed = false;
};
bool is_known(int type);
size_t bytes_of(int type);

// rows x cols of op(matrix), by rows.
std::vector<double> load(const Matrix& m, int64_t rows, int64_t cols);
// Of the device's or the host's memory, whichever pointer mode there is.
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
// As work of the stream, which is a cudaStream_t.
Status multiply(const Product& p, void* stream);

// "cublasFoo is not supported"
Status unsupported(const char* name);
int unsupported_name(const char* name);

}  // namespace wl::cublas
