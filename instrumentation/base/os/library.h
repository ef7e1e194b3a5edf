// Libraries that are loaded while the program runs.
#pragma once

#include <string>

namespace wl {

using Library = void*;  // the loader's handle; null: none

// By a path, or by a name that the loader looks for. Null where it does not load; `library_problem` then says
// why. `stays`: its code is never unloaded.
Library load_library(const std::string& name, bool stays = false);
std::string library_problem();  // the loader's last words; may be empty
void unload_library(Library library);
void* symbol_of(Library library, const char* name);  // null: it has none of this name
std::string path_of(Library library);                // where the loader found it; empty: it does not say

// Puts the function of this name, of the library's type, in its place. False: there is none.
template <class Function>
bool bind_symbol(Library library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(symbol_of(library, name));
    return function != nullptr;
}

}  // namespace wl
