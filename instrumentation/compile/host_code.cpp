// Words that only host code has.
#include "instrumentation/compile/host_code.h"

#include "instrumentation/compile/cpp_text.h"
#include "instrumentation/compile/stand_ins.h"

#include <algorithm>
#include <cctype>

namespace wl::compile {
namespace {

// Headers of C++ have no suffix; Thrust's are made of them.
void find_includes(const std::string& code, std::vector<HostNeed>& found) {
    for (size_t at = code.find("#include"); at != std::string::npos; at = code.find("#include", at + 1)) {
        const size_t open = code.find_first_not_of(" \t", at + 8);
        if (open == std::string::npos || code[open] != '<') continue;
        const size_t close = code.find('>', open);
        if (close == std::string::npos) continue;
        const std::string name = code.substr(open + 1, close - open - 1);
        const bool library = name.find_first_of("./") == std::string::npos && !is_stand_in(name);
        if (!library && !name.starts_with("thrust/")) continue;
        found.push_back({line_at(code, at), "<" + name + "> is of the host's C++ library"});
        return;
    }
}

void find_main(const std::string& code, std::vector<HostNeed>& found) {
    const size_t at = find_word(code, "main");
    if (at == std::string::npos) return;
    const size_t next = code.find_first_not_of(" \t", at + 4);
    if (next != std::string::npos && code[next] == '(')
        found.push_back({line_at(code, at), "main is code of the host"});
}

void find_launch(const std::string& code, std::vector<HostNeed>& found) {
    const size_t at = code.find("<<<");
    if (at != std::string::npos) found.push_back({line_at(code, at), "<<<...>>> is a launch by the host"});
}

// cudaMalloc(...): of the runtime's functions, not of types such as cudaTextureObject_t.
void find_runtime(const std::string& code, std::vector<HostNeed>& found) {
    for (size_t at = code.find("cuda"); at != std::string::npos; at = code.find("cuda", at + 1)) {
        if (at > 0 && is_word_char(code[at - 1])) continue;
        size_t end = at + 4;
        if (end >= code.size() || std::isupper(static_cast<unsigned char>(code[end])) == 0) continue;
        while (end < code.size() && is_word_char(code[end])) ++end;
        if (end == code.size() || code[end] != '(') continue;
        found.push_back({line_at(code, at), code.substr(at, end - at) + " is of the host's CUDA runtime"});
        return;
    }
}

}  // namespace

std::vector<HostNeed> host_needs(const std::string& source) {
    const std::string code = code_of(source);
    std::vector<HostNeed> found;
    find_includes(code, found);
    find_runtime(code, found);
    find_main(code, found);
    find_launch(code, found);
    std::stable_sort(found.begin(), found.end(), [](const HostNeed& a, const HostNeed& b) {
        return a.line < b.line;
    });
    return found;
}

}  // namespace wl::compile
