// The table of functions that the machine provides.
#include "instrumentation/emulator/exec/builtins.h"

#include <algorithm>
#include <iterator>

namespace wl::emulator {
namespace {

struct Row {
    std::string_view name;
    Exec (*exec)();
};

constexpr Row kTable[] = {
    {"vprintf",      builtin_vprintf   },
    {"__assertfail", builtin_assertfail},
    {"malloc",       builtin_malloc    },
    {"free",         builtin_free      },
};

}  // namespace

Exec builtin_function(std::string_view name) {
    const auto* row =
        std::find_if(std::begin(kTable), std::end(kTable), [&](const Row& r) { return r.name == name; });
    return row == std::end(kTable) ? nullptr : row->exec();
}

}  // namespace wl::emulator
