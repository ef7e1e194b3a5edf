// The memory that a program asks the runtime for: device memory, and memory of the host that kernels may
// touch, which is carried into the emulator's before a launch and back behind it.
#pragma once

#include "instrumentation/execution/memory.h"
#include "instrumentation/execution/result.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wl::runtime {

struct Mapping;

struct Region {
    enum class Kind : uint8_t { device, managed, pinned, registered, variable, array };
    Kind kind = Kind::device;
    uint64_t base = 0, bytes = 0;
    std::byte* host = nullptr;  // where the program sees it; nullptr: nowhere
    std::string name;           // "allocation 3"
    bool owned = false;         // `host` goes with it
    int made_by = 0;            // launches before it was made
    // Of memory that other processes have, too (interprocess.h).
    std::shared_ptr<Mapping> shared = nullptr;
};

struct FreedRegion {
    uint64_t base = 0, bytes = 0;
    std::string name;
};

struct DeviceMemory {
    execution::GlobalMemory global;
    std::map<uint64_t, Region> regions;    // by base
    std::vector<FreedRegion> freed;        // addresses are not given twice
    uint64_t next = 0;                     // address of the next one
    int made = 0;                          // allocations so far
    uint64_t version = 0;                  // of the contents, as far as a launch could see a change of them
    uint64_t all_changed = 0;              // the version at which somebody changed what is not known
    std::map<uint64_t, uint64_t> changed;  // the last version that changed an allocation, by its base
    bool host_is_reached = false;          // kernels were given an address of memory that lies outside
};

constexpr uint64_t kDeviceBytes = uint64_t{16} << 30;  // of the emulated device

// Address, which for pinned and managed memory is the host's too; 0: there is no room.
uint64_t make(DeviceMemory& memory, uint64_t bytes, Region::Kind kind);
// Addresses that no other memory gets, from a multiple of `align` on, and a name for what will lie there; and
// memory there, as new.
Region reserve(DeviceMemory& memory, uint64_t bytes, uint64_t align);
void make_at(DeviceMemory& memory, uint64_t base, uint64_t bytes, const std::string& name);
// `bytes` at `host` of the program's own memory, seen by kernels at the same address. False: some of it is
// registered already.
bool add_host_memory(DeviceMemory& memory, void* host, uint64_t bytes);
// Memory of a graph that was freed outside it: each launch of the graph has it at its address, as new.
void make_again(DeviceMemory& memory, uint64_t base);
// False: no region of one of these kinds begins there.
bool release(DeviceMemory& memory, uint64_t base, std::initializer_list<Region::Kind> kinds);

// Where it lies outside the emulator: the program's memory, or that of several processes. nullptr: nowhere.
std::byte* outside(const Region& region);
const Region* region_of(const DeviceMemory& memory, uint64_t address);
const FreedRegion* freed_at(const DeviceMemory& memory, uint64_t address);
uint64_t bytes_in_use(const DeviceMemory& memory);

// All of it lies in one allocation, and nowhere outside.
bool is_of_device(const DeviceMemory& memory, uint64_t address, uint64_t bytes);

// Remembers whether kernels that find these words can reach memory of the host.
void note_addresses(DeviceMemory& memory, std::span<const std::byte> words);

// Rows of a copy or a fill; a plain one is a single row.
struct Rows {
    uint64_t width = 0, height = 1;
};
// Either side may be of the host or of the device, by its address. False: it leaves a region.
bool copy(
    DeviceMemory& memory, uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch, Rows rows
);
bool fill(DeviceMemory& memory, uint64_t to, uint64_t pitch, std::span<const std::byte> element, Rows rows);

// Memory that kernels see and that lies outside, into the emulator's and, where a kernel changed it, back.
void carry_in(DeviceMemory& memory);
void carry_out(DeviceMemory& memory);
void carry_out(DeviceMemory& memory, uint64_t base);  // of one

// The contents of the allocation at this base, or of any, have changed.
void note_change(DeviceMemory& memory, uint64_t base);
void note_change_somewhere(DeviceMemory& memory);
// None of these allocations has changed since the contents had this version.
bool is_as_at(const DeviceMemory& memory, uint64_t version, std::span<const uint64_t> bases);

// A copy of the memory that was made at this version, as it is now. Without the heap.
void bring_up_to_date(execution::GlobalMemory& copy, uint64_t version, const DeviceMemory& memory);
// Whether bytes or written flags differ from what they were, of what was written as far as that is known.
bool is_changed(
    const execution::GlobalMemory& before,
    const DeviceMemory& memory,
    const std::optional<execution::Reached>& reached
);

// Written flags of allocations in which every byte is written: without them all of it counts so, too, and
// there is half as much to look at and to copy.
void drop_flags(DeviceMemory& memory);

}  // namespace wl::runtime
