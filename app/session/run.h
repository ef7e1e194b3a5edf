// A kernel is run by a worker.
#pragma once

#include "app/session/state.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::app {

// Where the change that mends is written, if one is found.
std::string fix_beside(const std::string& capture);

// The words of `warplens run`.
std::vector<std::string> command_line(
    const KernelOptions& request, const std::string& program, const std::string& capture
);

// What kept the worker from compiling; nothing: something else, or in a file that is not there.
std::optional<Broken> broken_by(const Worker& worker);

void run(Session& session, const KernelOptions& request);  // an Error becomes the message
bool may_run(const Session& session);  // no worker runs, or none but one that looks for causes
void end_causes(Session& session);     // of a run whose verdict is shown

}  // namespace wl::app
