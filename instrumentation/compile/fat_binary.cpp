// Read by offset.
#include "instrumentation/compile/fat_binary.h"

#include "instrumentation/compile/lz4.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_createDCtx_advanced
#include <zstd.h>

namespace wl::compile {
namespace {

constexpr uint16_t kPtx = 1, kMachineCode = 2;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;   // flags of an entry
constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of one text
constexpr uint64_t kAlways = uint64_t{1} << 16,
                   kTimes = 1000;  // bytes that any entry may unpack to; as many of each

struct ContainerHeader {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;  // behind the header
};

struct EntryHeader {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;  // behind the header, padded
    uint32_t compressed_bytes, options;
    uint16_t minor, major;  // of the PTX's version
    uint32_t architecture;
    uint32_t name_offset, name_bytes;
    uint64_t flags, reserved, whole_bytes;
};
static_assert(sizeof(ContainerHeader) == 16 && sizeof(EntryHeader) == 64);

// What it works with comes from operator new, and not from malloc: in a program under test its heap is not
// ours.
void* take(void* /*opaque*/, size_t bytes) { return ::operator new(bytes, std::nothrow); }
void give(void* /*opaque*/, void* at) { ::operator delete(at); }

std::optional<std::string> from_zstd(std::string_view in, uint64_t whole) {
    std::string out(whole, '\0');
    const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(
        ZSTD_createDCtx_advanced({take, give, nullptr}), ZSTD_freeDCtx
    );
    if (context == nullptr) return std::nullopt;
    const size_t bytes = ZSTD_decompressDCtx(context.get(), out.data(), out.size(), in.data(), in.size());
    return ZSTD_isError(bytes) == 0 && bytes == whole ? std::optional(out) : std::nullopt;
}

FatEntry entry_of(const EntryHeader& header, std::string_view body) {
    FatEntry entry{
        header.kind == kPtx,
        header.kind == kMachineCode,
        header.architecture,
        (header.flags & kZstd) != 0      ? Packing::zstd
            : (header.flags & kLz4) != 0 ? Packing::lz4
                                         : Packing::none,
        body,
        header.whole_bytes};
    if (entry.packing != Packing::none)
        entry.body = header.compressed_bytes <= body.size() ? body.substr(0, header.compressed_bytes) : "";
    return entry;
}

}  // namespace

uint64_t fat_binary_bytes(const char* begin) {
    ContainerHeader header;
    std::memcpy(&header, begin, sizeof header);
    if (std::memcmp(begin, kFatBinaryMagic.data(), kFatBinaryMagic.size()) != 0 ||
        header.header_bytes < sizeof header)
        return 0;
    return header.header_bytes + header.bytes;
}

FatBinary read_fat_binary(std::string_view container) {
    FatBinary out;
    ContainerHeader container_header;
    std::memcpy(&container_header, container.data(), sizeof container_header);
    size_t at = std::min<size_t>(container_header.header_bytes, container.size());
    while (container.size() - at >= sizeof(EntryHeader)) {
        EntryHeader header;
        std::memcpy(&header, container.data() + at, sizeof header);
        const size_t room = container.size() - at;
        if (header.header_bytes < sizeof header || header.header_bytes > room ||
            header.bytes > room - header.header_bytes) {
            out.is_whole = false;
            break;
        }
        out.entries.push_back(entry_of(header, container.substr(at + header.header_bytes, header.bytes)));
        at += header.header_bytes + header.bytes;
    }
    return out;
}

std::optional<std::string> ptx_of(const FatEntry& entry) {
    std::optional<std::string> text;
    if (entry.packing == Packing::none)
        text = std::string(entry.body);
    else if (entry.expanded_bytes <= std::min(kMostBytes, std::max(kAlways, kTimes * entry.body.size())))
        text = entry.packing == Packing::zstd
            ? from_zstd(entry.body, entry.expanded_bytes)
            : expand_lz4(std::as_bytes(std::span(entry.body)), entry.expanded_bytes);
    while (text && !text->empty() && text->back() == '\0') text->pop_back();
    return text;
}

}  // namespace wl::compile
