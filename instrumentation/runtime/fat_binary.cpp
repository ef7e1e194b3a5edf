// Read by offset: the format is not documented by NVIDIA. Layouts as nvcc 11 to 13 write them, checked with
// fat binaries of nvcc 13.0 (-compress-mode=none, speed, size and balance).
#include "instrumentation/runtime/fat_binary.h"

#include "instrumentation/base/error.h"
#include "instrumentation/runtime/lz4.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <zstd.h>

namespace wl::runtime {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1, kMagic = 0xba55ed50;
constexpr uint32_t kLinked = 2;  // version of a wrapper
constexpr uint16_t kPtx = 1, kMachineCode = 2;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;  // flags

struct Wrapper {
    uint32_t magic, version;
    const std::byte* data;
    const void* more;  // version 2: the fat binaries that were linked into `data`, nullptr behind the last
};

struct Header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;  // behind the header
};

struct Entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;  // behind the header, padded
    uint32_t compressed_bytes, options;
    uint16_t minor, major;
    uint32_t arch;
    uint32_t name, name_bytes;
    uint64_t flags, zero;
    uint64_t expanded_bytes;
};
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64);

template <class T>
T read(const std::byte* at) {
    T out;
    std::memcpy(&out, at, sizeof out);
    return out;
}

std::string expanded(const Entry& e, const std::byte* at) {
    const auto size = static_cast<size_t>(e.expanded_bytes);
    std::string out;
    if ((e.flags & kZstd) != 0) {
        out.resize(size);
        const size_t got = ZSTD_decompress(out.data(), size, at, e.compressed_bytes);
        if (ZSTD_isError(got) != 0 || got != size)
            throw Error("a fat binary of the program is damaged (zstd)");
    } else if ((e.flags & kLz4) != 0) {
        auto made = expand_lz4({at, e.compressed_bytes}, size);
        if (!made) throw Error("a fat binary of the program is damaged (LZ4)");
        out = std::move(*made);
    } else {
        out.assign(reinterpret_cast<const char*>(at), e.bytes);
    }
    return out.substr(0, out.find('\0'));
}

void add_images(const std::byte* data, std::vector<Image>& out) {
    const auto header = read<Header>(data);
    if (header.magic != kMagic)
        throw Error(
            fmt::format("what the program registered is no fat binary: it begins with {:#x}", header.magic)
        );
    const std::byte *at = data + header.header_bytes, *end = at + header.bytes;
    while (at + sizeof(Entry) <= end) {
        const auto entry = read<Entry>(at);
        const std::byte* payload = at + entry.header_bytes;
        if (entry.header_bytes < sizeof(Entry) || payload + entry.bytes > end)
            throw Error("a fat binary of the program is damaged: an entry ends behind it");
        if (entry.kind == kPtx) out.push_back({true, static_cast<int>(entry.arch), expanded(entry, payload)});
        if (entry.kind == kMachineCode) out.push_back({false, static_cast<int>(entry.arch), {}});
        at = payload + entry.bytes;
    }
}

}  // namespace

std::vector<Image> images_in(const void* data) {
    const auto* bytes = static_cast<const std::byte*>(data);
    std::vector<Image> out;
    const auto magic = read<uint32_t>(bytes);
    if (magic == kMagic)
        add_images(bytes, out);
    else if (magic == kWrapperMagic)
        return images_of(data);
    else if (std::memcmp(bytes, "\x7f" "ELF", 4) == 0)
        out.push_back({false, 0, {}});
    else
        out.push_back({true, 0, std::string(static_cast<const char*>(data))});
    return out;
}

std::vector<Image> images_of(const void* wrapper) {
    const auto w = read<Wrapper>(static_cast<const std::byte*>(wrapper));
    if (w.magic != kWrapperMagic)
        throw Error("the program registers its kernels in a form that is not known");
    std::vector<Image> out;
    add_images(w.data, out);
    if (w.version == kLinked && out.empty())
        throw Error(
            "the program was built with relocatable device code, which is linked as machine code only; build "
            "it "
            "without -rdc=true"
        );
    return out;
}

const Image& chosen(const std::vector<Image>& images) {
    const Image* best = nullptr;
    for (const Image& image : images)
        if (image.is_ptx && (best == nullptr || image.arch > best->arch)) best = &image;
    if (best != nullptr) return *best;
    std::string there;
    for (const Image& image : images)
        if (image.arch != 0) there += fmt::format("{}sm_{}", there.empty() ? "" : ", ", image.arch);
    throw Error(fmt::format(
        "the program holds machine code only{}, and no PTX to emulate; build it with {}",
        there.empty() ? "" : " (" + there + ")",
        kHowToBuild
    ));
}

}  // namespace wl::runtime
