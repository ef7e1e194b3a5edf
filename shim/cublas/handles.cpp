// cuBLAS's handles, and its copies of vectors and matrices. Enumerations are passed as the ints that they
// are.
#include "shim/cublas/handles.h"

#include <array>

extern "C" {
int cudaMemcpy2D(
    void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, int kind
);
int cudaMemcpy2DAsync(
    void* to,
    size_t to_pitch,
    const void* from,
    size_t from_pitch,
    size_t width,
    size_t height,
    int kind,
    void* stream
);
}

namespace wl::cublas {

libraries::Handles<Handle>& handles() {
    static auto* const kAll = new libraries::Handles<Handle>;
    return *kAll;
}

namespace {

using namespace wl::libraries;

constexpr int kNotInitialized = 1, kMappingError = 11, kVersion = 130000;
constexpr int kDefaultKind = 4;  // cudaMemcpyDefault

// Sets a number that a handle keeps.
int set(const Handle* handle, int Handle::*member, int value, int most) {
    return answered([&] {
        const auto h = handles().at(handle);
        require(value >= 0 && value <= most);
        (*h).*member = value;
        return 0;
    });
}
int get(const Handle* handle, int Handle::*member, int* value) {
    return answered([&] {
        give(value, (*handles().at(handle)).*member);
        return 0;
    });
}

// Elements or columns `from` and `to` bytes apart.
struct Copied {
    const void* from;
    size_t from_pitch;
    void* to;
    size_t to_pitch, width, height;
};
int copied(const Copied& c) {
    const int error = cudaMemcpy2D(c.to, c.to_pitch, c.from, c.from_pitch, c.width, c.height, kDefaultKind);
    return error == 0 ? 0 : kMappingError;
}
int copied(const Copied& c, void* stream) {
    const int error =
        cudaMemcpy2DAsync(c.to, c.to_pitch, c.from, c.from_pitch, c.width, c.height, kDefaultKind, stream);
    return error == 0 ? 0 : kMappingError;
}

Copied vector_copy(int n, int element, const void* x, int step_x, void* y, int step_y) {
    require(n >= 0 && element > 0 && step_x > 0 && step_y > 0);
    const auto size = static_cast<size_t>(element);
    return {
        x,
        static_cast<size_t>(step_x) * size,
        y,
        static_cast<size_t>(step_y) * size,
        size,
        static_cast<size_t>(n)};
}
Copied matrix_copy(int rows, int cols, int element, const void* a, int lda, void* b, int ldb) {
    require(rows >= 0 && cols >= 0 && element > 0 && lda > 0 && ldb > 0 && lda >= rows && ldb >= rows);
    const auto size = static_cast<size_t>(element);
    return {
        a,
        static_cast<size_t>(lda) * size,
        b,
        static_cast<size_t>(ldb) * size,
        static_cast<size_t>(rows) * size,
        static_cast<size_t>(cols)};
}

struct Words {
    int status;
    const char *name, *text;
};
constexpr std::array<Words, 10> kWords{
    {{0, "CUBLAS_STATUS_SUCCESS", "the operation completed successfully"},
     {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
     {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
     {7, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
     {8,
      "CUBLAS_STATUS_ARCH_MISMATCH",
      "the function requires a feature absent from the device architecture"},
     {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
     {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
     {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
     {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality requested is not supported"},
     {16, "CUBLAS_STATUS_LICENSE_ERROR", "the functionality requested requires a license"}}
};
const Words* words_of(int status) {
    for (const Words& w : kWords)
        if (w.status == status) return &w;
    return nullptr;
}

}  // namespace
}  // namespace wl::cublas

using namespace wl::libraries;
using namespace wl::cublas;

extern "C" {

int cublasCreate_v2(Handle** out) {
    return answered([&] {
        if (!has_device()) return kNotInitialized;
        give(out, static_cast<Handle*>(nullptr));
        give(out, handles().add({}));
        return 0;
    });
}
int cublasDestroy_v2(const Handle* handle) {
    return answered([&] { return handles().drop(handle) ? 0 : kNotInitialized; });
}
int cublasGetVersion_v2(const Handle* /*none is needed*/, int* version) {
    return answered([&] {
        give(version, kVersion);
        return 0;
    });
}
int cublasSetStream_v2(const Handle* handle, void* stream) {
    return answered([&] {
        handles().at(handle)->stream = stream;
        return 0;
    });
}
int cublasGetStream_v2(const Handle* handle, void** stream) {
    return answered([&] {
        give(stream, handles().at(handle)->stream);
        return 0;
    });
}
int cublasSetWorkspace_v2(const Handle* handle, void* /*memory*/, size_t /*bytes*/) {
    return answered([&] {
        handles().at(handle);
        return 0;
    });
}
int cublasSetMathMode(const Handle* handle, int mode) { return set(handle, &Handle::math, mode, 1 << 16); }
int cublasGetMathMode(const Handle* handle, int* mode) { return get(handle, &Handle::math, mode); }
int cublasSetPointerMode_v2(const Handle* handle, int mode) {
    return set(handle, &Handle::pointers, mode, 1);
}
int cublasGetPointerMode_v2(const Handle* handle, int* mode) { return get(handle, &Handle::pointers, mode); }
int cublasSetAtomicsMode(const Handle* handle, int mode) { return set(handle, &Handle::atomics, mode, 1); }
int cublasGetAtomicsMode(const Handle* handle, int* mode) { return get(handle, &Handle::atomics, mode); }

const char* cublasGetStatusString(int status) {
    const Words* words = words_of(status);
    return words != nullptr ? words->text : "unknown status";
}
const char* cublasGetStatusName(int status) {
    const Words* words = words_of(status);
    return words != nullptr ? words->name : "CUBLAS_STATUS_UNKNOWN";
}

int cublasSetVector(int n, int element, const void* x, int step_x, void* y, int step_y) {
    return answered([&] { return copied(vector_copy(n, element, x, step_x, y, step_y)); });
}
int cublasGetVector(int n, int element, const void* x, int step_x, void* y, int step_y) {
    return cublasSetVector(n, element, x, step_x, y, step_y);
}
int cublasSetVectorAsync(int n, int element, const void* x, int step_x, void* y, int step_y, void* stream) {
    return answered([&] { return copied(vector_copy(n, element, x, step_x, y, step_y), stream); });
}
int cublasGetVectorAsync(int n, int element, const void* x, int step_x, void* y, int step_y, void* stream) {
    return cublasSetVectorAsync(n, element, x, step_x, y, step_y, stream);
}
int cublasSetMatrix(int rows, int cols, int element, const void* a, int lda, void* b, int ldb) {
    return answered([&] { return copied(matrix_copy(rows, cols, element, a, lda, b, ldb)); });
}
int cublasGetMatrix(int rows, int cols, int element, const void* a, int lda, void* b, int ldb) {
    return cublasSetMatrix(rows, cols, element, a, lda, b, ldb);
}
int cublasSetMatrixAsync(
    int rows, int cols, int element, const void* a, int lda, void* b, int ldb, void* stream
) {
    return answered([&] { return copied(matrix_copy(rows, cols, element, a, lda, b, ldb), stream); });
}
int cublasGetMatrixAsync(
    int rows, int cols, int element, const void* a, int lda, void* b, int ldb, void* stream
) {
    return cublasSetMatrixAsync(rows, cols, element, a, lda, b, ldb, stream);
}
}
