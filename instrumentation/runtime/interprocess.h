// Memory of the device that several processes have. What it holds lies in a file of memory that each of them
// maps; as with memory of the host, it is carried into the emulator's before a launch and back behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wl::runtime {

struct DeviceMemory;

// A descriptor that is closed with it.
struct File {
    explicit File(int open) : number(open) {}
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    const int number;
};
using FilePointer = std::shared_ptr<const File>;

// A new file of memory, of zeros; nullptr: the system gives none.
FilePointer make_file(uint64_t bytes);
// Another descriptor of the same; nullptr: `descriptor` is none of such a file. Its size.
FilePointer same_file(int descriptor);
uint64_t bytes_of(const File& file);

// Where this process sees such files, side by side; between them is memory that only it has.
struct Mapping {
    struct Piece {
        uint64_t offset = 0, bytes = 0;
        FilePointer file;
    };
    Mapping(uint64_t size, std::vector<Piece> parts);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    std::byte* at = nullptr;  // nullptr: the system gives none
    const uint64_t bytes;
    const std::vector<Piece> pieces;
    std::vector<std::byte> carried_in;  // what it held before the launch that is under way
};

// From now on the allocation of the device that begins there lies in a file, which is returned; nullptr: none
// of the device begins there, or the system gives none.
FilePointer share(DeviceMemory& memory, uint64_t base);
// What the allocation holds is what lies there, of which all counts as written.
void put_into(DeviceMemory& memory, uint64_t base, std::shared_ptr<Mapping> mapping);
// The file as an allocation; 0: there is no room.
uint64_t add_shared(DeviceMemory& memory, const FilePointer& file, uint64_t bytes);

// What a process tells another by which that finds an allocation. 40 bytes, as handles of CUDA are 64.
struct SharedName {
    uint64_t mark = 0;
    int64_t process = 0, descriptor = 0;
    uint64_t inode = 0, bytes = 0;
};
SharedName name_of(const File& file, uint64_t bytes);
// nullptr: it is no such name, or the process that gave it has no longer the memory.
FilePointer find_file(const SharedName& name);
bool is_of_this_process(const SharedName& name);

}  // namespace wl::runtime
