// The run bar: which kernel, and all that decides its results; progress and cancel while the worker runs.
#pragma once

#include "app/session/commands.h"
#include "app/session/session.h"

#include <array>
#include <map>
#include <string>

namespace wl::app {

struct RunPanel {
    std::string kernel, fault, preset, inputs;        // empty: none, or the manifest's
    std::string on = "cpu";                           // who executes, as --on has it
    std::map<std::string, std::array<char, 64>> set;  // parameters by name; empty: the manifest's value
    std::array<char, 24> seed = {};
    std::array<char, 32> block = {};  // "X,Y,Z" to be recorded, too
    std::array<char, 64> host = {};   // USER@MACHINE that runs it, by ssh; empty: this one
    std::string remote_program;       // warplens there; empty: on its PATH
    uint64_t capture = 0;             // Session::captures that the choice was taken from
    uint64_t against = 0;             // Against::number that was looked at
    bool folds = false;               // one row: most fields stand behind a button
    bool banners = true;              // what is left to do, and what a capture names, stand below the fields
    float fields = 0;                 // pixels of the last frame: without what stands below the fields
    float height = 0;                 // with it
};

// Fields from left to right, in more rows where it is narrow; sets the height that they took.
void draw(RunPanel& panel, const Session& session, Commands& commands);

// Why a run with what the fields say cannot be asked for; empty: it can.
std::string refusal_of(const RunPanel& panel);

// The run that is chosen.
KernelOptions request_of(const RunPanel& panel, const Session& session);

// The fields as that run has them.
void take_request(RunPanel& panel, const Session& session, const KernelOptions& request);

// The field that the message of a run that did not start speaks of: "set/D", "fault", "block"; empty: none.
std::string field_of(const std::string& message);

}  // namespace wl::app
