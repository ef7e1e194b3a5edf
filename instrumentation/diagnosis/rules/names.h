// What findings are called: the one table of rules, which docs/cli.md lists.
#pragma once

#include <span>

namespace wl::diagnosis {

struct RuleName {
    const char* name;
    const char* says;
};
std::span<const RuleName> rule_names();

}  // namespace wl::diagnosis
