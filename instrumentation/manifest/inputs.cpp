// --inputs: a kind of fill, or a file.
#include "instrumentation/manifest/inputs.h"

#include "instrumentation/base/error.h"
#include "instrumentation/manifest/python.h"

#include <algorithm>
#include <cctype>

namespace wl::manifest {

std::vector<std::string> input_kinds() {
    std::vector<std::string> kinds = plain_fills();
    kinds.emplace_back(kNanPadding);
    return kinds;
}

Inputs open_inputs(const std::string& text) {
    Inputs inputs;
    inputs.nan_padding = text == kNanPadding;
    if (text.empty() || inputs.nan_padding) return inputs;
    if (text.ends_with(".npz")) {
        inputs.file = text;
        inputs.arrays = read_npz(text);
        return inputs;
    }
    inputs.fill = parse_fill(text, "--inputs", {kNanPadding});
    if (inputs.fill->kind == Fill::Kind::file)
        throw Error("--inputs " + text + " holds a single array: give several by name in a .npz.");
    return inputs;
}

const Tensor* find_array(const Inputs& inputs, const std::string& name) {
    const auto lower = [](std::string s) {
        std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
        return s;
    };
    const Tensor* found = nullptr;
    for (const Tensor& array : inputs.arrays) {
        if (array.name == name) return &array;
        if (!found && lower(array.name) == lower(name)) found = &array;
    }
    return found;
}

}  // namespace wl::manifest
