// cuSPARSE's products of complex matrices, beside numpy's numbers, and of batches, beside those that NVIDIA
// publishes of its sample (CUDALibrarySamples, cuSPARSE/spmm_csr_batched).
#include "device.h"

#include <complex>
#include <cstdint>

struct cusparseContext;
struct cusparseSpMatDescr;
struct cusparseDnVecDescr;
struct cusparseDnMatDescr;
using Handle = cusparseContext*;
using SpMat = cusparseSpMatDescr*;
using DnVec = cusparseDnVecDescr*;
using DnMat = cusparseDnMatDescr*;
extern "C" {
int cusparseCreate(Handle*);
int cusparseDestroy(Handle);
int cusparseCreateCsr(SpMat*, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int, cudaDataType);
int cusparseCreateCoo(SpMat*, int64_t, int64_t, int64_t, void*, void*, void*, int, int, cudaDataType);
int cusparseCreateDnVec(DnVec*, int64_t, void*, cudaDataType);
int cusparseCreateDnMat(DnMat*, int64_t, int64_t, int64_t, void*, cudaDataType, int);
int cusparseCsrSetStridedBatch(SpMat, int, int64_t, int64_t);
int cusparseCooSetStridedBatch(SpMat, int, int64_t);
int cusparseSpMatGetStridedBatch(SpMat, int*);
int cusparseDnMatSetStridedBatch(DnMat, int, int64_t);
int cusparseDnMatGetStridedBatch(DnMat, int*, int64_t*);
int cusparseSpMV(Handle, int, const void*, SpMat, DnVec, const void*, DnVec, cudaDataType, int, void*);
int cusparseSpMM(Handle, int, int, const void*, SpMat, DnMat, const void*, DnMat, cudaDataType, int, void*);
}

