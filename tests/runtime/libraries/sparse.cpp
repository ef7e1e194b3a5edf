// cuSPARSE's SpMV and SpMM in every form, beside FP64; by a word of the command line wrong calls.
#include "device.h"

#include <cstdint>
#include <cstring>
#include <limits>
#ifdef WL_HEADERS  // those of a whole toolkit; without them what they declare
#include <cusparse.h>
#else
struct cusparseContext;
struct cusparseSpMatDescr;
struct cusparseDnVecDescr;
struct cusparseDnMatDescr;
using cusparseHandle_t = cusparseContext*;
using cusparseSpMatDescr_t = cusparseSpMatDescr*;
using cusparseDnVecDescr_t = cusparseDnVecDescr*;
using cusparseDnMatDescr_t = cusparseDnMatDescr*;
enum cusparseOperation_t {};
enum cusparseIndexType_t {};
enum cusparseIndexBase_t {};
enum cusparseOrder_t {};
enum cusparseSpMVAlg_t {};
enum cusparseSpMMAlg_t {};
enum cusparsePointerMode_t {};
extern "C" {
int cusparseCreate(cusparseHandle_t*);
int cusparseDestroy(cusparseHandle_t);
int cusparseSetPointerMode(cusparseHandle_t, cusparsePointerMode_t);
int cusparseCreateCsr(
    cusparseSpMatDescr_t*,
    int64_t,
    int64_t,
    int64_t,
    void*,
    void*,
    void*,
    cusparseIndexType_t,
    cusparseIndexType_t,
    cusparseIndexBase_t,
    cudaDataType
);
int cusparseCreateCsc(
    cusparseSpMatDescr_t*,
    int64_t,
    int64_t,
    int64_t,
    void*,
    void*,
    void*,
    cusparseIndexType_t,
    cusparseIndexType_t,
    cusparseIndexBase_t,
    cudaDataType
);
int cusparseCreateCoo(
    cusparseSpMatDescr_t*,
    int64_t,
    int64_t,
    int64_t,
    void*,
    void*,
    void*,
    cusparseIndexType_t,
    cusparseIndexBase_t,
    cudaDataType
);
int cusparseDestroySpMat(const cusparseSpMatDescr*);
int cusparseCreateDnVec(cusparseDnVecDescr_t*, int64_t, void*, cudaDataType);
int cusparseDestroyDnVec(const cusparseDnVecDescr*);
int cusparseCreateDnMat(
    cusparseDnMatDescr_t*, int64_t, int64_t, int64_t, void*, cudaDataType, cusparseOrder_t
);
int cusparseDestroyDnMat(const cusparseDnMatDescr*);
int cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, const cusparseSpMatDescr*, const cusparseDnVecDescr*, const void*, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, size_t*);
int cusparseSpMV(cusparseHandle_t, cusparseOperation_t, const void*, const cusparseSpMatDescr*, const cusparseDnVecDescr*, const void*, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*);
int cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, const cusparseSpMatDescr*, const cusparseDnMatDescr*, const void*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t*);
int cusparseSpMM(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, const cusparseSpMatDescr*, const cusparseDnMatDescr*, const void*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, void*);
int cusparseSpGEMM_createDescr(void**);
}
#endif

namespace {

constexpr int kRows = 5, kCols = 7, kWide = 3, kLead = 9;
enum class Format { csr, csc, coo };

double entry(int r, int c) { return r == 2 || (r * 3 + c * 5) % 4 == 0 ? 0 : 1.0 / (1 + r + 2 * c) - 0.2; }

// One way of writing the matrix down.
struct Form {
    Format format;
    bool wide_index;
    int base;
};

template <class T, class Index>
struct Sparse {
    cusparseSpMatDescr_t descriptor = nullptr;
    OnDevice<Index> offsets, indices;
    OnDevice<T> values;

