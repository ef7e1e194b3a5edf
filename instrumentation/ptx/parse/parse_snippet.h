// Statements as they stand in a body, read with the names of a function that is already there.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wl::ptx {

// Labels are instructions of the function as it is, or, from -2 downwards, of the snippet itself: see
// own_label().
struct Snippet {
    std::vector<Instruction> code;
    std::map<std::string, int32_t> labels;  // its own, by unique names: instructions of `code`
    size_t first_list = 0, lists = 0;       // of Function::branch_targets, those that it declares
};
constexpr int32_t own_label(int32_t k) { return -2 - k; }  // its own inverse

// Adds what the texts declare (registers, local variables, lists, prototypes, marks) to `declarations`, which
// is the function without its code. Each text is a scope of its own: its names are made unique. Throws Error.
std::vector<Snippet> parse_snippets(
    const Module& module, Function& declarations, const std::vector<std::string_view>& texts
);

// A name that is none of the function's, the module's or a special register's; one with `$1`, `$2` ...
// behind.
std::string fresh_name(const Module& module, const Function& function, std::string_view name);

}  // namespace wl::ptx
