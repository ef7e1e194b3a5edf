// The menus, made of the table of actions, and the small dialogues that ask for a path. Nothing is modal.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <imgui.h>

#include <array>

namespace wl::app {

struct Workspace;

enum class Asks : uint8_t { nothing, open, open_b, save, export_tile, report, editor };
struct Dialogs {
    Asks asks = Asks::nothing;         // which one shall open
    Asks shown = Asks::nothing;        // which one does
    std::array<char, 1024> text = {};  // of its field
};

void draw_menus(
    Workspace& workspace, const Session& session, const Selection& selection, Commands& commands, ImVec2& at
);
void draw_dialogs(
    Workspace& workspace, const Session& session, const Selection& selection, Commands& commands
);

}  // namespace wl::app
