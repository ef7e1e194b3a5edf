// cuLink*: what the driver's linker makes of PTX is PTX here, which the program loads as it would a cubin.
#include "instrumentation/base/error.h"
#include "instrumentation/runtime/host_access.h"
#include "shim/cuda/linked.h"
#include "shim/cuda/state.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

namespace {

using wl::cuda::LinkInput;

struct Linker {
    std::vector<LinkInput> inputs;
    std::string made;
};

std::map<const void*, std::unique_ptr<Linker>>& linkers() {
    static auto* const kLinkers = new std::map<const void*, std::unique_ptr<Linker>>;
    return *kLinkers;
}

// nullptr: no handle of one.
Linker* linker(CUlinkState state) {
    const auto found = linkers().find(state);
    return found == linkers().end() ? nullptr : found->second.get();
}

}  // namespace

using namespace wl::cuda;

extern "C" {

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* out) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    if (!clear_logs(count, options, values)) return CUDA_ERROR_INVALID_VALUE;
    const Call call = begin();
    auto made = std::make_unique<Linker>();
    *out = reinterpret_cast<CUlinkState>(made.get());
    linkers()[made.get()] = std::move(made);
    return CUDA_SUCCESS;
}

CUresult
cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char* name, unsigned, CUjit_option*, void**) {
    const Call call = begin();
    Linker* const l = linker(state);
    if (l == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (data == nullptr || bytes == 0 || !wl::runtime::is_readable(data, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    const std::string text(static_cast<const char*>(data), bytes);
    if (type == CU_JIT_INPUT_PTX && text.find(".version") == std::string::npos)
        return CUDA_ERROR_INVALID_IMAGE;
    l->inputs.push_back({name != nullptr ? name : "the module", text});
    return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType, const char* path, unsigned, CUjit_option*, void**) {
    const Call call = begin();
    Linker* const l = linker(state);
    if (l == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return refuse(
            CUDA_ERROR_FILE_NOT_FOUND, std::string("the program links ") + path + ", which cannot be read"
        );
    l->inputs.push_back({path, std::string((std::istreambuf_iterator<char>(file)), {})});
    return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void** out, size_t* bytes) {
    const Call call = begin();
    Linker* const known = linker(state);
    if (known == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    Linker& l = *known;
    try {
        l.made = linked(l.inputs);
    } catch (const std::exception& e) {
        wl::runtime::tell_error(begin().machine, e.what());
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (out != nullptr) *out = l.made.data();
    if (bytes != nullptr) *bytes = l.made.size() + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
    const Call call = begin();
    return linkers().erase(state) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
}
