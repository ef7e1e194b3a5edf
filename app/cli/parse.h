// Words of the command line into a Command, and the nearest known word to a misspelt one.
#pragma once

#include "app/cli/options.h"

#include <optional>

namespace wl::app {

struct Parsed {
    Command command;
    std::optional<int> exit;  // help and version were printed: leave with this status
};

// Throws Error on unknown verbs and options (with the nearest known one) and on values of a wrong kind.
Parsed parse_command(int argc, char** argv);

// The options of `at` that name an instant, as typed. Throws Error.
AtOptions parse_at(const std::string& words);
WhyOptions parse_why(const std::string& words);  // likewise: an element

}  // namespace wl::app
