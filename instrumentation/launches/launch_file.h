// One kernel launch as it was, to be run again anywhere: module, arguments and the memory that they reach,
// before and, where it is known, after. On disk a `.wllaunch`, one SQLite database (docs/record.md).
#pragma once

#include "instrumentation/base/dim3.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wl::launches {

// What a stretch of memory held once the launch was over.
enum class After : uint8_t { unknown, unchanged, changed };

// An allocation, or a variable of the module. Addresses are those of the process that launched: pointers that
// lie in memory and in parameters mean what they meant there.
struct Memory {
    std::string name;  // of a variable its name in PTX; of an allocation what is known, or empty
    bool is_variable = false;
    uint64_t base = 0;  // device address; of a variable 0: unknown
    std::vector<std::byte> before;
    After after = After::unknown;
    std::vector<std::byte> left;  // of After::changed alone: what the launch left, as many bytes as before
    bool operator==(const Memory&) const = default;
};
// Its bytes once the launch was over; of After::unknown those before it.
inline const std::vector<std::byte>& left_in(const Memory& m) {
    return m.after == After::changed ? m.left : m.before;
}
// Settles After by comparing.
void set_left(Memory& memory, std::vector<std::byte> bytes);

struct RecordedLaunch {
    std::string ptx;    // of the module; empty: it was loaded as machine code
    std::string image;  // what the module is called where there is no PTX: its file, its architecture
    std::string entry;  // in PTX
    Dim3 grid, block;
    uint32_t dynamic_shared = 0;  // bytes
    uint32_t stack = 0;           // bytes a thread; 0: unknown
    bool cooperative = false;
    std::vector<std::byte> params;      // the entry's parameter buffer
    std::vector<Memory> memory;         // allocations and variables with an address do not overlap
    std::string device;                 // that ran it: "NVIDIA H200", "emulator"
    std::string fault;                  // how it ended, if not well: "CUDA_ERROR_ILLEGAL_ADDRESS"
    std::vector<std::string> command;   // the program's words
    uint64_t number = 0, of_entry = 0;  // from 1, among all launches of the program, and those of this entry
    std::vector<std::string> notes;     // what was not kept, and why
    bool operator==(const RecordedLaunch&) const = default;
};

bool is_launch_file(const std::string& path);  // by its suffix, .wllaunch

// What is wrong with it, in words; empty: nothing. A launch without PTX is no fault of the file.
std::string inconsistency(const RecordedLaunch& launch);

// Atomic, as captures are. Throws Error naming the path.
void write_launch(const RecordedLaunch& launch, const std::string& path);
// Hostile files are expected. Throws Error naming the path and what is wrong.
RecordedLaunch read_launch(const std::string& path);

// The file's bytes; `name` stands for the path in messages.
std::vector<std::byte> encode(const RecordedLaunch& launch, const std::string& name);
RecordedLaunch decode(std::span<const std::byte> file, const std::string& name);

}  // namespace wl::launches
