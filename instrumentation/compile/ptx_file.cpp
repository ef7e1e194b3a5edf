// A fat binary is a container (16 bytes of header, its magic first) of entries, each with a header of its
// own: kind, sizes, architecture, flags. Containers are looked for anywhere in the file, so that objects,
// programs and libraries serve, too.
#include "instrumentation/compile/ptx_file.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>
#include <zstd.h>

namespace wl::compile {
namespace {

constexpr std::string_view kMagic = "\x50\xed\x55\xba";
constexpr uint16_t kPtx = 1;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;   // flags of an entry
constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of one text

struct EntryHeader {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;  // behind the header, padded
    uint32_t compressed_bytes, options;
    uint16_t minor, major;  // of the PTX's version
    uint32_t architecture;  // 90
    uint32_t name_offset, name_bytes;
    uint64_t flags, reserved, whole_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

struct Found {
    uint32_t architecture = 0;
    std::string ptx;
};

// The block format of LZ4: a token of two lengths, literals, then a match by its distance.
std::optional<std::string> from_lz4(std::string_view in, uint64_t whole) {
    std::string out;
    size_t at = 0;
    const auto length = [&](size_t nibble) {
        size_t n = nibble;
        for (uint8_t more = 255; nibble == 15 && more == 255 && at < in.size(); n += more)
            more = static_cast<uint8_t>(in[at++]);
        return n;
    };
    while (at < in.size() && out.size() < whole) {
        const auto token = static_cast<uint8_t>(in[at++]);
        const size_t literals = length(token >> 4);
        if (literals > in.size() - at) return std::nullopt;
        out.append(in.substr(at, literals));
        at += literals;
        if (at + 2 > in.size() || out.size() >= whole) break;
        const size_t distance = static_cast<uint8_t>(in[at]) | static_cast<uint8_t>(in[at + 1]) << 8;
        at += 2;
        const size_t match = length(token & 15) + 4;
        if (distance == 0 || distance > out.size() || match > whole - out.size()) return std::nullopt;
        for (size_t i = 0; i < match; ++i) out += out[out.size() - distance];
    }
    return out.size() == whole ? std::optional(out) : std::nullopt;
}

std::optional<std::string> from_zstd(std::string_view in, uint64_t whole) {
    std::string out(whole, '\0');
    const size_t bytes = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
    return ZSTD_isError(bytes) == 0 && bytes == whole ? std::optional(out) : std::nullopt;
}

std::string without_zeros(std::string text) {
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
}

// The text of an entry whose header was checked to lie inside the file.
std::optional<std::string> text_of(const EntryHeader& header, std::string_view body) {
    if ((header.flags & (kLz4 | kZstd)) == 0) return std::string(body);
    if (header.whole_bytes > kMostBytes || header.compressed_bytes > body.size()) return std::nullopt;
    const std::string_view packed = body.substr(0, header.compressed_bytes);
    return (header.flags & kZstd) != 0 ? from_zstd(packed, header.whole_bytes)
                                       : from_lz4(packed, header.whole_bytes);
}

// `machine_code` gathers the architectures that there is machine code for.
std::vector<Found> texts_in(std::string_view file, std::vector<std::string>& machine_code) {
    std::vector<Found> found;
    for (size_t at = file.find(kMagic); at != file.npos; at = file.find(kMagic, at + 1)) {
        uint16_t header_bytes = 0;
        uint64_t bytes = 0;
        if (file.size() - at < 16) break;
        std::memcpy(&header_bytes, file.data() + at + 6, sizeof header_bytes);
        std::memcpy(&bytes, file.data() + at + 8, sizeof bytes);
        if (header_bytes < 16 || bytes > file.size() - at) continue;
        size_t entry = at + header_bytes;
        const size_t end = std::min(entry + bytes, file.size());
        while (end - entry >= sizeof(EntryHeader) && entry < end) {
            EntryHeader header;
            std::memcpy(&header, file.data() + entry, sizeof header);
            const size_t room = end - entry;
            if (header.header_bytes < sizeof header || header.header_bytes > room ||
                header.bytes > room - header.header_bytes)
                break;
            const std::string_view body = file.substr(entry + header.header_bytes, header.bytes);
            if (header.kind != kPtx)
                machine_code.push_back("sm_" + std::to_string(header.architecture));
            else if (auto text = text_of(header, body))
                found.push_back({header.architecture, without_zeros(*text)});
            entry += header.header_bytes + header.bytes;
        }
    }
    return found;
}

}  // namespace

bool is_ptx_file(const std::string& path) {
    const std::string suffix = std::filesystem::path(path).extension().string();
    constexpr std::array kSuffixes = {".ptx", ".cubin", ".fatbin", ".o", ".so"};
    for (const char* known : kSuffixes)
        if (suffix == known) return true;
    return false;
}

std::string newest_ptx(std::string_view file, std::vector<std::string>& machine_code) {
    std::string newest;
    uint32_t architecture = 0;
    for (Found& found : texts_in(file, machine_code))
        if (found.architecture >= architecture)
            architecture = found.architecture, newest = std::move(found.ptx);
    const bool elf = file.starts_with(
        "\x7f"
        "ELF"
    );
    if (!newest.empty() || elf || file.find(kMagic) != file.npos) return newest;
    return without_zeros(std::string(file));
}

std::string read_ptx_file(const std::string& path) {
    const std::string file = read_text_file(path);
    std::vector<std::string> machine_code;
    std::string ptx = newest_ptx(file, machine_code);
    if (ptx.empty() && !file.empty())
        throw Error(
            path + " holds machine code" + (machine_code.empty() ? "" : " for " + machine_code.front()) +
            " and no PTX, which is what WarpLens runs: build it with -gencode "
            "arch=compute_90,code=compute_90, or "
            "give the .ptx (nvcc --ptx, Triton's kernel.asm['ptx'])"
        );
    return ptx;
}

}  // namespace wl::compile
