// NumPy's array format (numpy.lib.format, versions 1 to 3) in memory.
#pragma once

#include "instrumentation/base/tensor.h"

#include <string>
#include <string_view>

namespace wl::manifest {

// `where` names file and member for messages: "golden.npz: member q.npy".
Tensor parse_npy(std::string_view bytes, const std::string& name, const std::string& where);

std::string npy_of(const Tensor& tensor);  // formats that numpy lacks as float32, exactly
void write_npy(const std::string& path, const Tensor& tensor);

}  // namespace wl::manifest
