// A kernel that no manifest describes yet: `warplens init` in a worker writes one, which is opened then.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <string>
#include <vector>

namespace wl::app {

void describe(Session& session);  // an Error becomes the message
// What is left to do for a verdict, as the latest run shows: a reference that compares is written, a part
// that the manifest no longer names as assumed is checked.
std::vector<std::string> still_left(const Session& session);

// True: something changed. What does not compile stands in Source, as after a run.
bool hear_describing(Session& session, Selection& selection);

}  // namespace wl::app
