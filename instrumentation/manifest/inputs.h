// What --inputs puts in place of the manifest's fills: another kind of fill, or the arrays of a .npz.
#pragma once

#include "instrumentation/base/tensor.h"
#include "instrumentation/manifest/fill.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::manifest {

// The manifest's fills, with NaN in all that the reference does not read (padding.h).
constexpr const char* kNanPadding = "nan-padding";

struct Inputs {
    std::optional<Fill> fill;
    bool nan_padding = false;
    std::string file;  // the .npz, for messages; empty: none
    std::vector<Tensor> arrays;
};

// What --inputs takes beside a file, as its help and the window offer it.
std::vector<std::string> input_kinds();

// Empty text: no replacement. Throws Error on an unknown kind or an unreadable file.
Inputs open_inputs(const std::string& text);

// The array of an argument: the same name, else the same but for upper and lower case; nullptr when absent.
const Tensor* find_array(const Inputs& inputs, const std::string& name);

}  // namespace wl::manifest
