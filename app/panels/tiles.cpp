// Below the map the open part of the tree becomes a flat list of rows; only the visible ones are drawn.
#include "app/panels/tiles.h"

#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

namespace wl::app {

namespace {

constexpr float kMapShare = 0.42F;  // of the panel's height, at most

struct Row {
    const BlockTiles* block = nullptr;
    const IterationTiles* iteration = nullptr;  // null: the block's row
    int tile = -1;                              // -1: not a leaf
    int64_t hidden = 0;                         // more blocks, which this row stands for
};

bool passes(const TilesPanel& panel, const Session& session, int tile) {
    const std::string_view wanted = panel.filter.data();
    const auto& probe =
        session.capture.probes[static_cast<size_t>(session.capture.tiles[static_cast<size_t>(tile)].probe)];
    return wanted.empty() || probe.name.find(wanted) != std::string::npos;
}

// Of blocks without anything to see only the number is told; the map has them all.
bool is_listed(const TilesPanel& panel, const BlockTiles& block) {
    return panel.all_blocks || block.block == capture::kWholeLaunch || block.kept ||
        panel.open_blocks.contains(block.block);
}

// A filter opens what it finds and hides the rest.
void add_block(
    std::vector<Row>& rows, const TilesPanel& panel, const Session& session, const BlockTiles& block
) {
    const bool filtered = panel.filter[0] != 0, flat = block.block == capture::kWholeLaunch;
    const size_t first = rows.size();
    rows.push_back({&block, nullptr, -1});
    if (!filtered && !panel.open_blocks.contains(block.block)) return;
    for (const IterationTiles& iteration : block.iterations) {
        const size_t before = rows.size();
        if (!flat) rows.push_back({&block, &iteration, -1});
        if (!filtered && !flat && !panel.open_iterations.contains({block.block, iteration.iteration}))
            continue;
        for (const int tile : iteration.tiles)
            if (passes(panel, session, tile)) rows.push_back({&block, &iteration, tile});
        if (filtered && !flat && rows.size() == before + 1) rows.pop_back();
    }
    if (filtered && rows.size() == first + 1) rows.pop_back();
}

std::vector<Row> visible_rows(const TilesPanel& panel, const Session& session) {
    std::vector<Row> rows;
    int64_t hidden = 0;
    for (const BlockTiles& block : session.tree) {
        if (is_listed(panel, block)) {
            add_block(rows, panel, session, block);
        } else {
            ++hidden;
        }
    }
    if (hidden > 0) rows.push_back({.hidden = hidden});
    return rows;
}

// Opens what hides the selected tile; true: it has just been selected, so scroll to it.
bool reveal(TilesPanel& panel, const Session& session, const Selection& selection) {
    if (panel.capture != session.captures) {
        panel = {panel.filter, {capture::kWholeLaunch}, {}, session.captures, -1, false, {}};
    }
    if (panel.revealed == selection.tile || selection.tile < 0) return false;
    panel.revealed = selection.tile;
    const capture::Tile& tile = session.capture.tiles[static_cast<size_t>(selection.tile)];
    panel.open_blocks.insert(tile.block);
    panel.open_iterations.insert({tile.block, tile.iteration});
    return true;
}

void arrow(ImVec2 centre, bool open) {
    const float r = px(3.5F);
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (open) {
        list->AddTriangleFilled(
            {centre.x - r, centre.y - r / 2},
            {centre.x + r, centre.y - r / 2},
            {centre.x, centre.y + r},
            colour::kFaint
        );
    } else {
        list->AddTriangleFilled(
            {centre.x - r / 2, centre.y - r},
            {centre.x + r, centre.y},
            {centre.x - r / 2, centre.y + r},
            colour::kFaint
        );
    }
}

std::string name_of(const Session& session, const Row& row) {
    std::string name = "tiles/b" + std::to_string(row.block->block);
    if (row.iteration != nullptr) name += "/i" + std::to_string(row.iteration->iteration);
    if (row.tile < 0) return name;
    const capture::Tile& tile = session.capture.tiles[static_cast<size_t>(row.tile)];
    name += "/" + session.capture.probes[static_cast<size_t>(tile.probe)].name;
    return tile.warp < 0 ? name : name + "/w" + std::to_string(tile.warp);
}

void flip(TilesPanel& panel, const Row& row) {
    if (row.iteration == nullptr) {
        if (!panel.open_blocks.erase(row.block->block)) panel.open_blocks.insert(row.block->block);
    } else {
        const std::pair<int64_t, int> key{row.block->block, row.iteration->iteration};
        if (!panel.open_iterations.erase(key)) panel.open_iterations.insert(key);
    }
}

void draw_branch(const TilesPanel& panel, const Session& session, const Row& row, Box box) {
    const bool is_block = row.iteration == nullptr;
    const bool open = is_block ? panel.open_blocks.contains(row.block->block)
                               : panel.open_iterations.contains({row.block->block, row.iteration->iteration});
    const float indent = px(is_block ? 10 : 24), y = (box.low.y + box.high.y) / 2;
    arrow({box.low.x + indent + px(4), y}, open);
    const std::string label = !is_block ? "iteration " + std::to_string(row.iteration->iteration)
        : row.block->block < 0          ? "outputs"
                                        : block_text(session.capture, row.block->block);
    const ImU32 ink = is_block && row.block->kept ? colour::kText : colour::kDim;
    const float x = box.low.x + indent + px(14), room = box.high.x - px(36) - x;
    const float end = put_clipped(
        {x, middle(box.low.y, box.height(), Face::small_words)}, room, {Face::small_words, ink}, label
    );
    const std::string note = is_block && row.block->block >= 0 && row.block->kept ? "recorded" : "";
    if (!note.empty() && box.high.x - px(30) - end > measure(Face::small_numbers, note).x + px(8)) {
        put_right(
            {box.high.x - px(28), middle(box.low.y, box.height(), Face::small_numbers)},
            {Face::small_numbers, colour::kFaint},
            note
        );
    }
    dot({box.high.x - px(15), y},
        px(is_block ? 3.5F : 3),
        colour_of(is_block ? row.block->mark : row.iteration->mark));
}

void draw_leaf(const Session& session, const Selection& selection, const Row& row, Box box) {
    const capture::Tile& tile = session.capture.tiles[static_cast<size_t>(row.tile)];
    const capture::Probe& probe = session.capture.probes[static_cast<size_t>(tile.probe)];
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool chosen = row.tile == selection.tile;
    if (chosen) {
        list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kAccent, 44));
        list->AddRectFilled(box.low, {box.low.x + px(3), box.high.y}, colour::kAccent);
    }
    const float number_top = middle(box.low.y, box.height(), Face::small_numbers);
    const std::string shape = std::to_string(tile.rows) + "x" + std::to_string(tile.cols);
    const float shape_left = box.high.x - px(28) - measure(Face::small_numbers, shape).x;
    put({shape_left, number_top}, {Face::small_numbers, colour::kFaint}, shape);
    std::string label = probe.name;
    if (tile.warp >= 0) label += " w" + std::to_string(tile.warp);
    const ImU32 ink = chosen              ? colour::kBright
        : tile.values == capture::kNoBlob ? colour::kDim
                                          : colour::kText;
    const float left = box.low.x + px(row.block->block < 0 ? 30 : 44);
    const float x =
        put_clipped({left, number_top}, shape_left - left - px(6), {Face::small_numbers, ink}, label);
    const ImU32 memory = probe.memory == "shared" ? colour::kAccent
        : probe.memory == "register"              ? colour::kViolet
                                                  : colour::kDim;
    const float memory_left = std::max(x + px(10), box.low.x + px(112));
    if (memory_left + measure(Face::small_words, probe.memory).x + px(6) < shape_left) {
        put({memory_left, middle(box.low.y, box.height(), Face::small_words)},
            {Face::small_words, colour::with_alpha(memory, 190)},
            probe.memory);
    }
    dot({box.high.x - px(15), (box.low.y + box.high.y) / 2}, px(3), colour_of(mark_of(tile)));
}

