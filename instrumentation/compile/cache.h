// Compilations kept between runs, in $XDG_CACHE_HOME/warplens or ~/.cache/warplens. A cache that cannot be
// read or written costs time and nothing else.
#pragma once

#include "instrumentation/compile/reads.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::compile {

struct CacheEntry {
    std::string ptx, log;
    std::vector<std::string> lowered_names;
    std::string compiler;
    std::vector<ReadFile> reads = {};  // what it was made of, beside what its key says
};

std::string cache_folder();  // empty: neither XDG_CACHE_HOME nor HOME is set

// An entry that is absent, truncated or changed in any bit is no entry, and none either when a file that it
// was made of is not as it was read then.
std::optional<CacheEntry> load_entry(const std::string& key);

// Whole or not at all: written aside and renamed. Keeps the newest entries when there are very many.
void store_entry(const std::string& key, const CacheEntry& entry);

}  // namespace wl::compile
