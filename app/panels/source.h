// The kernel's source as it was compiled, with the current line, findings, and the writer of the selected
// element.
#pragma once

#include "app/draw/highlight.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <vector>

namespace wl::app {

struct SourcePanel {
    int source = -1;                         // index in Capture::sources
    int followed = -1;                       // the site that was last scrolled to
    uint64_t capture = 0;                    // Session::captures the tokens belong to
    std::vector<std::vector<Token>> tokens;  // of `source`, by line
};
void draw(SourcePanel& panel, const Session& session, Selection& selection);

}  // namespace wl::app
