// Lists of paths in variables of the environment, as PATH and LD_LIBRARY_PATH are. An empty element of such a
// list means the current folder, where anybody's files lie: here nobody makes one, and nobody follows one.
#pragma once

#include <string>
#include <vector>

namespace wl {

// The value for `variable` that has `path` before what is there. Throws Error where `path` holds one of
// `separators`, as the list would then name other places.
std::string in_front(const std::string& path, const char* variable, const std::string& separators = ":");

std::vector<std::string> folders_of(const char* variable);  // those that are named, in order
std::string program_in_path(const std::string& name);       // the first that runs; empty: none

}  // namespace wl
