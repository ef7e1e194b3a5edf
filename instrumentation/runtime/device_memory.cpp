// Addresses of device memory are those of execution::GlobalMemory, and never given twice, so that what was
// freed is known when a kernel touches it.
#include "instrumentation/runtime/device_memory.h"

#include "instrumentation/runtime/host_access.h"
#include "instrumentation/runtime/host_memory.h"
#include "instrumentation/runtime/interprocess.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <span>
#include <utility>

namespace wl::runtime {
namespace {

using Kind = Region::Kind;
using execution::Allocation;

constexpr uint64_t kAlign = 512, kGap = 64 << 10;

uint64_t rounded(uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

void insert(DeviceMemory& memory, Region region, bool initialised) {
    Allocation a{region.name, region.base, std::vector<std::byte>(region.bytes), {}, {}};
    if (!initialised) a.written.assign(region.bytes, 0);
    auto& all = memory.global.allocations;
    const auto behind = std::upper_bound(
        all.begin(), all.end(), a.base, [](uint64_t base, const Allocation& x) { return base < x.base; }
    );
    all.insert(behind, std::move(a));
    memory.regions[region.base] = std::move(region);
}

std::byte* host_pointer(uint64_t address) {
    return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): the program's own
}

// Where bytes of either side lie now, and their written flags.
struct Place {
    std::byte* bytes = nullptr;
    uint8_t* written = nullptr;  // nullptr: all of them are
    uint64_t base = 0;           // of the allocation
    bool device = false;  // else it may not be there: the program has it from elsewhere, or gave it back
    bool ok = false;
};

Place place_of(DeviceMemory& memory, uint64_t address, uint64_t size) {
    const Region* region = region_of(memory, address);
    if (region != nullptr && outside(*region) != nullptr) {
        const uint64_t at = address - region->base;
        return {
            outside(*region) + at, nullptr, 0, false, size <= region->bytes && at <= region->bytes - size};
    }
    if (Allocation* a = execution::find(memory.global, address, size)) {
        const uint64_t at = address - a->base;
        uint8_t* written = a->written.empty() ? nullptr : a->written.data() + at;
        return {a->bytes.data() + at, written, a->base, true, true};
    }
    const bool of_device = address >= execution::kGlobalBase;
    return {host_pointer(address), nullptr, 0, false, !of_device && address != 0};
}

// Every byte counts as written.
bool is_whole(const Allocation& a) {
    return a.written.empty() || std::memchr(a.written.data(), 0, a.written.size()) == nullptr;
}

bool all_written(const Place& place, uint64_t n) {
    return place.written == nullptr || std::memchr(place.written, 0, n) == nullptr;
}

void store(DeviceMemory& memory, const Place& to, const std::byte* from, const uint8_t* written, uint64_t n) {
    if (to.device) {
        const bool same = written == nullptr && all_written(to, n) && std::memcmp(to.bytes, from, n) == 0;
        if (same) return;
        note_change(memory, to.base);
        if (to.written != nullptr && written != nullptr) std::memmove(to.written, written, n);
        if (to.written != nullptr && written == nullptr) std::memset(to.written, 1, n);
    }
    std::memmove(to.bytes, from, n);
}

// From one side of the host to the other; false: some of it is not there.
bool move_on_host(std::byte* to, const std::byte* from, uint64_t n) {
    const bool apart = to + n <= from || from + n <= to;
    if (apart && is_readable(from, n)) return write_host(to, from, n);
    if (!is_readable(from, n) || !is_writable(to, n)) return false;
    std::memmove(to, from, n);
    return true;
}

// Flags that were dropped are there again where the program's own memory gets bytes that nobody wrote.
void restore_flags(DeviceMemory& memory, Place& to, uint64_t address, const Place& from, uint64_t n) {
    if (!to.device || to.written != nullptr || all_written(from, n)) return;
    const Region* region = region_of(memory, address);
    if (region == nullptr || region->kind != Kind::device) return;
    Allocation& a = *execution::find(memory.global, address, n);
    a.written.assign(a.bytes.size(), 1);
    to.written = a.written.data() + (address - a.base);
}

// The same element over and over.
bool is_filled(const Place& place, std::span<const std::byte> element, uint64_t n) {
    const size_t size = element.size();
    return n >= size && std::memcmp(place.bytes, element.data(), size) == 0 &&
        std::memcmp(place.bytes, place.bytes + size, n - size) == 0;
}

// The program may have unmapped what it registered.
bool is_there(const Region& region) {
    return region.kind != Kind::registered || is_readable(region.host, region.bytes);
}

// The bytes that the launch changed alone: kernels of other processes may have changed others meanwhile.
void carry_changes_out(const Allocation& a, Mapping& mapping) {
    if (mapping.carried_in.size() != a.bytes.size() || mapping.carried_in == a.bytes) return;
    for (size_t k = 0; k < a.bytes.size(); ++k)
        if (a.bytes[k] != mapping.carried_in[k]) mapping.at[k] = a.bytes[k];
    mapping.carried_in = a.bytes;
}

// Rows without gaps are one. False: more bytes than there are addresses.
bool join(Rows& rows) {
    const uint64_t height = std::exchange(rows.height, 1);
    return !__builtin_mul_overflow(rows.width, height, &rows.width);
}

}  // namespace

uint64_t make(DeviceMemory& memory, uint64_t bytes, Kind kind) {
    if (bytes > kDeviceBytes || bytes_in_use(memory) + bytes > kDeviceBytes) return 0;
    if (memory.next == 0) memory.next = execution::kGlobalBase;
    Region region{kind, memory.next, bytes, nullptr, {}, false, 0};
    region.name = fmt::format("allocation {}", ++memory.made);
    const bool of_host = kind == Kind::managed || kind == Kind::pinned;
    if (of_host) {
        region.host = take_host_memory(bytes), region.owned = true;
        region.base = reinterpret_cast<uint64_t>(region.host);
        if (region.host == nullptr) return 0;
    } else {
        memory.next += rounded(bytes) + kGap;
    }
    const uint64_t base = region.base;
    try {
        insert(memory, region, of_host);
    } catch (const std::bad_alloc&) {
        if (of_host) give_host_memory(region.host, bytes);
        return 0;
    }
    return base;
}

Region reserve(DeviceMemory& memory, uint64_t bytes, uint64_t align) {
    const uint64_t from = memory.next == 0 ? execution::kGlobalBase : memory.next;
    const uint64_t base = (from + align - 1) / align * align;
    memory.next = base + rounded(bytes) + kGap;
    return {Kind::device, base, bytes, nullptr, fmt::format("allocation {}", ++memory.made), false, 0};
}

void make_at(DeviceMemory& memory, uint64_t base, uint64_t bytes, const std::string& name) {
    std::erase_if(memory.freed, [&](const FreedRegion& f) {
        return f.base < base + bytes && base < f.base + f.bytes;
    });
    insert(memory, {Kind::device, base, bytes, nullptr, name, false, 0}, false);
    note_change(memory, base);
}

void make_again(DeviceMemory& memory, uint64_t base) {
    const auto was = std::find_if(memory.freed.begin(), memory.freed.end(), [&](const FreedRegion& f) {
        return f.base == base;
    });
    if (was == memory.freed.end()) return;
    insert(memory, {Kind::device, base, was->bytes, nullptr, was->name, false, 0}, false);
    memory.freed.erase(was);
    note_change(memory, base);
}

bool add_host_memory(DeviceMemory& memory, void* host, uint64_t bytes) {
    const auto base = reinterpret_cast<uint64_t>(host);
    const auto next = memory.regions.lower_bound(base);
    if (region_of(memory, base) != nullptr) return false;
    if (next != memory.regions.end() && next->first < base + bytes) return false;
    insert(
        memory,
        {Kind::registered,
         base,
         bytes,
         static_cast<std::byte*>(host),
         fmt::format("allocation {}", ++memory.made),
         false,
         0},
        true
    );
    return true;
}

bool release(DeviceMemory& memory, uint64_t base, std::initializer_list<Kind> kinds) {
    const auto found = memory.regions.find(base);
    if (found == memory.regions.end() ||
        std::find(kinds.begin(), kinds.end(), found->second.kind) == kinds.end())
        return false;
    const Region& region = found->second;
    if (region.owned) give_host_memory(region.host, region.bytes);
    if (region.host == nullptr) memory.freed.push_back({region.base, region.bytes, region.name});
    std::erase_if(memory.global.allocations, [&](const Allocation& a) { return a.base == base; });
    memory.regions.erase(found);
    note_change(memory, base);
    return true;
}

std::byte* outside(const Region& region) {
    return region.shared != nullptr ? region.shared->at : region.host;
}

const Region* region_of(const DeviceMemory& memory, uint64_t address) {
    const auto behind = memory.regions.upper_bound(address);
    if (behind == memory.regions.begin()) return nullptr;
    const Region& region = std::prev(behind)->second;
    return address < region.base + std::max<uint64_t>(region.bytes, 1) ? &region : nullptr;
}

const FreedRegion* freed_at(const DeviceMemory& memory, uint64_t address) {
    for (const FreedRegion& f : memory.freed)
        if (address >= f.base && address < f.base + f.bytes) return &f;
    return nullptr;
}

bool is_of_device(const DeviceMemory& memory, uint64_t address, uint64_t bytes) {
    const Region* r = region_of(memory, address);
    return r != nullptr && outside(*r) == nullptr && bytes <= r->bytes &&
        address - r->base <= r->bytes - bytes;
}

void note_addresses(DeviceMemory& memory, std::span<const std::byte> words) {
    uint64_t low = ~uint64_t{0}, high = 0;
    for (const auto& [base, region] : memory.regions)
        if (outside(region) != nullptr) low = std::min(low, base), high = std::max(high, base + region.bytes);
    for (size_t at = 0; high > 0 && !memory.host_is_reached && at + 8 <= words.size(); at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, words.data() + at, sizeof word);
        if (word < low || word > high) continue;
        const Region* region = region_of(memory, word);
        memory.host_is_reached = region != nullptr && outside(*region) != nullptr;
    }
}

