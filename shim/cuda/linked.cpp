// PTX found in what is linked.
#include "shim/cuda/linked.h"

#include "instrumentation/base/error.h"
#include "instrumentation/compile/fat_binary.h"
#include "instrumentation/ptx/link.h"
#include "instrumentation/runtime/fat_binary.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace wl::cuda {
namespace {

bool is_device_runtime(const LinkInput& input) { return input.name.find("cudadevrt") != std::string::npos; }

std::string ptx_in(const LinkInput& input) {
    std::string text = input.bytes.substr(0, input.bytes.find('\0'));
    const auto is_binary = [](char c) { return static_cast<unsigned char>(c) >= 0x7f; };
    const auto head = static_cast<std::ptrdiff_t>(std::min<size_t>(text.size(), 4));
    const bool is_text = std::none_of(text.begin(), text.begin() + head, is_binary);
    if (is_text && text.find(".version") != std::string::npos) return text;
    if (input.bytes.starts_with(compile::kFatBinaryMagic)) {
        const std::vector<runtime::Image> images = runtime::images_in(input.bytes.data());
        const bool any = std::any_of(images.begin(), images.end(), [](const auto& i) { return i.is_ptx; });
        if (any) return runtime::chosen(images, input.bytes.data()).ptx;
    }
    throw Error(fmt::format(
        "the program links {}, which is machine code, a compiler's own form, or no module; the emulator "
        "links "
        "PTX",
        input.name
    ));
}

}  // namespace

std::string linked(const std::vector<LinkInput>& inputs) {
    std::vector<std::string> texts;
    for (const LinkInput& input : inputs)
        if (!is_device_runtime(input)) texts.push_back(ptx_in(input));
    if (texts.empty()) throw Error("the program links nothing that holds PTX");
    return ptx::linked(texts);
}

}  // namespace wl::cuda
