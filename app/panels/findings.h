// What is wrong with the kernel, causes first; a click moves the selection to the witness.
#pragma once

#include "app/session/selection.h"
#include "app/session/session.h"

namespace wl::app {

struct FindingsPanel {
    int opened = -1;  // the finding that was last scrolled to
};
void draw(FindingsPanel& panel, const Session& session, Selection& selection);

}  // namespace wl::app
