// CUDA's compilers mangle by the Itanium C++ ABI, as the C++ library here does.
#include "instrumentation/base/demangle.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace wl {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Without spaces, the result's type, and what says the type of a number: "(Mode)1" and "1u" are "1".
std::string plain_name(std::string name) {
    if (name.starts_with("void ")) name.erase(0, 5);
    std::erase(name, ' ');
    std::string out;
    for (size_t i = 0; i < name.size(); ++i) {
        const size_t close = name[i] == '(' ? name.find_first_of("(),<>*&", i + 1) : name.npos;
        if (close != name.npos && name[close] == ')' && close + 1 < name.size() &&
            is_digit(name[close + 1])) {
            i = close;
        } else if ((name[i] == 'u' || name[i] == 'l') && !out.empty() && is_digit(out.back()) &&
                   (i + 1 == name.size() || std::string_view(",>ul").find(name[i + 1]) != std::string_view::npos)) {
            while (i + 1 < name.size() && (name[i + 1] == 'u' || name[i + 1] == 'l')) ++i;
        } else {
            out += name[i];
        }
    }
    return out;
}

}  // namespace

std::string demangle(const std::string& name) {
    if (!name.starts_with("_Z")) return name;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free
    );
    return status == 0 && plain != nullptr ? plain.get() : name;
}

std::string variable_name(const std::string& symbol) {
    constexpr std::string_view kNobody = "(anonymous namespace)::";
    const std::string name = demangle(symbol);
    std::string out = name.substr(name.starts_with("_INTERNAL_") ? name.find("::") + 2 : 0);
    for (size_t at = out.find(kNobody); at != out.npos; at = out.find(kNobody)) out.erase(at, kNobody.size());
    const size_t open = out.find('('), close = out.rfind(")::");
    return open < close && close != out.npos ? out.erase(open, close + 1 - open) : out;
}

bool is_name_of(const std::string& wanted, const std::string& symbol) {
    if (wanted == symbol) return true;
    const std::string ours = plain_name(wanted), theirs = plain_name(demangle(symbol));
    if (ours.empty() || !theirs.starts_with(ours)) return false;
    const char next = theirs.size() == ours.size() ? '\0' : theirs[ours.size()];
    return next == '\0' || next == '(' || (next == '<' && ours.find('<') == ours.npos);
}

}  // namespace wl
