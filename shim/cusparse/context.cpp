// Handles, and the words of statuses.
#include "shim/cusparse/descriptors.h"

#include <array>

namespace wl::libraries {

// cusparseStatus_t. A wild handle is an invalid value, as NVIDIA's library has it.
const Statuses kStatuses{
    .no_handle = 3, .no_memory = 2, .invalid = 3, .failed = 6, .internal = 7, .not_supported = 10};

}  // namespace wl::libraries

namespace wl::cusparse {

libraries::Handles<Handle>& handles() {
    static auto* const kAll = new libraries::Handles<Handle>;
    return *kAll;
}

namespace {

struct Words {
    const char *name, *text;
};
constexpr std::array<Words, 12> kWords{
    {{"CUSPARSE_STATUS_SUCCESS", "success"},
     {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
     {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
     {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
     {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
     {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
     {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
     {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
     {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
     {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
     {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
     {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"}}
};
bool is_known(int status) { return status >= 0 && status < static_cast<int>(kWords.size()); }

constexpr int kNotInitialized = 1, kVersion = 12603;  // of CUDA 13.0

}  // namespace
}  // namespace wl::cusparse

using namespace wl::libraries;
using namespace wl::cusparse;

extern "C" {

int cusparseCreate(Handle** out) {
    return answered([&] {
        if (!has_device()) return kNotInitialized;
        give(out, static_cast<Handle*>(nullptr));
        give(out, handles().add({}));
        return 0;
    });
}

int cusparseDestroy(const Handle* handle) {
    return answered([&] {
        require(handle == nullptr || handles().drop(handle));
        return 0;
    });
}

int cusparseGetVersion(const Handle* handle, int* version) {
    return answered([&] {
        handles().at(handle);
        give(version, kVersion);
        return 0;
    });
}

int cusparseSetStream(const Handle* handle, void* stream) {
    return answered([&] {
        handles().at(handle)->stream = stream;
        return 0;
    });
}

int cusparseGetStream(const Handle* handle, void** stream) {
    return answered([&] {
        give(stream, handles().at(handle)->stream);
        return 0;
    });
}

int cusparseSetPointerMode(const Handle* handle, int mode) {
    return answered([&] {
        require(mode == 0 || mode == 1);
        handles().at(handle)->device_pointers = mode == 1;
        return 0;
    });
}

int cusparseGetPointerMode(const Handle* handle, int* mode) {
    return answered([&] {
        give(mode, handles().at(handle)->device_pointers ? 1 : 0);
        return 0;
    });
}

const char* cusparseGetErrorName(int status) {
    return is_known(status) ? kWords[static_cast<size_t>(status)].name : "unrecognized error code";
}
const char* cusparseGetErrorString(int status) {
    return is_known(status) ? kWords[static_cast<size_t>(status)].text : "unrecognized error code";
}
}