void draw_hidden(TilesPanel& panel, const Row& row, Box box) {
    if (press(box, "tiles/all")) panel.all_blocks = true;
    const ImU32 ink = ImGui::IsItemHovered() ? colour::kText : colour::kFaint;
    put_clipped(
        {box.low.x + px(24), middle(box.low.y, box.height(), Face::small_words)},
        box.width() - px(30),
        {Face::small_words, ink},
        count_text(row.hidden) + " more blocks, on the map"
    );
}

void draw_rows(TilesPanel& panel, const Session& session, Selection& selection, bool scroll) {
    const std::vector<Row> rows = visible_rows(panel, session);
    const float height = px(size::kRow), width = ImGui::GetContentRegionAvail().x;
    if (scroll) {
        const auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
            return row.tile == selection.tile;
        });
        const float y = height * static_cast<float>(at - rows.begin()), seen = ImGui::GetWindowHeight();
        if (at != rows.end() && (y < ImGui::GetScrollY() || y + height > ImGui::GetScrollY() + seen))
            ImGui::SetScrollY(y - seen / 3);
    }
    ImGuiListClipper clipper;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    clipper.Begin(static_cast<int>(rows.size()), height);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const Row& row = rows[static_cast<size_t>(i)];
            const ImVec2 low = ImGui::GetCursorScreenPos();
            const Box box{
                low, {low.x + width, low.y + height}
            };
            if (row.hidden > 0) {
                draw_hidden(panel, row, box);
                continue;
            }
            const bool pressed = press(box, name_of(session, row));
            if (ImGui::IsItemHovered())
                ImGui::GetWindowDrawList()->AddRectFilled(
                    box.low, box.high, colour::with_alpha(colour::kRaised, 120)
                );
            if (row.tile >= 0) {
                draw_leaf(session, selection, row, box);
            } else {
                draw_branch(panel, session, row, box);
            }
            if (pressed && row.tile >= 0) {
                panel.revealed = row.tile;
                select_tile(session, selection, row.tile);
            } else if (pressed) {
                flip(panel, row);
            }
        }
    }
    ImGui::PopStyleVar();
}

