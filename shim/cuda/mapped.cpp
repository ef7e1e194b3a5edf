// Virtual memory management: ranges of addresses, memory without one, and mappings of all of such memory at
// once. It can be reached from cuMemSetAccess until cuMemUnmap; what it holds stays as long as its handle
// does.
#include "instrumentation/runtime/device_memory.h"
#include "shim/cuda/state.h"

#include <algorithm>
#include <iterator>

using namespace wl::cuda;
using wl::runtime::DeviceMemory;
using wl::runtime::Region;

namespace {

constexpr size_t kGranularity = 2 << 20;  // of a GPU's large pages

bool is_whole(size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

bool is_here(const CUmemLocation& location) {
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE && location.id == 0;
}

// The range that holds all of these bytes; nullptr: none does.
AddressRange* range_of(uint64_t address, size_t bytes) {
    auto& ranges = driver().ranges;
    const auto behind = ranges.upper_bound(address);
    if (behind == ranges.begin()) return nullptr;
    AddressRange& range = std::prev(behind)->second;
    const uint64_t into = address - range.base;
    return into < range.bytes && bytes <= range.bytes - into ? &range : nullptr;
}

// Mappings that begin in these bytes, by rising addresses.
std::vector<PhysicalMemory*> mapped_in(uint64_t address, size_t bytes) {
    std::vector<PhysicalMemory*> out;
    for (auto& [handle, memory] : driver().physical)
        if (memory.mapped_at >= address && memory.mapped_at - address < bytes) out.push_back(&memory);
    std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) {
        return a->mapped_at < b->mapped_at;
    });
    return out;
}

// They lie in these bytes, all of each, and leave nothing of these out.
bool fill_exactly(const std::vector<PhysicalMemory*>& memories, uint64_t address, size_t bytes) {
    size_t sum = 0;
    for (const PhysicalMemory* m : memories) {
        if (m->mapped_at + m->bytes > address + bytes) return false;
        sum += m->bytes;
    }
    return sum == bytes;
}

// What lies side by side is one allocation, to kernels and to copies. Before mappings change, what they hold
// is taken out of these, and put into new ones behind that.
void take_out(DeviceMemory& memory, const AddressRange& range) {
    std::vector<uint64_t> regions;
    for (PhysicalMemory* m : mapped_in(range.base, range.bytes)) {
        const Region* region = wl::runtime::region_of(memory, m->mapped_at);
        if (!m->visible || region == nullptr) continue;
        const auto* a = wl::execution::find(memory.global, m->mapped_at, m->bytes);
        const auto at = static_cast<ptrdiff_t>(m->mapped_at - a->base),
                   end = at + static_cast<ptrdiff_t>(m->bytes);
        m->bytes_kept.assign(a->bytes.begin() + at, a->bytes.begin() + end);
        m->written.assign(m->bytes, 1);
        if (!a->written.empty()) m->written.assign(a->written.begin() + at, a->written.begin() + end);
        regions.push_back(region->base);
    }
    for (const uint64_t base : regions) wl::runtime::release(memory, base, {Region::Kind::device});
}

void put_back(DeviceMemory& memory, const AddressRange& range) {
    std::vector<PhysicalMemory*> all = mapped_in(range.base, range.bytes);
    std::erase_if(all, [](const PhysicalMemory* m) { return !m->visible; });
    for (size_t k = 0; k < all.size();) {
        size_t end = k + 1;
        while (end < all.size() && all[end]->mapped_at == all[end - 1]->mapped_at + all[end - 1]->bytes)
            ++end;
        const uint64_t base = all[k]->mapped_at, bytes = all[end - 1]->mapped_at + all[end - 1]->bytes - base;
        wl::runtime::make_at(memory, base, bytes, range.name);
        auto* a = wl::execution::find(memory.global, base, bytes);
        for (; k < end; ++k) {
            const auto at = static_cast<ptrdiff_t>(all[k]->mapped_at - base);
            std::copy(all[k]->bytes_kept.begin(), all[k]->bytes_kept.end(), a->bytes.begin() + at);
            std::copy(all[k]->written.begin(), all[k]->written.end(), a->written.begin() + at);
            all[k]->bytes_kept.clear(), all[k]->written.clear();
        }
    }
}

