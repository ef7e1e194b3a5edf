// nvJitLink, by which Numba and CuPy link what they compiled: as cuLink* does, PTX to PTX. Declared after its
// manual.
#include "shim/cuda/nvjitlink.h"

#include "instrumentation/base/error.h"
#include "shim/cuda/linked.h"
#include "shim/cuda/state.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

using wl::cuda::LinkInput;

struct Linking {
    std::vector<LinkInput> inputs;
    std::string made, error;
};

constexpr int kSuccess = 0, kInvalidInput = 3, kInternal = 6;  // nvJitLinkResult

Linking& of(void* handle) { return *static_cast<Linking*>(handle); }

int give(const std::string& text, void* out) {
    std::memcpy(out, text.c_str(), text.size() + 1);
    return kSuccess;
}

int give_size(const std::string& text, size_t* out) {
    *out = text.size() + 1;
    return kSuccess;
}

}  // namespace

extern "C" {

// Older than what Numba wants for link-time optimisation, so that it hands PTX, and not its compiler's own
// form.
int nvJitLinkVersion(unsigned* major, unsigned* minor) {
    *major = 12, *minor = 2;
    return kSuccess;
}

int nvJitLinkCreate(void** out, uint32_t /*count*/, const char** /*options*/) {
    *out = new Linking;
    return kSuccess;
}

int nvJitLinkDestroy(void** handle) {
    const std::unique_ptr<Linking> gone(static_cast<Linking*>(*handle));
    *handle = nullptr;
    return kSuccess;
}

int nvJitLinkAddData(void* handle, int /*type*/, const void* data, size_t bytes, const char* name) {
    const char* known = name != nullptr ? name : "a module";
    of(handle).inputs.push_back({known, std::string(static_cast<const char*>(data), bytes)});
    return kSuccess;
}

int nvJitLinkAddFile(void* handle, int /*type*/, const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return kInvalidInput;
    of(handle).inputs.push_back({path, std::string((std::istreambuf_iterator<char>(file)), {})});
    return kSuccess;
}

int nvJitLinkComplete(void* handle) {
    try {
        of(handle).made = wl::cuda::linked(of(handle).inputs);
    } catch (const std::exception& e) {
        of(handle).error = e.what();
        wl::runtime::tell_error(wl::cuda::begin().machine, e.what());
        return kInternal;
    }
    return kSuccess;
}

int nvJitLinkGetLinkedCubinSize(void* handle, size_t* out) { return give_size(of(handle).made, out); }
int nvJitLinkGetLinkedCubin(void* handle, void* out) { return give(of(handle).made, out); }
int nvJitLinkGetLinkedPtxSize(void* handle, size_t* out) { return give_size(of(handle).made, out); }
int nvJitLinkGetLinkedPtx(void* handle, void* out) { return give(of(handle).made, out); }
int nvJitLinkGetErrorLogSize(void* handle, size_t* out) { return give_size(of(handle).error, out); }
int nvJitLinkGetErrorLog(void* handle, void* out) { return give(of(handle).error, out); }
int nvJitLinkGetInfoLogSize(void* /*handle*/, size_t* out) { return give_size("", out); }
int nvJitLinkGetInfoLog(void* /*handle*/, void* out) { return give("", out); }
}
