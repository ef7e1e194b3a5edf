// Virtual memory management: ranges of addresses, memory without one, and mappings of all of such memory at
// once. It can be reached from cuMemSetAccess until cuMemUnmap; what it holds stays as long as its handle
// does. What other processes can have lies in a file of memory.
#include "instrumentation/runtime/device_memory.h"
#include "instrumentation/runtime/host_access.h"
#include "instrumentation/runtime/interprocess.h"
#include "shim/cuda/state.h"

#include <algorithm>
#include <fcntl.h>
#include <iterator>
#include <span>

using namespace wl::cuda;
using wl::runtime::DeviceMemory;
using wl::runtime::Mapping;
using wl::runtime::Region;

namespace {

constexpr size_t kGranularity = 2 << 20;  // of a GPU's large pages
constexpr size_t kAddresses = size_t{1} << 47;

// These belong to no context, and go on where the last one was destroyed.
CUresult may_be_called() {
    if (initialised()) return CUDA_SUCCESS;
    return refuse(CUDA_ERROR_NOT_INITIALIZED, "the program manages virtual memory before cuInit");
}

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

// What the piece of an allocation holds, out of it.
void keep(PhysicalMemory& m, const Region& region, const wl::execution::Allocation& a) {
    if (m.file != nullptr) return;  // it stays there
    const auto at = static_cast<ptrdiff_t>(m.mapped_at - a.base), end = at + static_cast<ptrdiff_t>(m.bytes);
    const std::byte* outside = wl::runtime::outside(region);
    const std::byte* from = outside != nullptr ? outside : a.bytes.data();
    m.bytes_kept.assign(from + at, from + end);
    m.written.assign(m.bytes, 1);
    if (!a.written.empty()) m.written.assign(a.written.begin() + at, a.written.begin() + end);
}

// What lies side by side is one allocation, to kernels and to copies. Before mappings change, what they hold
// is taken out of these, and put into new ones behind that.
void take_out(DeviceMemory& memory, const AddressRange& range) {
    std::vector<uint64_t> regions;
    for (PhysicalMemory* m : mapped_in(range.base, range.bytes)) {
        const Region* region = wl::runtime::region_of(memory, m->mapped_at);
        if (!m->visible || region == nullptr) continue;
        keep(*m, *region, *wl::execution::find(memory.global, m->mapped_at, m->bytes));
        regions.push_back(region->base);
    }
    for (const uint64_t base : regions) wl::runtime::release(memory, base, {Region::Kind::device});
}

// Of memory side by side, where some of it lies in files.
std::shared_ptr<Mapping> mapping_of(std::span<PhysicalMemory* const> side_by_side, uint64_t bytes) {
    std::vector<Mapping::Piece> pieces;
    const uint64_t base = side_by_side[0]->mapped_at;
    for (const PhysicalMemory* m : side_by_side)
        if (m->file != nullptr) pieces.push_back({m->mapped_at - base, m->bytes, m->file});
    return pieces.empty() ? nullptr : std::make_shared<Mapping>(bytes, std::move(pieces));
}

// False: the system has no room for it.
bool put_back(DeviceMemory& memory, const AddressRange& range) {
    std::vector<PhysicalMemory*> all = mapped_in(range.base, range.bytes);
    std::erase_if(all, [](const PhysicalMemory* m) { return !m->visible; });
    for (size_t k = 0, end = 0; k < all.size(); k = end) {
        for (end = k + 1; end < all.size(); ++end)
            if (all[end]->mapped_at != all[end - 1]->mapped_at + all[end - 1]->bytes) break;
        const uint64_t base = all[k]->mapped_at, bytes = all[end - 1]->mapped_at + all[end - 1]->bytes - base;
        const std::span<PhysicalMemory* const> these(all.data() + k, end - k);
        const std::shared_ptr<Mapping> mapping = mapping_of(these, bytes);
        if (mapping != nullptr && mapping->at == nullptr) return false;
        wl::runtime::make_at(memory, base, bytes, range.name);
        auto* a = wl::execution::find(memory.global, base, bytes);
        std::byte* holds = mapping != nullptr ? mapping->at : a->bytes.data();
        for (PhysicalMemory* m : these) {
            const auto at = static_cast<ptrdiff_t>(m->mapped_at - base);
            std::copy(m->bytes_kept.begin(), m->bytes_kept.end(), holds + at);
            std::copy(m->written.begin(), m->written.end(), a->written.begin() + at);
            m->bytes_kept.clear(), m->written.clear();
        }
        if (mapping != nullptr) wl::runtime::put_into(memory, base, mapping);
    }
    return true;
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
    if (const CUresult no = may_be_called(); no != CUDA_SUCCESS) return no;
    if (out == nullptr || !is_whole(bytes) || flags != 0 || (align & (align - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > kAddresses || align > kAddresses) return CUDA_ERROR_OUT_OF_MEMORY;
    const Call call = begin();
    const Region made = wl::runtime::reserve(call.machine.memory, bytes, std::max(align, kGranularity));
    *out = made.base;
    driver().ranges[made.base] = {made.base, bytes, made.name};
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
    if (const CUresult no = may_be_called(); no != CUDA_SUCCESS) return no;
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
    if (const CUresult no = may_be_called(); no != CUDA_SUCCESS) return no;
    const bool valid = out != nullptr && prop != nullptr && is_whole(bytes) && flags == 0 &&
        prop->type == CU_MEM_ALLOCATION_TYPE_PINNED;
    if (!valid) return CUDA_ERROR_INVALID_VALUE;
    if (!is_here(prop->location))
        return prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? CUDA_ERROR_INVALID_DEVICE
                                                                  : CUDA_ERROR_INVALID_VALUE;
    const bool for_others = prop->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    if (prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE && !for_others)
        return refuse(
            CUDA_ERROR_NOT_SUPPORTED,
            "the program asks for memory that other processes can have by other means than a file descriptor "
            "(cuMemCreate), which is not supported"
        );
    const Call call = begin();
    if (wl::runtime::bytes_in_use(call.machine.memory) + bytes > wl::runtime::kDeviceBytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const wl::runtime::FilePointer file = for_others ? wl::runtime::make_file(bytes) : nullptr;
    if (for_others && file == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *out = ++driver().last_physical;
    driver().physical[*out] = {bytes, *prop, true, false, 0, {}, {}, file};
    return CUDA_SUCCESS;
}

// The descriptor is the program's to close.
CUresult cuMemExportToShareableHandle(
    void* out, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type, unsigned long long flags
) {
    const Call call = begin();
    const auto found = driver().physical.find(handle);
    const bool valid = out != nullptr && flags == 0 && found != driver().physical.end() &&
        found->second.held && found->second.file != nullptr &&
        type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    if (!valid) return CUDA_ERROR_INVALID_VALUE;
    const int descriptor = fcntl(found->second.file->number, F_DUPFD, 0);
    if (descriptor < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    *static_cast<int*>(out) = descriptor;
    return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(
    CUmemGenericAllocationHandle* out, void* handle, CUmemAllocationHandleType type
) {
    if (const CUresult no = may_be_called(); no != CUDA_SUCCESS) return no;
    if (out == nullptr || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
    const Call call = begin();
    const auto file = wl::runtime::same_file(static_cast<int>(reinterpret_cast<intptr_t>(handle)));
    if (file == nullptr || wl::runtime::bytes_of(*file) == 0) return CUDA_ERROR_INVALID_VALUE;
    CUmemAllocationProp prop{};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED, prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    prop.requestedHandleTypes = type;
    *out = ++driver().last_physical;
    driver().physical[*out] = {wl::runtime::bytes_of(*file), prop, true, false, 0, {}, {}, file};
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
    if (const CUresult no = may_be_called(); no != CUDA_SUCCESS) return no;
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
    if (const CUresult no = may_be_called(); no != CUDA_SUCCESS) return no;
    const Call call = begin();
    const std::vector<PhysicalMemory*> memories = mapped_in(address, bytes);
    if (access == nullptr || count == 0 || range_of(address, bytes) == nullptr ||
        !fill_exactly(memories, address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t k = 0; k < count; ++k) {
        CUmemAccessDesc one;
        if (!wl::runtime::read_host(&one, access + k, sizeof one) || !is_here(one.location))
            return CUDA_ERROR_INVALID_VALUE;
        if (one.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return refuse(
                CUDA_ERROR_NOT_SUPPORTED,
                "the program gives memory without the right to write (cuMemSetAccess), which is not supported"
            );
    }
    const AddressRange& range = *range_of(address, bytes);
    take_out(call.machine.memory, range);
    for (PhysicalMemory* m : memories) m->visible = true;
    return put_back(call.machine.memory, range) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    if (const CUresult no = may_be_called(); no != CUDA_SUCCESS) return no;
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
