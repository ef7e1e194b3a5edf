// By memfd_create: such a file has no name in a file system and is gone with the last process that has it.
// Linux only, as is the stand-in itself.
#include "instrumentation/runtime/interprocess.h"

#include "instrumentation/runtime/device_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace wl::runtime {
namespace {

constexpr const char* kFile = "warplens-memory";
constexpr uint64_t kMark = 0x6d656d2d70726177;  // "warp-mem"

FilePointer held(int descriptor) {
    return descriptor < 0 ? nullptr : std::make_shared<const File>(descriptor);
}

// Whether make_file made it, in whatever process.
bool is_ours(int descriptor) {
    std::array<char, 64> target{};
    const std::string link = fmt::format("/proc/self/fd/{}", descriptor);
    if (readlink(link.c_str(), target.data(), target.size() - 1) < 0) return false;
    return std::string(target.data()).starts_with(fmt::format("/memfd:{}", kFile));
}

struct stat status_of(int descriptor) {
    struct stat out {};
    fstat(descriptor, &out);
    return out;
}

std::shared_ptr<Mapping> map(const FilePointer& file, uint64_t bytes) {
    return std::make_shared<Mapping>(
        bytes,
        std::vector<Mapping::Piece>{
            {0, bytes, file}
    }
    );
}

}  // namespace

File::~File() { close(number); }

FilePointer make_file(uint64_t bytes) {
    FilePointer file = held(memfd_create(kFile, MFD_CLOEXEC));
    if (file == nullptr || ftruncate(file->number, static_cast<off_t>(bytes)) != 0) return nullptr;
    return file;
}

FilePointer same_file(int descriptor) {
    return is_ours(descriptor) ? held(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) : nullptr;
}

uint64_t bytes_of(const File& file) { return static_cast<uint64_t>(status_of(file.number).st_size); }

Mapping::Mapping(uint64_t size, std::vector<Piece> parts) : bytes(size), pieces(std::move(parts)) {
    const int access = PROT_READ | PROT_WRITE;
    void* all = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return;
    at = static_cast<std::byte*>(all);
    for (const Piece& p : pieces) {
        const int how = MAP_SHARED | MAP_FIXED;
        if (mmap(at + p.offset, p.bytes, access, how, p.file->number, 0) != MAP_FAILED) continue;
        munmap(at, bytes);
        at = nullptr;
        return;
    }
}

Mapping::~Mapping() {
    if (at != nullptr) munmap(at, bytes);
}

FilePointer share(DeviceMemory& memory, uint64_t base) {
    const auto found = memory.regions.find(base);
    if (found == memory.regions.end() || found->second.kind != Region::Kind::device) return nullptr;
    Region& region = found->second;
    if (region.shared != nullptr)
        return region.shared->pieces.size() == 1 ? region.shared->pieces[0].file : nullptr;
    FilePointer file = make_file(region.bytes);
    if (file == nullptr) return nullptr;
    const auto mapping = map(file, region.bytes);
    if (mapping->at == nullptr) return nullptr;
    const execution::Allocation& a = *execution::find(memory.global, base, region.bytes);
    std::copy(a.bytes.begin(), a.bytes.end(), mapping->at);
    put_into(memory, base, mapping);
    return file;
}

void put_into(DeviceMemory& memory, uint64_t base, std::shared_ptr<Mapping> mapping) {
    memory.regions.at(base).shared = std::move(mapping);
    execution::find(memory.global, base, 1)->written.clear();
    note_change(memory, base);
}

uint64_t add_shared(DeviceMemory& memory, const FilePointer& file, uint64_t bytes) {
    const auto mapping = map(file, bytes);
    const uint64_t base = mapping->at == nullptr ? 0 : make(memory, bytes, Region::Kind::device);
    if (base != 0) put_into(memory, base, mapping);
    return base;
}

SharedName name_of(const File& file, uint64_t bytes) {
    return {kMark, getpid(), file.number, status_of(file.number).st_ino, bytes};
}

FilePointer find_file(const SharedName& name) {
    if (name.mark != kMark) return nullptr;
    const std::string path = fmt::format("/proc/{}/fd/{}", name.process, name.descriptor);
    FilePointer file = held(open(path.c_str(), O_RDWR | O_CLOEXEC));
    const bool same = file != nullptr && is_ours(file->number) &&
        status_of(file->number).st_ino == name.inode && bytes_of(*file) >= name.bytes;
    return same ? file : nullptr;
}

bool is_of_this_process(const SharedName& name) { return name.mark == kMark && name.process == getpid(); }

}  // namespace wl::runtime
