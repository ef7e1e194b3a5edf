// The driver is told no sizes: they are read from the headers.
#include "instrumentation/recorder/images.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <elf.h>

namespace wl::recorder {
namespace {

constexpr uint32_t kWrapper = 0x466243b1, kFatBinary = 0xba55ed50;

template <class T>
T at(const void* data, size_t offset) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(data) + offset, sizeof value);
    return value;
}

size_t fat_binary_bytes(const void* data) { return at<uint16_t>(data, 6) + at<uint64_t>(data, 8); }

// Of a cubin headers and sections follow its contents in any order.
size_t elf_bytes(const void* data) {
    const auto header = at<Elf64_Ehdr>(data, 0);
    uint64_t end = std::max<uint64_t>(
        header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize,
        header.e_phoff + uint64_t{header.e_phnum} * header.e_phentsize
    );
    for (size_t i = 0; i < header.e_shnum; ++i) {
        const auto section = at<Elf64_Shdr>(data, header.e_shoff + i * header.e_shentsize);
        if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
    }
    return end;
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

}  // namespace

Image image_at(const void* data) {
    bool stays = false;
    if (at<uint32_t>(data, 0) == kWrapper) {
        data = at<const void*>(data, 8);
        stays = true;
    }
    const auto* first = static_cast<const std::byte*>(data);
    if (at<uint32_t>(data, 0) == kFatBinary)
        return {
            {first, fat_binary_bytes(data)},
            stays
        };
    if (std::memcmp(data, ELFMAG, SELFMAG) == 0)
        return {
            {first, elf_bytes(data)},
            stays
        };
    return {
        {first, std::strlen(static_cast<const char*>(data))},
        stays
    };
}

bool defines(std::string_view ptx, std::string_view kernel) {
    constexpr std::string_view kEntry = ".entry";
    for (size_t place = ptx.find(kEntry); place != ptx.npos; place = ptx.find(kEntry, place + 1)) {
        size_t name = place + kEntry.size();
        while (name < ptx.size() && std::isspace(static_cast<unsigned char>(ptx[name])) != 0) ++name;
        const std::string_view rest = ptx.substr(name);
        if (rest.starts_with(kernel) && (rest.size() == kernel.size() || !is_name(rest[kernel.size()])))
            return true;
    }
    return false;
}

}  // namespace wl::recorder
