// Every lane of one warp at one instant: a row a variable or watch, a column a lane; and the ways to another
// instant.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

// Where the panel stands: what the selection asks for, and the steps that were taken from there.
struct LanesPanel {
    bool debug = true;                 // the build that is asked: source variables by name
    int64_t hit = 0;                   // arrivals at the line from there; negative: before
    int64_t step = 0;                  // instructions of the warp from there
    std::array<char, 128> watch = {};  // the expression being typed
    std::array<char, 128> until = {};  // the condition being typed
    std::string condition;             // stop only where this is true for a lane; empty: anywhere
    std::vector<std::string> watches;  // shown besides the variables
    std::string instant, line, base;   // the selection's part of the question, and both together
    std::string question;              // the last one that was asked
    int followed = -1;                 // the site that this panel itself selected
    uint64_t capture = 0;              // Session::captures that it belongs to
};
void draw(LanesPanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
