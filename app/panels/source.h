// The kernel's source as it was compiled, with the current line, findings, and the writer of the selected
// element.
#pragma once

#include "app/draw/highlight.h"
#include "app/draw/source_ptx.h"
#include "app/session/commands.h"
#include "app/session/edit/find.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace wl::app {

struct SourcePanel {
    int source = -1;                               // index in Capture::sources
    int followed = -1;                             // the site that was last scrolled to
    int followed_line = 0;                         // the line where a step led, likewise
    std::optional<std::pair<int, int>> broken_at;  // site and line selected when a source did not compile
    int menu_line = 0;                             // whose menu is open
    std::array<char, 128> condition = {};          // of the breakpoint there, being typed
    SourceFind find;
    PtxView ptx;
    uint64_t capture = 0;                    // Session::captures the tokens belong to
    std::vector<std::vector<Token>> tokens;  // of `source`, by line
};
void draw(SourcePanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
