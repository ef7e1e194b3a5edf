// The strings of .debug_str, which `.loc ... function_name` refers to by label.
#pragma once

#include "instrumentation/ptx/module.h"

#include <map>
#include <string>
#include <vector>

namespace wl::ptx {

struct DebugStrings {
    std::string bytes;                     // NUL-terminated strings, one behind the other
    std::map<std::string, size_t> labels;  // where each label stands in `bytes`
};

DebugStrings read_debug_strings(const Module& module);

// The string at label+offset; `label` or `label+offset` itself when the section does not reach there.
std::string string_at(const DebugStrings& strings, const std::string& label, uint64_t offset);
// For each name a label, with an offset if it needs one, that string_at() turns into the name.
std::vector<std::string> labels_of(const DebugStrings& strings, const std::vector<std::string>& names);

}  // namespace wl::ptx
