// Pools: what they give is the device's, and what is freed goes back at once.
#include "shim/cudart/pools.h"

#include "instrumentation/runtime/host_access.h"
#include "shim/cudart/state.h"

#include <cstring>
#include <set>

namespace wl::cudart {
namespace {

struct Pool {
    bool exported = false;  // other processes may have it
};
std::set<const void*>& pools() {
    static auto* const kPools = new std::set<const void*>;
    return *kPools;
}
Pool* default_pool() {
    static Pool one;
    return &one;
}

constexpr auto kFirst = cudaMemPoolReuseFollowEventDependencies, kLast = cudaMemPoolAttrUsedMemHigh;

bool can_be_set(cudaMemPoolAttr attribute, const void* value) {
    if (attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh)
        return *static_cast<const uint64_t*>(value) == 0;
    return attribute != cudaMemPoolAttrReservedMemCurrent && attribute != cudaMemPoolAttrUsedMemCurrent;
}

}  // namespace

bool is_pool(const void* handle) {
    const Call call = begin_without_looking();
    return handle == default_pool() || pools().contains(handle);
}

bool is_exported(const void* handle) {
    const Call call = begin_without_looking();
    return pools().contains(handle) && static_cast<const Pool*>(handle)->exported;
}

}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    if (device != 0) return done(cudaErrorInvalidDevice);
    *pool = reinterpret_cast<cudaMemPool_t>(default_pool());
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    if (device != 0) return done(cudaErrorInvalidValue);
    return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t /*pool*/) {
    return device == 0 ? cudaSuccess : done(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* props) {
    const cudaMemLocation& where = props->location;
    if (props->allocType != cudaMemAllocationTypePinned ||
        (where.type == cudaMemLocationTypeDevice && where.id != 0) ||
        where.type == cudaMemLocationTypeInvalid)
        return done(cudaErrorInvalidValue);
    const Call call = begin_without_looking();
    auto made = std::make_unique<Pool>();
    made->exported = props->handleTypes != cudaMemHandleTypeNone;
    pools().insert(made.get());
    *pool = reinterpret_cast<cudaMemPool_t>(made.release());
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    const Call call = begin_without_looking();
    if (pools().erase(pool) == 0) return done(cudaErrorInvalidValue);  // the default one stays
    const std::unique_ptr<Pool> over(reinterpret_cast<Pool*>(pool));
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t /*pool*/, cudaMemPoolAttr attribute, void* value) {
    if (value == nullptr || attribute < kFirst || attribute > kLast || !can_be_set(attribute, value))
        return done(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t /*pool*/, const cudaMemAccessDesc* access, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        cudaMemAccessDesc one;
        if (access == nullptr || !wl::runtime::read_host(&one, access + k, sizeof one))
            return done(cudaErrorInvalidValue);
        if (one.location.type == cudaMemLocationTypeDevice && one.location.id != 0)
            return done(cudaErrorInvalidDevice);
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t /*pool*/, size_t /*bytes*/) { return cudaSuccess; }

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t /*pool*/, cudaMemPoolAttr attribute, void* value) {
    if (value == nullptr || attribute < kFirst || attribute > kLast) return done(cudaErrorInvalidValue);
    const Call call = begin();
    const bool is_int = attribute <= cudaMemPoolReuseAllowInternalDependencies;
    const uint64_t used = wl::runtime::bytes_in_use(call.machine.memory);
    if (!wl::runtime::is_writable(value, is_int ? sizeof(int) : sizeof used))
        return done(cudaErrorInvalidValue);
    if (is_int)
        std::memset(value, 0, sizeof(int));
    else
        std::memcpy(value, &used, sizeof used);
    return cudaSuccess;
}
}
