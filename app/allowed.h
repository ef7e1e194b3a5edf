// Which actions can be done now, and their keys.
#pragma once

#include "app/session/actions.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <string_view>

namespace wl::app {

bool can(Act act, const Session& session, const Selection& selection);

// What a stepping action says to the worker that travels: "back over"; nullptr: it is none.
const char* step_words(Act act);

// "Ctrl+Shift+P" as Dear ImGui has it; 0: no key is called that.
int chord_of(std::string_view keys);

}  // namespace wl::app
