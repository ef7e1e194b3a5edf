// How deep a TOML text nests, before a parser that recurses sees it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wl::manifest {

struct TooDeep {
    int line = 0;  // from 1
    std::string what;
};
// Nothing: brackets and parts of keys nest no deeper than any manifest needs.
std::optional<TooDeep> too_deep(std::string_view toml);

}  // namespace wl::manifest
