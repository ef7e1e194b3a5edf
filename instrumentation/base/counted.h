// A number of things as a sentence has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wl {

// "1 byte", "4 bytes"
inline std::string counted(uint64_t n, std::string_view one) {
    return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

}  // namespace wl