uint64_t bytes_in_use(const DeviceMemory& memory) {
    uint64_t all = 0;
    for (const auto& [base, region] : memory.regions)
        if (region.kind != Kind::registered) all += region.bytes;
    return all;
}

bool copy(
    DeviceMemory& memory, uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch, Rows rows
) {
    if (to_pitch == rows.width && from_pitch == rows.width && !join(rows)) return false;
    if (rows.width == 0) return true;
    for (uint64_t row = 0; row < rows.height; ++row) {
        Place target = place_of(memory, to + row * to_pitch, rows.width);
        const Place source = place_of(memory, from + row * from_pitch, rows.width);
        if (!target.ok || !source.ok) return false;
        if (!target.device) {
            if (source.device ? !write_host(target.bytes, source.bytes, rows.width)
                              : !move_on_host(target.bytes, source.bytes, rows.width))
                return false;
            continue;
        }
        if (!source.device && !is_readable(source.bytes, rows.width)) return false;
        // Pointers are words that lie aligned where kernels read them.
        const uint64_t begin = (0 - (to + row * to_pitch)) % 8;
        if (!source.device && begin < rows.width)
            note_addresses(memory, {source.bytes + begin, rows.width - begin});
        restore_flags(memory, target, to + row * to_pitch, source, rows.width);
        store(memory, target, source.bytes, source.written, rows.width);
    }
    return true;
}