    Sparse(
        const Form& f,
        const std::vector<Index>& offset,
        const std::vector<Index>& index,
        const std::vector<T>& value
    ) :
        offsets(offset), indices(index), values(value) {
        const auto type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
        const auto of = static_cast<cusparseIndexType_t>(sizeof(Index) == 4 ? 2 : 3);
        const auto base = static_cast<cusparseIndexBase_t>(f.base);
        const auto count = static_cast<int64_t>(value.size());
        if (f.format == Format::coo)
            cusparseCreateCoo(
                &descriptor, kRows, kCols, count, offsets.at, indices.at, values.at, of, base, type
            );
        else
            (f.format == Format::csr ? cusparseCreateCsr : cusparseCreateCsc
            )(&descriptor, kRows, kCols, count, offsets.at, indices.at, values.at, of, of, base, type);
    }
    ~Sparse() { cusparseDestroySpMat(descriptor); }
};

template <class T, class Index>
Sparse<T, Index> written(const Form& f) {
    std::vector<Index> offsets, indices;
    std::vector<T> values;
    const bool by_rows = f.format != Format::csc;
    for (int i = 0; i < (by_rows ? kRows : kCols); ++i) {
        if (f.format != Format::coo) offsets.push_back(static_cast<Index>(values.size()) + f.base);
        for (int j = 0; j < (by_rows ? kCols : kRows); ++j) {
            const double x = by_rows ? entry(i, j) : entry(j, i);
            if (x == 0) continue;
            if (f.format == Format::coo) offsets.push_back(i + f.base);
            indices.push_back(j + f.base), values.push_back(static_cast<T>(x));
        }
    }
    if (f.format != Format::coo) offsets.push_back(static_cast<Index>(values.size()) + f.base);
    return {f, offsets, indices, values};
}

double value(int row, int column) { return std::sin(1 + row * 3.0 + column); }

// alpha op(A) x + beta y, where what was there is no number if beta is 0.
template <class T, class Index>
void vectors(cusparseHandle_t handle, const Form& form, Count& count) {
    const auto type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
    const auto matrix = written<T, Index>(form);
    for (const int op : {0, 1})
        for (const T beta : {T(0), T(-0.5)}) {
            const int depth = op == 0 ? kCols : kRows, height = op == 0 ? kRows : kCols;
            std::vector<T> x,
                y(static_cast<size_t>(height), beta == 0 ? std::numeric_limits<T>::quiet_NaN() : 1);
            for (int k = 0; k < depth; ++k) x.push_back(static_cast<T>(value(k, 0)));
            const OnDevice<T> from(x), to(y);
            cusparseDnVecDescr_t dx, dy;
            cusparseCreateDnVec(&dx, depth, from.at, type), cusparseCreateDnVec(&dy, height, to.at, type);
            const T alpha = T(1.5);
            const auto how = static_cast<cusparseOperation_t>(op);
            size_t bytes = 0;
            int status = cusparseSpMV_bufferSize(
                handle, how, &alpha, matrix.descriptor, dx, &beta, dy, type, cusparseSpMVAlg_t{}, &bytes
            );
            const OnDevice<char> buffer{std::vector<char>(bytes + 1)};
            status += cusparseSpMV(
                handle, how, &alpha, matrix.descriptor, dx, &beta, dy, type, cusparseSpMVAlg_t{}, buffer.at
            );
            std::vector<double> expected;
            for (int r = 0; r < height; ++r) {
                double sum = 0;
                for (int c = 0; c < depth; ++c)
                    sum += double(T(op == 0 ? entry(r, c) : entry(c, r))) * double(x[static_cast<size_t>(c)]);
                expected.push_back(1.5 * sum + (beta == 0 ? 0 : double(beta)));
            }
            count.add(status == 0 && is_close(to.back(), expected));
            cusparseDestroyDnVec(dx), cusparseDestroyDnVec(dy);
        }
}

// A dense matrix in either order, with room between its rows or columns, or what it becomes transposed.
template <class T>
struct Dense {
    cusparseDnMatDescr_t descriptor = nullptr;
    bool by_rows;
    OnDevice<T> values;

    Dense(int rows, int cols, bool in_rows) :
        by_rows(in_rows), values(std::vector<T>(static_cast<size_t>(kLead * (in_rows ? rows : cols)), T(7))) {
        std::vector<T> all(values.count, T(7));
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < cols; ++c) all[place(r, c)] = static_cast<T>(value(r, c));
        cudaMemcpy(values.at, all.data(), all.size() * sizeof(T), cudaMemcpyHostToDevice);
        cusparseCreateDnMat(
            &descriptor,
            rows,
            cols,
            kLead,
            values.at,
            sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F,
            static_cast<cusparseOrder_t>(in_rows ? 2 : 1)
        );
    }
    ~Dense() { cusparseDestroyDnMat(descriptor); }
    size_t place(int r, int c) const { return static_cast<size_t>(by_rows ? r * kLead + c : c * kLead + r); }
};

template <class T, class Index>
void matrices(cusparseHandle_t handle, const Form& form, int how, Count& count) {
    const auto type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
    const auto sparse = written<T, Index>(form);
    const int op_a = how & 1, op_b = how >> 1 & 1;
    const int depth = op_a == 0 ? kCols : kRows, height = op_a == 0 ? kRows : kCols;
    const Dense<T> b(op_b == 0 ? depth : kWide, op_b == 0 ? kWide : depth, (how & 4) != 0);
    const Dense<T> c(height, kWide, (how & 8) != 0);
    const T alpha = T(2), beta = T(0.25);
    size_t bytes = 0;
    int status = cusparseSpMM_bufferSize(
        handle,
        static_cast<cusparseOperation_t>(op_a),
        static_cast<cusparseOperation_t>(op_b),
        &alpha,
        sparse.descriptor,
        b.descriptor,
        &beta,
        c.descriptor,
        type,
        cusparseSpMMAlg_t{},
        &bytes
    );
    const OnDevice<char> buffer{std::vector<char>(bytes + 1)};
    status += cusparseSpMM(
        handle,
        static_cast<cusparseOperation_t>(op_a),
        static_cast<cusparseOperation_t>(op_b),
        &alpha,
        sparse.descriptor,
        b.descriptor,
        &beta,
        c.descriptor,
        type,
        cusparseSpMMAlg_t{},
        buffer.at
    );
    std::vector<double> expected(c.values.count, 7);  // what lies between stays
    for (int r = 0; r < height; ++r)
        for (int j = 0; j < kWide; ++j) {
            double sum = 0;
            for (int k = 0; k < depth; ++k)
                sum += double(T(op_a == 0 ? entry(r, k) : entry(k, r))) *
                    double(T(op_b == 0 ? value(k, j) : value(j, k)));
            expected[c.place(r, j)] = 2 * sum + 0.25 * double(T(value(r, j)));
        }
    count.add(status == 0 && is_close(c.values.back(), expected));
}