namespace {

constexpr int kIndex = 2, kColumns = 1;  // 32 bits; a dense matrix by columns

template <class T>
using Complex = std::complex<T>;

template <class T>
bool are_close(const std::vector<Complex<T>>& got, const std::vector<Complex<double>>& expected) {
    bool out = got.size() == expected.size();
    for (size_t k = 0; k < got.size() && out; ++k)
        out = std::abs(Complex<double>(got[k]) - expected[k]) <= (sizeof(T) == 4 ? 1e-5 : 1e-13);
    return out;
}

// [1+2i, 0, 0.5; 3-i, 4i, 0]
template <class T>
struct Small {
    OnDevice<int> offsets{
        {0, 2, 4}
    },
        columns{{0, 2, 0, 1}};
    OnDevice<Complex<T>> values{
        std::vector<Complex<T>>{{1, 2}, {0.5, 0}, {3, -1}, {0, 4}}
    };
    cudaDataType type = sizeof(T) == 4 ? CUDA_C_32F : CUDA_C_64F;
    SpMat at = nullptr;
    Small() { cusparseCreateCsr(&at, 2, 3, 4, offsets.at, columns.at, values.at, kIndex, kIndex, 0, type); }
};

// (2-i) op(A) x + 0.5i y
template <class T>
void vectors(Handle handle, Count& count) {
    const Small<T> a;
    const std::vector<std::vector<Complex<double>>> expected = {
        {{0.5, 6.5},   {41.5, 4} },
        { {-4, -17.5},   {31.5, 4}, {1.5, 1.5}},
        { {16, -27.5}, {-32.5, -4}, {1.5, 1.5}}
    };
    for (const int op : {0, 1, 2}) {
        const std::vector<Complex<T>> three{
            {1, 1 },
            {2, -3},
            {0, -1}
        },
            two{{1, 1}, {2, -3}};
        const OnDevice<Complex<T>> x(op == 0 ? three : two),
            y(op == 0 ? std::vector<Complex<T>>{1, {0, 1}} : std::vector<Complex<T>>{1, {0, 1}, 2});
        DnVec dx = nullptr, dy = nullptr;
        cusparseCreateDnVec(&dx, int64_t(x.count), x.at, a.type);
        cusparseCreateDnVec(&dy, int64_t(y.count), y.at, a.type);
        const Complex<T> alpha(2, -1), beta(0, 0.5);
        const int status = cusparseSpMV(handle, op, &alpha, a.at, dx, &beta, dy, a.type, 0, nullptr);
        count.add(status == 0 && are_close(y.back(), expected[size_t(op)]));
    }
}

// A times what B becomes transposed and conjugated, B = [1+i, 2, 3i; 4, 5-2i, 6] by columns.
template <class T>
void conjugated(Handle handle, Count& count) {
    const Small<T> a;
    const OnDevice<Complex<T>> b(std::vector<Complex<T>>{
        {1, 1 },
        4, 2, {5, -2},
        {0, 3 },
        6
    }),
        c(std::vector<Complex<T>>(4));
    DnMat db = nullptr, dc = nullptr;
    cusparseCreateDnMat(&db, 2, 3, 2, b.at, a.type, kColumns);
    cusparseCreateDnMat(&dc, 2, 2, 2, c.at, a.type, kColumns);
    const Complex<T> one(1), none(0);
    const int status = cusparseSpMM(handle, 0, 2, &one, a.at, db, &none, dc, a.type, 0, nullptr);
    count.add(
        status == 0 &&
        are_close(
            c.back(),
            {
                {3, -0.5},
                {2, 4   },
                {7, 8   },
                {4, 16  }
    }
        )
    );
}

// Of NVIDIA's sample; the second matrix has other values, the second B too.
const std::vector<int> kOffsets{0, 3, 4, 7, 9}, kRows{0, 0, 0, 1, 2, 2, 2, 3, 3},
    kCols{0, 2, 3, 1, 0, 2, 3, 1, 3};
const std::vector<float> kFirst{1, 2, 3, 4, 5, 6, 7, 8, 9}, kB{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
    kResult{19, 8, 51, 52, 43, 24, 123, 120, 67, 40, 195, 188};

std::vector<float> twice(const std::vector<float>& all, float by) {
    std::vector<float> out = all;
    for (const float x : all) out.push_back(x * by);
    return out;
}
template <class T>
std::vector<T> again(const std::vector<T>& all) {
    std::vector<T> out = all;
    out.insert(out.end(), all.begin(), all.end());
    return out;
}

struct Batch {
    bool coo, many_a, many_b;
};
void batches(Handle handle, const Batch& kind, Count& count) {
    const OnDevice<int> offsets(again(kind.coo ? kRows : kOffsets)), cols(again(kCols));
    const OnDevice<float> values(twice(kFirst, 10)), b(twice(kB, 3)), c(std::vector<float>(24, 7));
    SpMat a = nullptr;
    DnMat db = nullptr, dc = nullptr;
    int set = 0, got = 0, got_dense = 0;
    int64_t apart = 0;
    if (kind.coo) {
        cusparseCreateCoo(&a, 4, 4, 9, offsets.at, cols.at, values.at, kIndex, 0, CUDA_R_32F);
        if (kind.many_a) set += cusparseCooSetStridedBatch(a, 2, 9);
    } else {
        cusparseCreateCsr(&a, 4, 4, 9, offsets.at, cols.at, values.at, kIndex, kIndex, 0, CUDA_R_32F);
        if (kind.many_a) set += cusparseCsrSetStridedBatch(a, 2, 5, 9);
    }
    cusparseCreateDnMat(&db, 4, 3, 4, b.at, CUDA_R_32F, kColumns);
    cusparseCreateDnMat(&dc, 4, 3, 4, c.at, CUDA_R_32F, kColumns);
    if (kind.many_b) set += cusparseDnMatSetStridedBatch(db, 2, 12);
    set += cusparseDnMatSetStridedBatch(dc, 2, 12);
    set += cusparseSpMatGetStridedBatch(a, &got) + cusparseDnMatGetStridedBatch(dc, &got_dense, &apart);
    const float one = 1, none = 0;
    const int status = cusparseSpMM(handle, 0, 0, &one, a, db, &none, dc, CUDA_R_32F, 0, nullptr);
    const std::vector<float> all = twice(kResult, (kind.many_a ? 10.F : 1.F) * (kind.many_b ? 3.F : 1.F));
    count.add(
        status == 0 && set == 0 && got == (kind.many_a ? 2 : 1) && got_dense == 2 && apart == 12 &&
        is_close(c.back(), {all.begin(), all.end()})
    );
}

// A batch of two as one factor and three results; no batch; memory that ends with the first.
void wrong(Handle handle) {
    const OnDevice<int> offsets(again(kOffsets)), cols(again(kCols));
    const OnDevice<float> values(twice(kFirst, 10)), b(kB), c(std::vector<float>(36));
    SpMat a = nullptr;
    DnMat db = nullptr, dc = nullptr;
    cusparseCreateCsr(&a, 4, 4, 9, offsets.at, cols.at, values.at, kIndex, kIndex, 0, CUDA_R_32F);
    cusparseCreateDnMat(&db, 4, 3, 4, b.at, CUDA_R_32F, kColumns);
    cusparseCreateDnMat(&dc, 4, 3, 4, c.at, CUDA_R_32F, kColumns);
    const float one = 1;
    const auto called = [&](cudaDataType compute) {
        return cusparseSpMM(handle, 0, 0, &one, a, db, &one, dc, compute, 0, nullptr);
    };
    say("a batch of none", cusparseDnMatSetStridedBatch(dc, 0, 12));
    say("of another format", cusparseCooSetStridedBatch(a, 2, 9));
    cusparseCsrSetStridedBatch(a, 2, 5, 9), cusparseDnMatSetStridedBatch(dc, 3, 12);
    say("two for three", called(CUDA_R_32F));
    cusparseDnMatSetStridedBatch(dc, 2, 12), cusparseDnMatSetStridedBatch(db, 2, 1 << 20);
    say("memory that ends", called(CUDA_R_32F));
    cusparseDnMatSetStridedBatch(db, 1, 0);
    say("real ones as complex", called(CUDA_C_32F));
    say("as it should be", called(CUDA_R_32F));
}

}  // namespace

int main() {
    Handle handle = nullptr;
    cusparseCreate(&handle);
    Count complex, of_batches;
    vectors<float>(handle, complex), vectors<double>(handle, complex);
    conjugated<float>(handle, complex), conjugated<double>(handle, complex);
    complex.say("complex");
    for (const bool coo : {false, true})
        for (const bool many_a : {false, true})
            for (const bool many_b : {false, true}) batches(handle, {coo, many_a, many_b}, of_batches);
    of_batches.say("batches");
    wrong(handle);
    cusparseDestroy(handle);
    return 0;
}
