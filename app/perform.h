// What every action does.
#pragma once

#include "app/app.h"
#include "app/session/actions.h"

#include <string>

namespace wl::app {

// Beyond what it changes itself it may add to the commands, which are carried out after it.
void perform(App& app, Act act, Commands& commands);

// The actions whose shortcut was pressed since the last frame.
void take_keys(App& app, Commands& commands);

}  // namespace wl::app
