// Descriptions as they are made. What NVIDIA's library refuses here is refused here; pointers are looked at
// when they are used, as there.
#include "shim/cusparse/descriptors.h"

namespace wl::cusparse {

libraries::Handles<Sparse>& sparse() {
    static auto* const kAll = new libraries::Handles<Sparse>;
    return *kAll;
}
libraries::Handles<Vector>& vectors() {
    static auto* const kAll = new libraries::Handles<Vector>;
    return *kAll;
}
libraries::Handles<Matrix>& matrices() {
    static auto* const kAll = new libraries::Handles<Matrix>;
    return *kAll;
}

namespace {

using namespace wl::libraries;

constexpr int kLastType = 33;  // of cudaDataType
constexpr int kNotSupported = 10;

void require_type(int type) { require(type >= 0 && type <= kLastType); }

template <class T>
int made(Handles<T>& all, T** out, const T& value) {
    give(out, static_cast<T*>(nullptr));
    give(out, all.add(value));
    return 0;
}

int make_sparse(Sparse** out, const Sparse& m) {
    return answered([&] {
        require(m.rows >= 0 && m.cols >= 0 && m.count >= 0);
        int64_t most = 0;
        require(__builtin_mul_overflow(m.rows, m.cols, &most) || m.count <= most);
        require(m.offset_type >= kIndex16 && m.offset_type <= kIndex64);
        require(m.index_type >= kIndex16 && m.index_type <= kIndex64);
        require(m.base == 0 || m.base == 1);
        require_type(m.type);
        if (m.offset_type != m.index_type) throw Failure{kNotSupported};
        return made(sparse(), out, m);
    });
}

template <class T>
int destroyed(Handles<T>& all, const T* handle) {
    return answered([&] {
        require(handle == nullptr || all.drop(handle));
        return 0;
    });
}

}  // namespace
}  // namespace wl::cusparse

using namespace wl::libraries;
using namespace wl::cusparse;

// The forms for constant memory take the same.
#define WL_COMPRESSED(function, format)                                                                     \
    int function(                                                                                           \
        Sparse** out,                                                                                       \
        int64_t rows,                                                                                       \
        int64_t cols,                                                                                       \
        int64_t count,                                                                                      \
        const void* offsets,                                                                                \
        const void* indices,                                                                                \
        const void* values,                                                                                 \
        int offset_type,                                                                                    \
        int index_type,                                                                                     \
        int base,                                                                                           \
        int type                                                                                            \
    ) {                                                                                                     \
        return make_sparse(                                                                                 \
            out, {format, rows, cols, count, offsets, indices, values, offset_type, index_type, base, type} \
        );                                                                                                  \
    }
#define WL_COORDINATES(function) \
    int function(                \
        Sparse** out,            \
        int64_t rows,            \
        int64_t cols,            \
        int64_t count,           \
        const void* row_indices, \
        const void* indices,     \
        const void* values,      \
        int index_type,          \
        int base,                \
        int type                 \
    ) {                          \
        return make_sparse(      \
            out,                 \
            {Format::coo,        \
             rows,               \
             cols,               \
             count,              \
             row_indices,        \
             indices,            \
             values,             \
             index_type,         \
             index_type,         \
             base,               \
             type}               \
        );                       \
    }
#define WL_VECTOR(function)                                                  \
    int function(Vector** out, int64_t size, const void* values, int type) { \
        return answered([&] {                                                \
            require(size >= 0);                                              \
            require_type(type);                                              \
            return made(vectors(), out, {size, values, type});               \
        });                                                                  \
    }
#define WL_MATRIX(function)                                                                           \
    int function(                                                                                     \
        Matrix** out, int64_t rows, int64_t cols, int64_t ld, const void* values, int type, int order \
    ) {                                                                                               \
        return answered([&] {                                                                         \
            require(rows >= 0 && cols >= 0 && (order == 1 || order == 2));                            \
            require(ld >= (order == 1 ? rows : cols));                                                \
            require_type(type);                                                                       \
            return made(matrices(), out, {rows, cols, ld, values, type, order == 2});                 \
        });                                                                                           \
    }

