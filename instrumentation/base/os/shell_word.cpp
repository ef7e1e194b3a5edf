#include "instrumentation/base/os/shell_word.h"

#include "instrumentation/base/error.h"

namespace wl {

std::string shell_word(const std::string& bytes) {
    if (bytes.find('\0') != std::string::npos) throw Error("a word for a shell holds a NUL byte");
    std::string out = "'";
    for (const char c : bytes) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace wl
