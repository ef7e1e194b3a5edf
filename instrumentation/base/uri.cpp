#include "instrumentation/base/uri.h"

#include <cctype>
#include <string_view>

namespace wl {

std::string percent_encoded(const std::string& path) {
    constexpr std::string_view kPlain = "-._~/", kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos)
            out += c;
        else
            out.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
    }
    return out;
}

}  // namespace wl
