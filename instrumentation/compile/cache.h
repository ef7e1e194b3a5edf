// Compilations kept between runs, in $XDG_CACHE_HOME/warplens or ~/.cache/warplens. A cache that cannot be
// read or written costs time and nothing else.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wl::compile {

struct CacheEntry {
    std::string ptx, log;
    std::vector<std::string> lowered_names;
    std::string compiler;
};

std::string cache_folder();  // empty: neither XDG_CACHE_HOME nor HOME is set

// An entry that is absent, truncated or changed in any bit is no entry.
std::optional<CacheEntry> load_entry(const std::string& key);

// Whole or not at all: written aside and renamed. Keeps the newest entries when there are very many.
void store_entry(const std::string& key, const CacheEntry& entry);

}  // namespace wl::compile
