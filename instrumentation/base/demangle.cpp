// CUDA's compilers mangle by the Itanium C++ ABI, as the C++ library here does.
#include "instrumentation/base/demangle.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace wl {

std::string demangle(const std::string& name) {
    if (!name.starts_with("_Z")) return name;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free
    );
    return status == 0 && plain != nullptr ? plain.get() : name;
}

}  // namespace wl
