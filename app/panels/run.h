// Which kernel to run, with which fault and shape; progress and cancel while the worker runs.
#pragma once

#include "app/session/commands.h"
#include "app/session/session.h"

#include <array>
#include <string>

namespace wl::app {

struct RunPanel {
    std::string kernel, fault, preset;  // fault, preset: empty for none
    std::string on = "cpu";             // who executes, as --on has it
    std::array<char, 64> shape = {};    // "B,H,S,D"; empty: the manifest's
    uint64_t capture = 0;               // Session::captures that the choice was taken from
};
void draw(RunPanel& panel, const Session& session, Commands& commands);

}  // namespace wl::app