bool fill(DeviceMemory& memory, uint64_t to, uint64_t pitch, std::span<const std::byte> element, Rows rows) {
    if (pitch == rows.width && !join(rows)) return false;
    if (rows.width == 0) return true;
    for (uint64_t y = 0; y < rows.height; ++y) {
        const Place target = place_of(memory, to + y * pitch, rows.width);
        if (!target.ok || (!target.device && !is_writable(target.bytes, rows.width))) return false;
        if (target.device && all_written(target, rows.width) && is_filled(target, element, rows.width))
            continue;
        if (target.device) note_change(memory, target.base);
        if (target.written != nullptr) std::memset(target.written, 1, rows.width);
        if (element.size() == 1) std::memset(target.bytes, static_cast<int>(element[0]), rows.width);
        for (uint64_t k = 0; k < rows.width && element.size() > 1; ++k)
            target.bytes[k] = element[k % element.size()];
    }
    return true;
}

void carry_in(DeviceMemory& memory) {
    for (const auto& [base, region] : memory.regions) {
        const std::byte* from = outside(region);
        if (from == nullptr || region.bytes == 0) continue;
        Allocation* a = execution::find(memory.global, base, region.bytes);
        if (a == nullptr || !is_there(region)) continue;
        if (std::memcmp(a->bytes.data(), from, region.bytes) != 0) {
            std::memcpy(a->bytes.data(), from, region.bytes);
            note_change(memory, base);
        }
        if (region.shared != nullptr) region.shared->carried_in = a->bytes;
    }
}