template <class T, class Index>
void all_forms(cusparseHandle_t handle, Count& of_vectors, Count& of_matrices) {
    for (const Format format : {Format::csr, Format::csc, Format::coo})
        for (const int base : {0, 1}) {
            const Form form{format, sizeof(Index) == 8, base};
            vectors<T, Index>(handle, form, of_vectors);
            for (int how = 0; how < 16; ++how) matrices<T, Index>(handle, form, how, of_matrices);
        }
}

void right(cusparseHandle_t handle) {
    Count of_vectors, of_matrices;
    all_forms<float, int32_t>(handle, of_vectors, of_matrices);
    all_forms<float, int64_t>(handle, of_vectors, of_matrices);
    all_forms<double, int32_t>(handle, of_vectors, of_matrices);
    all_forms<double, int64_t>(handle, of_vectors, of_matrices);
    of_vectors.say("SpMV"), of_matrices.say("SpMM");
}

// One SpMV of a matrix in CSR, 2 x 2, of which some numbers are wrong.
struct Wrong {
    int64_t rows = 2, count = 2, size = 2;
    std::vector<int> offsets{0, 1, 2}, columns{0, 1};
    int op = 0, index = 2, type = CUDA_R_32F;
    void* values = nullptr;
};
int called(cusparseHandle_t handle, const Wrong& w) {
    const OnDevice<int> offsets(w.offsets), columns(w.columns);
    const OnDevice<float> values({1, 2}), x({1, 1}), y({0, 0});
    cusparseSpMatDescr_t a = nullptr;
    cusparseDnVecDescr_t dx = nullptr, dy = nullptr;
    const auto index = static_cast<cusparseIndexType_t>(w.index);
    const auto type = static_cast<cudaDataType>(w.type);
    void* const at = w.values != nullptr ? w.values : values.at;
    if (const int status = int(cusparseCreateCsr(
            &a, w.rows, 2, w.count, offsets.at, columns.at, at, index, index, cusparseIndexBase_t{}, type
        )))
        return status;
    if (const int status = int(cusparseCreateDnVec(&dx, w.size, x.at, CUDA_R_32F))) return status;
    cusparseCreateDnVec(&dy, 2, y.at, CUDA_R_32F);
    const float one = 1;
    return int(cusparseSpMV(
        handle,
        static_cast<cusparseOperation_t>(w.op),
        &one,
        a,
        dx,
        &one,
        dy,
        CUDA_R_32F,
        cusparseSpMVAlg_t{},
        nullptr
    ));
}

void wrong(cusparseHandle_t handle) {
    say("as it should be", called(handle, {}));
    say("rows below 0", called(handle, {.rows = -2}));
    say("more elements than there is room", called(handle, {.count = 5}));
    say("a vector of another size", called(handle, {.size = 3}));
    say("no operation", called(handle, {.op = 7}));
    say("16-bit indices", called(handle, {.index = 1}));
    say("half precision", called(handle, {.type = CUDA_R_16F}));
    say("a column that is none",
        called(
            handle,
            {
                .columns = {0, 2}
    }
        ));
    say("offsets that become smaller",
        called(
            handle,
            {
                .offsets = {2, 1, 2}
    }
        ));
    say("a wild address", called(handle, {.values = wild()}));
    say("freed memory", called(handle, {.values = freed()}));
    say("no handle", called(nullptr, {}));
    say("a wild handle", called(static_cast<cusparseHandle_t>(wild()), {}));
    say("a matrix that is none", int(cusparseDestroySpMat(static_cast<cusparseSpMatDescr_t>(wild()))));
    say("nowhere to put it", int(cusparseCreate(static_cast<cusparseHandle_t*>(wild()))));
    void* other = nullptr;
#ifdef WL_HEADERS
    say("not there", int(cusparseSpGEMM_createDescr(reinterpret_cast<cusparseSpGEMMDescr_t*>(&other))));
#else
    say("not there", cusparseSpGEMM_createDescr(&other));
#endif
}

}  // namespace

int main(int argc, char**) {
    cusparseHandle_t handle = nullptr;
    say("create", int(cusparseCreate(&handle)));
    argc > 1 ? wrong(handle) : right(handle);
    say("destroy", int(cusparseDestroy(handle)));
    return 0;
}
