// cuLink*: what the driver's linker makes of PTX is PTX here, which the program loads as it would a cubin.
#include "instrumentation/base/error.h"
#include "shim/cuda/linked.h"
#include "shim/cuda/state.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

using wl::cuda::LinkInput;

struct Linker {
    std::vector<LinkInput> inputs;
    std::string made;
};

Linker& linker(CUlinkState state) { return *reinterpret_cast<Linker*>(state); }

}  // namespace

using namespace wl::cuda;

extern "C" {

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* out) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    clear_logs(count, options, values);
    *out = reinterpret_cast<CUlinkState>(new Linker);
    return CUDA_SUCCESS;
}

CUresult
cuLinkAddData(CUlinkState state, CUjitInputType, void* data, size_t bytes, const char* name, unsigned, CUjit_option*, void**) {
    linker(state).inputs.push_back(
        {name != nullptr ? name : "the module", std::string(static_cast<const char*>(data), bytes)}
    );
    return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType, const char* path, unsigned, CUjit_option*, void**) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return refuse(
            CUDA_ERROR_FILE_NOT_FOUND, std::string("the program links ") + path + ", which cannot be read"
        );
    linker(state).inputs.push_back({path, std::string((std::istreambuf_iterator<char>(file)), {})});
    return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void** out, size_t* bytes) {
    Linker& l = linker(state);
    try {
        l.made = linked(l.inputs);
    } catch (const std::exception& e) {
        wl::runtime::tell_error(begin().machine, e.what());
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    *out = l.made.data();
    if (bytes != nullptr) *bytes = l.made.size() + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
    const std::unique_ptr<Linker> gone(&linker(state));
    return CUDA_SUCCESS;
}
}
