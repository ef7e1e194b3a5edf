// A small fitted map beside its legend; the map shares the cross-hair of the heatmaps.
#include "app/panels/ownership.h"

#include "app/draw/heat_pane.h"
#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <string>

namespace wl::app {

namespace {

int owner_warp(const TileView& tile, Element at) {
    if (!exists(at) || at.row >= tile.data.rows || at.col >= tile.data.cols) return -1;
    return tile.data.owner(at.row, at.col).warp;
}

// Of a block's tile all its warps: one that wrote nothing may be the fault.
int warps_shown(const Session& session, const Selection& selection) {
    const int wrote = static_cast<int>(session.current.ownership.by_warp.size());
    const capture::Tile* tile = tile_of(session, selection);
    const bool of_block = tile != nullptr && tile->block >= 0 && tile->warp < 0;
    return of_block ? std::max(wrote, warps_of_block(session.capture.launch)) : wrote;
}

void draw_legend(const Session& session, Selection& selection) {
    const TileView& tile = session.current;
    const analysis::Ownership& ownership = tile.ownership;
    const auto of = [](const std::vector<int64_t>& counts, int warp) {
        return warp < static_cast<int>(counts.size()) ? counts[static_cast<size_t>(warp)] : int64_t{0};
    };
    const float height = px(size::kRow), width = ImGui::GetContentRegionAvail().x;
    const int shown = owner_warp(tile, exists(selection.hovered) ? selection.hovered : selection.element);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    const int warps = warps_shown(session, selection);
    for (int warp = 0; warp < warps; ++warp) {
        const int64_t elements = of(ownership.by_warp, warp), bad = of(ownership.bad_by_warp, warp);
        const ImVec2 low = ImGui::GetCursorScreenPos();
        const Box box{
            low, {low.x + width, low.y + height}
        };
        if (press(box, "ownership/w" + std::to_string(warp))) selection.warp = warp;
        if (elements == 0 && ImGui::IsItemHovered())
            tooltip("warp " + std::to_string(warp) + " wrote no element of this tile");
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (warp == shown || warp == selection.warp || ImGui::IsItemHovered()) {
            list->AddRectFilled(
                box.low,
                box.high,
                warp == shown ? colour::kRaised : colour::with_alpha(colour::kRaised, 130),
                px(3)
            );
        }
        swatch({low.x + px(6), low.y + px(6)}, px(10), colour::of(warp_colour(warp)));
        const float top = middle(low.y, height, Face::small_numbers);
        put({low.x + px(22), top}, {Face::small_numbers, colour::kText}, "w" + std::to_string(warp));
        put_right(
            {low.x + width - px(46), top},
            {Face::small_numbers, elements > 0 ? colour::kFaint : colour::kWarning},
            count_text(elements)
        );
        put_right(
            {low.x + width - px(6), top},
            {Face::small_numbers, bad > 0 ? colour::kBad : colour::kFaint},
            count_text(bad)
        );
    }
    ImGui::PopStyleVar();
}

void draw_never(const analysis::Ownership& ownership, ImVec2 at, float width) {
    if (ownership.never_written == 0) return;
    std::string text = count_text(ownership.never_written) + " never written";
    if (!ownership.rows_never_written.empty()) {
        const auto [first, last] = ownership.rows_never_written.front();
        text += ": rows " + std::to_string(first) + "-" + std::to_string(last);
    }
    put_clipped(at, width, {Face::small_words, colour::kWarning}, text);
}

// "[3, 0]  warp 2 lane 5, v2c_3.cu:118"
std::string owner_text(const capture::Capture& capture, const TileView& tile, Element at) {
    const capture::Owner owner = tile.data.owner(at.row, at.col);
    const std::string place = place_text(capture, static_cast<int>(owner.site));
    return "[" + std::to_string(at.row) + ", " + std::to_string(at.col) + "]  " +
        (owner.warp == capture::Owner::kNobody ? "never written"
                                               : "warp " + std::to_string(owner.warp) + " lane " +
                 std::to_string(owner.lane) + (place.empty() ? "" : ", " + place));
}

}  // namespace

Element draw_owner_map(
    OwnershipPanel& panel, const Session& session, Selection& selection, const OwnerMap& map, Box box
) {
    const TileView& tile = session.current;
    HeatPane pane;
    pane.tile = &tile;
    pane.layer = map.marked;
    pane.style.map = HeatMap::owners;
    pane.content = map.layer.content;
    pane.view = fit_view(tile.data.rows, tile.data.cols, {box.width(), box.height()});
    pane.view.col = std::max(pane.view.col, -1e9) < 0 ? 0 : pane.view.col;  // left-aligned, beside the legend
    pane.selected = selection.element;
    pane.hovered = selection.hovered;
    const bool clicked = press(box, "ownership/map");
    Element pointed;
    if (ImGui::IsItemHovered()) {
        const Element at = element_at_pixel(pane.view, box.low, ImGui::GetIO().MousePos);
        if (at.row >= 0 && at.col >= 0 && at.row < tile.data.rows && at.col < tile.data.cols) {
            selection.hovering = pointed = at;
            if (clicked) select_element(session, selection, at);
        }
    }
    draw_heat(
        ui().heat,
        panel.canvas,
        {
            map.layer, pane.style, pane.view, box.low, {box.width(), box.height()}
    }
    );
    draw_marks(pane, box);
    return pointed;
}

void draw(OwnershipPanel& panel, const Session& session, Selection& selection, Commands& commands) {
    const TileView& tile = session.current;
    const Box box = window_box();
    const capture::Tile* of = tile_of(session, selection);
    if (!has_owner(tile) && has_values(tile) && of != nullptr && of->block < 0)
        return draw_written(panel, session, selection, commands, box);
    if (!has_owner(tile)) {
        draw_header(box, {.title = "Ownership", .subtitle = "no writers recorded"});
        return;
    }
    const capture::Probe* probe = probe_of(session, selection);
    const Box rest = draw_header(
        box, {.title = "Ownership", .subtitle = probe->name + ", last writer", .note = "elements  wrong"}
    );
    const float pad = px(size::kPad), legend = px(138);
    const float footer = tile.ownership.never_written > 0 ? px(22) : px(4);
    const float side = std::min(rest.width() - legend - 2 * pad, rest.height() - footer - px(6));
    if (side > px(24)) {
        const Element at = draw_owner_map(
            panel,
            session,
            selection,
            {
                {&tile.owner.values, &tile.owner.pyramid, tile.content, nullptr, nullptr},
                &tile.owner
        },
            {{rest.low.x + pad, rest.low.y}, {rest.low.x + pad + side, rest.low.y + side}}
        );
        if (exists(at)) tooltip(owner_text(session.capture, tile, at));
    }
    ImGui::SetCursorScreenPos({rest.low.x + pad + side + px(10), rest.low.y});
    if (ImGui::BeginChild(
            "legend", {rest.high.x - pad - (rest.low.x + pad + side + px(10)) + px(6), rest.height() - footer}
        ))
        draw_legend(session, selection);
    ImGui::EndChild();
    draw_never(tile.ownership, {rest.low.x + pad, rest.high.y - footer}, rest.width() - 2 * pad);
}

}  // namespace wl::app
