// The right button on an element: what can be asked about it.
#include "app/draw/numbers.h"
#include "app/panels/heatmaps.h"
#include "app/session/navigate.h"

#include <string>

namespace wl::app {

void open_cell_menu(const Session& session, Selection& selection, Element at) {
    select_element(session, selection, at);
    ImGui::OpenPopup("cell");
}

void draw_cell_menu(const Session& session, const Selection& selection, Commands& commands) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(8), px(8)));
    if (ImGui::BeginPopup("cell")) {
        const TileView& tile = session.current;
        const Element at = selection.element;
        const bool inside = exists(at) && at.row < tile.data.rows && at.col < tile.data.cols;
        const auto item = [&](const char* label, const char* keys, const char* id) {
            const bool chosen = ImGui::MenuItem(label, keys, false, inside);
            register_last_item(std::string("heat/menu/") + id);
            return chosen;
        };
        if (item("Where it comes from", "", "provenance")) commands.panel = "Provenance";
        for (const Act act : {Act::writes, Act::back_write, Act::write, Act::record, Act::export_tile}) {
            const Action& action = action_of(act);
            if (item(action.name, action.keys, action.id)) commands.acts.push_back(act);
        }
        if (item("Copy the value", "", "copy"))
            ImGui::SetClipboardText(number(tile.data.got(at.row, at.col), 9).c_str());
        end_popup();
    }
    ImGui::PopStyleVar();
}

}  // namespace wl::app
