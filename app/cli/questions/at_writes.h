// Every write to an element, as `at --writes` answers.
#pragma once

#include "app/cli/questions/at.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace wl::app {

struct ElementWrite {
    travel::Written write;
    std::string place, instruction;
    std::string left;  // the value until the next write; empty: not mapped
};

struct WritesAnswer {
    std::string kernel, build, element;
    std::vector<std::string> faults;
    int64_t block = 0;
    bool global = false;  // other blocks may write there, too
    std::vector<ElementWrite> writes;
};
// Throws Error when the text names no bytes.
WritesAnswer answer_writes(Trip& trip, const AtOptions& o);

std::string writes_text(const WritesAnswer& r);
nlohmann::ordered_json writes_json(const WritesAnswer& r);

int show_writes(const Command& command, Trip& trip);  // on stdout

}  // namespace wl::app
