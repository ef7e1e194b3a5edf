// Where the selection has been: back and forward, as in a browser.
#pragma once

#include "app/session/selection.h"

#include <vector>

namespace wl::app {

struct History {
    std::vector<Selection> past, future;
    Selection here;        // the place that was left last, or is held now
    uint64_t capture = 0;  // Session::captures that the places belong to
};

// After a frame: the place that the selection has left is remembered, once no button is held (a drag is one
// move). Of another capture all is forgotten.
void remember(History& history, const Selection& now, uint64_t capture, bool held);

bool go_back(History& history, Selection& selection);  // false: there is nothing
bool go_forward(History& history, Selection& selection);

}  // namespace wl::app
