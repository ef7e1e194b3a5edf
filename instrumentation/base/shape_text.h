// Extents as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wl {

// "(77, 100)", "(64,)": as NumPy writes a shape.
inline std::string shape_text(const std::vector<int64_t>& shape) {
    std::string out;
    for (const int64_t extent : shape) out += (out.empty() ? "" : ", ") + std::to_string(extent);
    return "(" + out + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace wl