extern "C" {

WL_COMPRESSED(cusparseCreateCsr, Format::csr)
WL_COMPRESSED(cusparseCreateConstCsr, Format::csr)
WL_COMPRESSED(cusparseCreateCsc, Format::csc)
WL_COMPRESSED(cusparseCreateConstCsc, Format::csc)
WL_COORDINATES(cusparseCreateCoo)
WL_COORDINATES(cusparseCreateConstCoo)
WL_VECTOR(cusparseCreateDnVec)
WL_VECTOR(cusparseCreateConstDnVec)
WL_MATRIX(cusparseCreateDnMat)
WL_MATRIX(cusparseCreateConstDnMat)

int cusparseDestroySpMat(const Sparse* m) { return destroyed(sparse(), m); }
int cusparseDestroyDnVec(const Vector* v) { return destroyed(vectors(), v); }
int cusparseDestroyDnMat(const Matrix* m) { return destroyed(matrices(), m); }

int cusparseSpMatGetSize(const Sparse* m, int64_t* rows, int64_t* cols, int64_t* count) {
    return answered([&] {
        const auto it = sparse().at(m);
        give(rows, it->rows), give(cols, it->cols), give(count, it->count);
        return 0;
    });
}
int cusparseSpMatGetFormat(const Sparse* m, int* format) {
    return answered([&] {
        give(format, static_cast<int>(sparse().at(m)->format));
        return 0;
    });
}
int cusparseSpMatGetIndexBase(const Sparse* m, int* base) {
    return answered([&] {
        give(base, sparse().at(m)->base);
        return 0;
    });
}
int cusparseSpMatGetValues(const Sparse* m, const void** values) {
    return answered([&] {
        give(values, sparse().at(m)->values);
        return 0;
    });
}
int cusparseSpMatSetValues(const Sparse* m, const void* values) {
    return answered([&] {
        sparse().at(m)->values = values;
        return 0;
    });
}
int cusparseCsrSetPointers(const Sparse* m, const void* offsets, const void* columns, const void* values) {
    return answered([&] {
        const auto it = sparse().at(m);
        require(it->format == Format::csr);
        it->offsets = offsets, it->indices = columns, it->values = values;
        return 0;
    });
}
int cusparseCooSetPointers(const Sparse* m, const void* rows, const void* columns, const void* values) {
    return answered([&] {
        const auto it = sparse().at(m);
        require(it->format == Format::coo);
        it->offsets = rows, it->indices = columns, it->values = values;
        return 0;
    });
}

int cusparseCsrSetStridedBatch(const Sparse* m, int batches, int64_t offsets_apart, int64_t values_apart) {
    return answered([&] {
        const auto it = sparse().at(m);
        require(it->format == Format::csr && batches > 0 && offsets_apart >= 0 && values_apart >= 0);
        it->batches = batches, it->offsets_apart = offsets_apart, it->values_apart = values_apart;
        return 0;
    });
}
int cusparseCooSetStridedBatch(const Sparse* m, int batches, int64_t apart) {
    return answered([&] {
        const auto it = sparse().at(m);
        require(it->format == Format::coo && batches > 0 && apart >= 0);
        it->batches = batches, it->offsets_apart = it->values_apart = apart;
        return 0;
    });
}
int cusparseSpMatGetStridedBatch(const Sparse* m, int* batches) {
    return answered([&] {
        give(batches, static_cast<int>(sparse().at(m)->batches));
        return 0;
    });
}
int cusparseDnMatSetStridedBatch(const Matrix* m, int batches, int64_t apart) {
    return answered([&] {
        const auto it = matrices().at(m);
        require(batches > 0 && apart >= 0);
        it->batches = batches, it->apart = apart;
        return 0;
    });
}
int cusparseDnMatGetStridedBatch(const Matrix* m, int* batches, int64_t* apart) {
    return answered([&] {
        const auto it = matrices().at(m);
        give(batches, static_cast<int>(it->batches)), give(apart, it->apart);
        return 0;
    });
}

int cusparseDnVecGet(const Vector* v, int64_t* size, const void** values, int* type) {
    return answered([&] {
        const auto it = vectors().at(v);
        give(size, it->size), give(values, it->values), give(type, it->type);
        return 0;
    });
}
int cusparseDnVecGetValues(const Vector* v, const void** values) {
    return answered([&] {
        give(values, vectors().at(v)->values);
        return 0;
    });
}
int cusparseDnVecSetValues(const Vector* v, const void* values) {
    return answered([&] {
        vectors().at(v)->values = values;
        return 0;
    });
}
int cusparseDnMatGetValues(const Matrix* m, const void** values) {
    return answered([&] {
        give(values, matrices().at(m)->values);
        return 0;
    });
}
int cusparseDnMatSetValues(const Matrix* m, const void* values) {
    return answered([&] {
        matrices().at(m)->values = values;
        return 0;
    });
}
}
