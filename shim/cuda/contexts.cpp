// Contexts: the primary one of the one device, and what a program makes besides. Memory is one for all; what
// was allocated in a context goes with it.
#include "shim/cuda/state.h"

#include <algorithm>

namespace wl::cuda {
namespace {

thread_local std::vector<Context*> stack;

constexpr unsigned kContextFlags = CU_CTX_FLAGS_MASK;

Context* primary() { return driver().contexts.front().get(); }

// Of all that lives in it only memory is given back: modules and streams hold nothing that is scarce.
void destroy(Context& context) {
    const Call call = begin();
    cudart::flush_printed(call.machine);
    std::erase_if(driver().owners, [&](const auto& owned) {
        if (owned.second != &context) return false;
        using Kind = runtime::Region::Kind;
        runtime::release(call.machine.memory, owned.first, {Kind::device, Kind::managed, Kind::pinned});
        return true;
    });
}

CUresult no_context(const char* function) {
    return refuse(
        CUDA_ERROR_INVALID_CONTEXT, std::string(function) + " was given no context of this process"
    );
}

CUresult create(CUcontext* out, unsigned flags, CUdevice device) {
    if (out == nullptr || (flags & ~kContextFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!driver().initialised)
        return refuse(CUDA_ERROR_NOT_INITIALIZED, "cuCtxCreate was called before cuInit");
    if (device != 0) return result_of(cudaSetDevice(device));
    const Call call = begin();
    driver().contexts.push_back(std::make_unique<Context>(Context{flags, 0, true}));
    stack.push_back(driver().contexts.back().get());
    *out = handle_of(stack.back());
    return CUDA_SUCCESS;
}

CUresult only_device(CUdevice device) { return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

}  // namespace

Context* context_of(CUcontext handle) {
    const auto& all = driver().contexts;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& c) { return handle_of(c.get()) == handle; });
    return found == all.end() ? nullptr : found->get();
}

Context* current_context() {
    if (!stack.empty()) return stack.back();
    return cudart::used_runtime() ? primary() : nullptr;
}

}  // namespace wl::cuda

using namespace wl::cuda;

extern "C" {

CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice device) {
    return create(out, flags, device);
}
CUresult cuCtxCreate_v3(CUcontext*, CUexecAffinityParam*, int, unsigned, CUdevice);
CUresult cuCtxCreate_v3(CUcontext* out, CUexecAffinityParam*, int, unsigned flags, CUdevice device) {
    return create(out, flags, device);
}
CUresult cuCtxCreate(CUcontext* out, CUctxCreateParams*, unsigned flags, CUdevice device) {
    return create(out, flags, device);
}

CUresult cuCtxDestroy(CUcontext handle) {
    const Call call = begin();
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Context* context = context_of(handle);
    if (context == nullptr) return no_context("cuCtxDestroy");
    if (context == primary())
        return refuse(CUDA_ERROR_INVALID_CONTEXT, "the program destroys the primary context by cuCtxDestroy");
    if (!context->alive)
        return refuse(CUDA_ERROR_INVALID_CONTEXT, "the program destroys a context that it had destroyed");
    destroy(*context);
    context->alive = false;
    if (!stack.empty() && stack.back() == context) stack.pop_back();
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext handle) {
    const Call call = begin();
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Context* context = context_of(handle);
    if (context == nullptr) return no_context("cuCtxPushCurrent");
    stack.push_back(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* out) {
    const Call call = begin();
    Context* context = current_context();
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (!stack.empty()) stack.pop_back();
    if (out != nullptr) *out = handle_of(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext handle) {
    const Call call = begin();
    Context* context = context_of(handle);
    if (handle != nullptr && context == nullptr) return no_context("cuCtxSetCurrent");
    if (!stack.empty()) stack.pop_back();
    if (context != nullptr) stack.push_back(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* out) {
    const Call call = begin();
    Context* context = current_context();
    *out = context == nullptr ? nullptr : handle_of(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext /*context*/) {
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned* flags) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    *flags = current_context()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    current_context()->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
    const Call call = begin();
    const Context* context = handle == nullptr ? current_context() : context_of(handle);
    if (context == nullptr) return no_context("cuCtxGetId");
    const auto& all = driver().contexts;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.get() == context; });
    *id = static_cast<unsigned long long>(found - all.begin()) + 1;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
    if (handle != nullptr && context_of(handle) == nullptr) return no_context("cuCtxGetApiVersion");
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
    return in_context([] { return cudaDeviceSynchronize(); });
}
CUresult cuCtxSynchronize_v2(CUcontext) { return cuCtxSynchronize(); }

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
    return in_context([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    return in_context([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return usable();
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    return in_context([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return usable();
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig) { return usable(); }
CUresult cuCtxResetPersistingL2Cache() { return usable(); }
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return in_context([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; }
CUresult cuCtxDisablePeerAccess(CUcontext) { return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; }

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
    if (!driver().initialised)
        return refuse(CUDA_ERROR_NOT_INITIALIZED, "cuDevicePrimaryCtxRetain was called before cuInit");
    if (device != 0) return result_of(cudaSetDevice(device));
    const Call call = begin();
    Context& context = *driver().contexts.front();
    context.alive = true;
    ++context.retained;
    *out = handle_of(&context);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    if (only_device(device) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_DEVICE;
    const Call call = begin();
    Context& context = *driver().contexts.front();
    if (context.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--context.retained > 0 || wl::cudart::used_runtime()) return CUDA_SUCCESS;
    destroy(context);
    context.alive = false;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    if (only_device(device) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_DEVICE;
    const Call call = begin();
    destroy(*driver().contexts.front());
    return result_of(cudaDeviceReset());
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    if (only_device(device) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_DEVICE;
    const Context& context = *driver().contexts.front();
    *flags = context.flags;
    *active = context.retained > 0 || wl::cudart::used_runtime() ? 1 : 0;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    if (only_device(device) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_DEVICE;
    if ((flags & ~kContextFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    driver().contexts.front()->flags = flags;
    return CUDA_SUCCESS;
}
}
