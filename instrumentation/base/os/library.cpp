// dlopen(3). All symbols are resolved at once, and none are offered to other libraries.
#include "instrumentation/base/os/library.h"

#include <dlfcn.h>
#include <link.h>

namespace wl {

Library load_library(const std::string& name, bool stays) {
    return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | (stays ? RTLD_NODELETE : 0));
}

std::string library_problem() {
    const char* const problem = dlerror();
    return problem != nullptr ? problem : "";
}

void unload_library(Library library) {
    if (library != nullptr) dlclose(library);
}

void* symbol_of(Library library, const char* name) { return dlsym(library, name); }

std::string path_of(Library library) {
    link_map* map = nullptr;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr ? map->l_name : "";
}

}  // namespace wl
