// Magic, application id, version, and the size that the file claims.
#include "instrumentation/capture/header.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace wl::capture {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

uint32_t big_endian(std::span<const std::byte> file, size_t offset, size_t bytes) {
    uint32_t value = 0;
    for (const std::byte b : file.subspan(offset, bytes)) value = value << 8 | std::to_integer<uint32_t>(b);
    return value;
}

}  // namespace

Header read_header(
    std::span<const std::byte> first, uint64_t held, const std::string& name, const FileKind& kind
) {
    const std::string what(kind.what);
    if (first.empty()) throw Error(name + " is empty: not a " + what + ".");
    const auto* text = reinterpret_cast<const char*>(first.data());
    const std::string_view begin(text, std::min(first.size(), kMagic.size()));
    if (!kMagic.starts_with(begin)) throw Error(name + " is not a WarpLens " + what + ".");
    if (held < kHeaderSize)
        throw Error(name + " is truncated: " + std::to_string(held) + " bytes are left. Record it again.");
    if (big_endian(first, 68, 4) != kind.application_id)
        throw Error(name + " is an SQLite database, but not a WarpLens " + what + ".");

    const uint32_t page_field = big_endian(first, 16, 2);
    const uint64_t page_size = page_field == 1 ? 65536 : page_field;
    const uint64_t size = page_size * big_endian(first, 28, 4);
    if (page_size < 512 || !std::has_single_bit(page_size) || size == 0)
        throw Error(name + " is damaged: its header gives no valid size. Record it again.");
    const std::string sizes = std::to_string(held) + " bytes, and " + std::to_string(size) + " were written";
    if (held < size) throw Error(name + " is truncated: it has " + sizes + ". Record it again.");
    if (held > size) throw Error(name + " is damaged: it has " + sizes + ". Record it again.");
    const uint32_t version = big_endian(first, 60, 4);
    return {version / 10000, version % 10000};
}

}  // namespace wl::capture