// Without a handle and a mapping it is gone.
void drop_unused() {
    std::erase_if(driver().physical, [](const auto& p) { return !p.second.held && p.second.mapped_at == 0; });
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(
    size_t* bytes, const CUmemAllocationProp* prop, CUmemAllocationGranularity_flags
) {
    if (bytes == nullptr || prop == nullptr || !is_here(prop->location)) return CUDA_ERROR_INVALID_VALUE;
    *bytes = kGranularity;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(
    CUdeviceptr* out, size_t bytes, size_t align, CUdeviceptr, unsigned long long flags
) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    if (out == nullptr || !is_whole(bytes) || flags != 0 || (align & (align - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const Call call = begin();
    const Region made = wl::runtime::reserve(call.machine.memory, bytes, std::max(align, kGranularity));
    *out = made.base;
    driver().ranges[made.base] = {made.base, bytes, made.name};
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    const Call call = begin();
    const auto found = driver().ranges.find(address);
    if (found == driver().ranges.end() || found->second.bytes != bytes) return CUDA_ERROR_INVALID_VALUE;
    if (!mapped_in(address, bytes).empty())
        return refuse(
            CUDA_ERROR_INVALID_VALUE,
            "the program frees a range of addresses (cuMemAddressFree) in which memory is mapped"
        );
    driver().ranges.erase(found);
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(
    CUmemGenericAllocationHandle* out, size_t bytes, const CUmemAllocationProp* prop, unsigned long long flags
) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    const bool valid = out != nullptr && prop != nullptr && is_whole(bytes) && flags == 0 &&
        prop->type == CU_MEM_ALLOCATION_TYPE_PINNED && is_here(prop->location);
    if (!valid) return CUDA_ERROR_INVALID_VALUE;
    if (prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return refuse(
            CUDA_ERROR_NOT_SUPPORTED,
            "the program asks for memory that other processes can have (cuMemCreate), which is not supported"
        );
    const Call call = begin();
    if (wl::runtime::bytes_in_use(call.machine.memory) + bytes > wl::runtime::kDeviceBytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = ++driver().last_physical;
    driver().physical[*out] = {bytes, *prop, true, false, 0, {}, {}};
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    const Call call = begin();
    const auto found = driver().physical.find(handle);
    if (found == driver().physical.end() || !found->second.held) return CUDA_ERROR_INVALID_VALUE;
    found->second.held = false;
    drop_unused();
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(
    CUmemAllocationProp* prop, CUmemGenericAllocationHandle handle
) {
    const Call call = begin();
    const auto found = driver().physical.find(handle);
    if (prop == nullptr || found == driver().physical.end()) return CUDA_ERROR_INVALID_VALUE;
    *prop = found->second.prop;
    return CUDA_SUCCESS;
}

CUresult cuMemMap(
    CUdeviceptr address,
    size_t bytes,
    size_t offset,
    CUmemGenericAllocationHandle handle,
    unsigned long long flags
) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    const Call call = begin();
    const auto found = driver().physical.find(handle);
    if (found == driver().physical.end() || !found->second.held || flags != 0 ||
        address % kGranularity != 0 || range_of(address, bytes) == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    PhysicalMemory& memory = found->second;
    if (offset != 0 || bytes != memory.bytes || memory.mapped_at != 0)
        return refuse(
            CUDA_ERROR_NOT_SUPPORTED,
            "the program maps a part of some memory, or the same memory twice (cuMemMap), which is not "
            "supported"
        );
    for (const auto& [other, m] : driver().physical)
        if (m.mapped_at != 0 && m.mapped_at < address + bytes && address < m.mapped_at + m.bytes)
            return refuse(
                CUDA_ERROR_INVALID_VALUE, "the program maps memory (cuMemMap) where other memory is mapped"
            );
    memory.mapped_at = address;
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* access, size_t count) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    const Call call = begin();
    const std::vector<PhysicalMemory*> memories = mapped_in(address, bytes);
    if (access == nullptr || count == 0 || range_of(address, bytes) == nullptr ||
        !fill_exactly(memories, address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t k = 0; k < count; ++k) {
        if (!is_here(access[k].location)) return CUDA_ERROR_INVALID_VALUE;
        if (access[k].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return refuse(
                CUDA_ERROR_NOT_SUPPORTED,
                "the program gives memory without the right to write (cuMemSetAccess), which is not supported"
            );
    }
    const AddressRange& range = *range_of(address, bytes);
    take_out(call.machine.memory, range);
    for (PhysicalMemory* m : memories) m->visible = true;
    put_back(call.machine.memory, range);
    return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    const Call call = begin();
    const std::vector<PhysicalMemory*> memories = mapped_in(address, bytes);
    const AddressRange* range = range_of(address, bytes);
    if (range == nullptr || !fill_exactly(memories, address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    wl::runtime::catch_up(call.machine);
    take_out(call.machine.memory, *range);
    for (PhysicalMemory* m : memories) m->visible = false, m->mapped_at = 0;
    put_back(call.machine.memory, *range);
    call.machine.memory.freed.push_back({address, bytes, range->name});
    drop_unused();
    return CUDA_SUCCESS;
}
}
