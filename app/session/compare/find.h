// The next tile in which A and B differ, for the window: it goes on while the search does.
#pragma once

#include "app/session/state.h"

namespace wl::app {

// Begins behind that tile; of that mark alone unless `probe` is -1. One search at a time: the last one asked
// for. It ends when B goes or becomes another, and when another tile is selected meanwhile.
void find_difference(Session& session, const Selection& selection, int tile, int probe = -1);

// Says how far it is, and selects what it found. True: something changed.
bool hear_difference(Session& session, Selection& selection);

}  // namespace wl::app
