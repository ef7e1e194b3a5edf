#include "app/session/plain_words.h"

#include <cctype>

namespace wl::app {

std::string plain_words(const std::string& said) {
    std::string out = said;
    const size_t colon = out.find(": ");
    if (out.starts_with("--") && colon != std::string::npos) out.erase(0, colon + 2);
    if (out.empty()) return out;
    out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
    if (!out.ends_with('.')) out += '.';
    return out;
}

}  // namespace wl::app
