// A kernel that no manifest describes yet: `warplens init` in a worker writes one, which is opened then.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <string>

namespace wl::app {

void describe(Session& session);  // an Error becomes the message
// True: something changed. What does not compile stands in Source, as after a run.
bool hear_describing(Session& session, Selection& selection);

}  // namespace wl::app
