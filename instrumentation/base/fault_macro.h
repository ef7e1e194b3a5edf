// The macro by which a kernel's source knows that a fault of its manifest is switched on.
#pragma once

#include <cctype>
#include <string>

namespace wl {

// "32x" -> "WL_FAULT_32X", "no-sync" -> "WL_FAULT_NO_SYNC".
inline std::string fault_macro(const std::string& fault) {
    std::string macro = "WL_FAULT_";
    for (const char c : fault) {
        const auto u = static_cast<unsigned char>(c);
        macro += std::isalnum(u) != 0 ? static_cast<char>(std::toupper(u)) : '_';
    }
    return macro;
}

}  // namespace wl
