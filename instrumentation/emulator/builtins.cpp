// The table of functions that the machine provides.
#include "instrumentation/emulator/builtins.h"

#include <algorithm>
#include <span>

namespace wl::emulator {
namespace {

struct Row {
    std::string_view name;
    Exec exec;
};

std::span<const Row> table() { return {}; }

}  // namespace

Exec builtin_function(std::string_view name) {
    const auto rows = table();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
    return row == rows.end() ? nullptr : row->exec;
}

}  // namespace wl::emulator
