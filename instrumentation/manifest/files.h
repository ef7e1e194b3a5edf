// Which files a kernel is made of, and one hash of all of them.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace wl::manifest {

// Of a .toml: it, its source with the headers that it names, its reference with the modules beside it that it
// names (of a reference that is a kernel all of that kernel's), files of fills. Absolute, without links.
// Throws Error where the manifest is wrong.
std::set<std::filesystem::path> files_of(const std::string& toml);

// Of these files, by name relative to the manifest's folder and content: another folder gives the same. Of a
// file that is no .toml its own content alone. Throws Error where one cannot be read.
std::string content_of(const std::string& path);

}  // namespace wl::manifest