void draw_filter(TilesPanel& panel, const Session& session, Selection& selection, Box box) {
    const float pad = px(size::kPad), button_space = button_width("First bad") + px(6);
    ImGui::SetCursorScreenPos({box.low.x + pad, box.low.y});
    ImGui::SetNextItemWidth(box.width() - 2 * pad - button_space);
    ImGui::PushFont(ui().fonts.words, size::kSmallWords);
    push_field_style();
    ImGui::InputTextWithHint("##filter", "Filter by name", panel.filter.data(), panel.filter.size());
    register_last_item("tiles/filter");
    pop_field_style();
    ImGui::PopFont();
    const bool any = session.first_bad >= 0;
    const ButtonStyle style{any ? colour::kBad : colour::kFaint, colour::kRaised, 0, any};
    if (button({box.high.x - pad - button_space + px(6), box.low.y}, "tiles/first-bad", "First bad", style)) {
        select_tile(session, selection, session.first_bad);
    }
}

void draw_legend(Box box) {
    hairline(box.low, {box.high.x, box.low.y});
    float x = box.low.x + px(size::kPad);
    const float y = (box.low.y + box.high.y) / 2, top = middle(box.low.y, box.height(), Face::small_words);
    const std::pair<std::string_view, ImU32> entries[] = {
        {"in bound",  colour::kGood     },
        {"wrong",     colour::kBad      },
        {"NaN / Inf", colour::kNonFinite}
    };
    for (const auto& [label, ink] : entries) {
        dot({x + px(4), y}, px(3.5F), ink);
        x = put({x + px(13), top}, {Face::small_words, colour::kDim}, label) + px(14);
    }
}

}  // namespace

void draw(TilesPanel& panel, const Session& session, Selection& selection) {
    const bool scroll = reveal(panel, session, selection);
    const Box box = window_box();
    const std::string count = count_text(static_cast<int64_t>(session.capture.tiles.size()));
    const Box rest = draw_header(box, {.title = "Tiles", .subtitle = file_name(session.path), .note = count});
    draw_filter(panel, session, selection, rest);
    const float filter = px(kControlHeight + 10), legend = px(28);
    const float room = (rest.height() - filter - legend) * kMapShare;
    const float top = draw_map(
        panel.map,
        session,
        selection,
        {
            {rest.low.x,  rest.low.y + filter       },
            {rest.high.x, rest.low.y + filter + room}
    },
        panel.filter.data()
    );
    ImGui::SetCursorScreenPos({rest.low.x, top});
    if (ImGui::BeginChild("rows", {rest.width(), std::max(px(size::kRow), rest.high.y - legend - top)}))
        draw_rows(panel, session, selection, scroll);
    ImGui::EndChild();
    draw_legend({
        {rest.low.x, rest.high.y - legend},
        rest.high
    });
}

}  // namespace wl::app