void carry_out(DeviceMemory& memory, uint64_t base) {
    const auto found = memory.regions.find(base);
    if (found == memory.regions.end()) return;
    const Region& region = found->second;
    std::byte* to = outside(region);
    if (to == nullptr || region.bytes == 0) return;
    const Allocation* a = execution::find(memory.global, base, region.bytes);
    if (a == nullptr || !is_there(region)) return;
    if (region.shared != nullptr)
        carry_changes_out(*a, *region.shared);
    else if (std::memcmp(a->bytes.data(), to, region.bytes) != 0)
        std::memcpy(to, a->bytes.data(), region.bytes);
}

void carry_out(DeviceMemory& memory) {
    for (const auto& [base, region] : memory.regions) carry_out(memory, base);
}

void note_change(DeviceMemory& memory, uint64_t base) { memory.changed[base] = ++memory.version; }

void note_change_somewhere(DeviceMemory& memory) { memory.all_changed = ++memory.version; }

bool is_as_at(const DeviceMemory& memory, uint64_t version, std::span<const uint64_t> bases) {
    return memory.all_changed <= version && std::all_of(bases.begin(), bases.end(), [&](uint64_t base) {
               const auto found = memory.changed.find(base);
               return found == memory.changed.end() || found->second <= version;
           });
}

void drop_flags(DeviceMemory& memory) {
    for (Allocation& a : memory.global.allocations)
        if (!a.written.empty() && is_whole(a)) std::vector<uint8_t>().swap(a.written);
}

void bring_up_to_date(execution::GlobalMemory& copy, uint64_t version, const DeviceMemory& memory) {
    std::vector<Allocation> now;
    now.reserve(memory.global.allocations.size());
    auto old = copy.allocations.begin();
    for (const Allocation& a : memory.global.allocations) {
        while (old != copy.allocations.end() && old->base < a.base) ++old;
        const bool there = old != copy.allocations.end() && old->base == a.base;
        if (there && old->bytes.size() == a.bytes.size() && is_as_at(memory, version, {&a.base, 1})) {
            old->name = a.name;
            now.push_back(std::move(*old));
        } else if (there) {
            *old = a;  // into the pages that it has
            now.push_back(std::move(*old));
        } else {
            now.push_back(a);
        }
    }
    copy.allocations = std::move(now);
    copy.textures = memory.global.textures;
}

bool is_changed(
    const execution::GlobalMemory& before,
    const DeviceMemory& memory,
    const std::optional<execution::Reached>& reached
) {
    auto was = before.allocations.begin();
    for (const Allocation& a : memory.global.allocations) {
        while (was != before.allocations.end() && was->base < a.base) ++was;
        if (was == before.allocations.end() || was->base != a.base) return true;
        const bool may = !reached ||
            std::find(reached->written.begin(), reached->written.end(), a.base) != reached->written.end();
        if (!may) continue;
        const bool same = was->bytes.size() == a.bytes.size() &&
            std::memcmp(was->bytes.data(), a.bytes.data(), a.bytes.size()) == 0;
        if (!same || (was->written != a.written && !(is_whole(*was) && is_whole(a)))) return true;
    }
    return false;
}

}  // namespace wl::runtime
