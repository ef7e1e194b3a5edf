// The wrapper that a program registers lies in no file: it points at its fat binary.
#include "instrumentation/runtime/fat_binary.h"

#include "instrumentation/base/error.h"
#include "instrumentation/compile/fat_binary.h"
#include "instrumentation/ptx/link.h"
#include "instrumentation/runtime/host_access.h"
#include "instrumentation/runtime/origin.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1;
constexpr uint32_t kLinked = 2;  // version of a wrapper
constexpr size_t kMagic = 8;
constexpr const char* kNotThere = "the program loads a module from memory that is not there";

struct Wrapper {
    uint32_t magic, version;
    const std::byte* data;
    const void*
        more;  // version 2: pointers to the fat binaries that were linked into `data`, the last one null
};

template <class T>
T read(const std::byte* at) {
    T out;
    std::memcpy(&out, at, sizeof out);
    return out;
}

std::string text_of(const compile::FatEntry& entry) {
    if (auto text = compile::ptx_of(entry)) return std::move(*text);
    throw Error(fmt::format(
        "a fat binary of the program is damaged ({})", entry.packing == compile::Packing::lz4 ? "LZ4" : "zstd"
    ));
}

void add_images(const std::byte* data, std::vector<Image>& out) {
    const char* const begin = reinterpret_cast<const char*>(data);
    constexpr size_t kHeader = 16;
    if (!is_readable(data, kHeader)) throw Error(kNotThere);
    const uint64_t bytes = compile::fat_binary_bytes(begin);
    if (bytes == 0)
        throw Error(fmt::format(
            "what the program registered is no fat binary: it begins with {:#x}", read<uint32_t>(data)
        ));
    if (!is_readable(data, bytes)) throw Error(kNotThere);
    const compile::FatBinary binary = compile::read_fat_binary({begin, bytes});
    if (!binary.is_whole) throw Error("a fat binary of the program is damaged: an entry ends past its end");
    for (const compile::FatEntry& entry : binary.entries) {
        const int arch = static_cast<int>(entry.architecture);
        if (entry.is_ptx) out.push_back({true, arch, text_of(entry)});
        if (entry.is_machine_code) out.push_back({false, arch, {}});
    }
}

bool has_ptx(const std::vector<Image>& images) {
    return std::any_of(images.begin(), images.end(), [](const Image& i) { return i.is_ptx; });
}

// What nvlink made one of is machine code; beside it stands each file's own fat binary, which may hold PTX.
void add_linked(const Wrapper& w, std::vector<Image>& out) {
    std::vector<std::string> texts;
    int arch = 0;
    for (const auto* part = static_cast<const std::byte* const*>(w.more); part != nullptr && *part != nullptr;
         ++part) {
        std::vector<Image> images;
        add_images(*part, images);
        if (!has_ptx(images)) return;  // `chosen` says what a program has to be built with
        texts.push_back(chosen(images, *part).ptx);
        arch = std::max(arch, chosen(images, *part).arch);
    }
    if (!texts.empty()) out.push_back({true, arch, ptx::linked(texts)});
}

}  // namespace

std::vector<Image> images_in(const void* data) {
    const auto* bytes = static_cast<const std::byte*>(data);
    std::vector<Image> out;
    // Plain PTX may be shorter than any of the other forms.
    if (std::string text; !is_readable(data, kMagic)) {
        if (!read_text(static_cast<const char*>(data), text)) throw Error(kNotThere);
        out.push_back({true, 0, std::move(text)});
        return out;
    }
    if (std::memcmp(bytes, compile::kFatBinaryMagic.data(), compile::kFatBinaryMagic.size()) == 0)
        add_images(bytes, out);
    else if (read<uint32_t>(bytes) == kWrapperMagic)
        return images_of(data);
    else if (std::memcmp(bytes, "\x7f" "ELF", 4) == 0)
        out.push_back({false, 0, {}});
    else if (std::string text; read_text(static_cast<const char*>(data), text))
        out.push_back({true, 0, std::move(text)});
    else
        throw Error(kNotThere);
    return out;
}

std::vector<Image> images_of(const void* wrapper) {
    if (!is_readable(wrapper, sizeof(Wrapper))) throw Error(kNotThere);
    const auto w = read<Wrapper>(static_cast<const std::byte*>(wrapper));
    if (w.magic != kWrapperMagic)
        throw Error("the program registers its kernels in a form that is not known");
    std::vector<Image> out;
    add_images(w.data, out);
    if (w.version == kLinked && !has_ptx(out)) add_linked(w, out);
    return out;
}

const Image& chosen(const std::vector<Image>& images, const void* from) {
    const Image* best = nullptr;
    for (const Image& image : images)
        if (image.is_ptx && (best == nullptr || image.arch > best->arch)) best = &image;
    if (best != nullptr) return *best;
    std::string there;
    for (const Image& image : images)
        if (image.arch != 0) there += fmt::format("{}sm_{}", there.empty() ? "" : ", ", image.arch);
    throw Error(about_machine_code(from, there.empty() ? "" : " (" + there + ")"));
}

}  // namespace wl::runtime
