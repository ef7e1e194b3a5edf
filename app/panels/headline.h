// What is wrong, above all panels: the sentence, the line as it is and as it should be, and what can be done.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <optional>

namespace wl::app {

struct HeadlinePanel {
    std::optional<bool>
        open;          // both lines of the source are shown, as the user chose; nothing: where there is room
    float height = 0;  // pixels of the last frame; 0: there is no finding
};
// From `top` on, as wide as the window; sets the height.
void draw(HeadlinePanel& panel, const Session& session, Selection& selection, Commands& commands, float top);

}  // namespace wl::app
