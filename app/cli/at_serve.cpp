// Questions by line on stdin: how the window, or an editor, travels through one block.
#include "app/cli/at.h"
#include "app/cli/parse.h"
#include "instrumentation/base/error.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace wl::app {

namespace {

using Trips = std::map<std::pair<std::string, std::string>, std::unique_ptr<Trip>>;  // by build and block

nlohmann::ordered_json answer_line(const Command& command, const std::string& line, Trips& trips) {
    nlohmann::ordered_json j{
        {"asked", line}
    };
    try {
        const AtOptions o = parse_at(line);
        std::unique_ptr<Trip>& trip = trips[{o.build, o.block}];
        if (!trip) trip = make_trip(command, o);
        j.update(report_json(answer(*trip, o)));
    } catch (const std::runtime_error& problem) { j["error"] = problem.what(); }
    return j;
}

}  // namespace

int serve_at(const Command& command) {
    Trips trips;
    for (std::string line; std::getline(std::cin, line);) {
        const std::string text = answer_line(command, line, trips).dump() + "\n";
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
    return kExitOk;
}

}  // namespace wl::app
