// The bars above and below the panels: menus, where the selection is, verdict; and messages.
#include "app/allowed.h"
#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/menus.h"
#include "app/session/navigate.h"
#include "app/workspace.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/stored.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

namespace wl::app {

namespace {

// Nine squares of three tiles' colours.
void draw_logo(ImVec2 at) {
    constexpr ImU32 kSquares[9] = {
        colour::hex(0x3b528b),
        colour::hex(0x21918c),
        colour::hex(0x5ec962),
        colour::hex(0x21918c),
        colour::hex(0xec6a6a),
        colour::hex(0x21918c),
        colour::hex(0x5ec962),
        colour::hex(0x21918c),
        colour::hex(0xfde725)};
    for (int i = 0; i < 9; ++i) {
        const int row = i / 3, col = i % 3;
        const ImVec2 low(at.x + px(6) * static_cast<float>(col), at.y + px(6) * static_cast<float>(row));
        ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + px(5), low.y + px(5)}, kSquares[i], px(1));
    }
}

// Back and forward; returns the x behind them.
float draw_ways(const Session& session, const Selection& selection, Commands& commands, ImVec2 at) {
    for (const Act act : {Act::back, Act::forward}) {
        const Box box{
            at, {at.x + px(22), at.y + px(kControlHeight)}
        };
        if (press(box, action_of(act).control)) commands.acts.push_back(act);
        const bool enabled = can(act, session, selection);
        if (enabled && ImGui::IsItemHovered())
            ImGui::GetWindowDrawList()->AddRectFilled(box.low, box.high, colour::kRaised, px(3));
        const float towards = act == Act::back ? -1.0F : 1.0F, r = px(4);
        const ImVec2 tip((box.low.x + box.high.x) / 2 + towards * r / 2, (box.low.y + box.high.y) / 2);
        const ImU32 ink = enabled ? colour::kText : colour::kStrongLine;
        for (const float side : {-1.0F, 1.0F})
            ImGui::GetWindowDrawList()->AddLine(tip, {tip.x - towards * r, tip.y + side * r}, ink, px(1.6F));
        at.x += px(24);
    }
    return at.x;
}

// The finder's door, and the cheat sheet's; right aligned, without words where that would leave less than
// `least` for what stands before. Returns the left edge.
float draw_search(Commands& commands, ImVec2 right, float least) {
    const float keys = px(24);
    if (button({right.x - keys, right.y}, "menu/keys", "?", {.text = colour::kDim, .width = keys}))
        commands.acts.push_back(Act::cheat_sheet);
    const float x = right.x - keys - px(6);
    const char* words = "Go to anything   Ctrl+P";
    float width = button_width(words);
    if (x - width < least) words = "…", width = px(24);
    if (button({x - width, right.y}, "menu/palette", words, {.text = colour::kDim, .width = width}))
        commands.acts.push_back(Act::palette);
    return x - width;
}

std::vector<std::string> crumbs_of(const Session& session, const Selection& selection) {
    std::vector<std::string> crumbs;
    const capture::Launch& launch = session.capture.launch;
    if (launch.kernel.empty()) return crumbs;
    std::string kernel = launch.kernel;
    for (const std::string& fault : launch.faults) kernel.append(" + ").append(fault);
    crumbs.push_back(kernel);
    const capture::Tile* tile = tile_of(session, selection);
    if (tile == nullptr) return crumbs;
    crumbs.push_back(block_text(session.capture, tile->block));
    if (tile->block >= 0) crumbs.push_back("iteration " + std::to_string(tile->iteration));
    crumbs.push_back(probe_of(session, selection)->name);
    return crumbs;
}

void draw_crumbs(const std::vector<std::string>& crumbs, ImVec2 at, float right) {
    float x = at.x;
    for (size_t i = 0; i < crumbs.size(); ++i) {
        const bool last = i + 1 == crumbs.size();
        const float top = middle(at.y, px(kControlHeight), Face::small_words);
        if (x + px(40) > right) return;
        x = put_clipped(
            {x, top},
            std::min(right - x, px(200)),
            {last ? Face::small_strong : Face::small_words, last ? colour::kBright : colour::kDim},
            crumbs[i]
        );
        if (last || x + px(22 + 40) > right) return;
        const float y = at.y + px(kControlHeight) / 2;
        ImGui::GetWindowDrawList()->AddTriangleFilled(
            {x + px(9), y - px(3)}, {x + px(13), y}, {x + px(9), y + px(3)}, colour::kFaint
        );
        x += px(22);
    }
}

// From the right edge to the left, as far as there is room behind `left`; returns the left edge.
float draw_chips(const Session& session, ImVec2 right, float left) {
    struct Chip {
        std::string text;
        ImU32 ink;
        std::string tip = {};
    };
    std::vector<Chip> chips;
    const capture::Capture& capture = session.capture;
    if (!capture.launch.executor.empty())
        chips.push_back({capture.launch.executor + "  " + capture.launch.arch, colour::kDim});
    int64_t bad = 0, broken = 0;
    for (const BlockTiles& block : session.tree) bad += block.bad;
    for (const capture::Output& output : capture.outputs) broken += output.nan;
    if (broken > 0) chips.push_back({count_text(broken) + " NaN in the output", colour::kNonFinite});
    if (bad > 0)
        chips.push_back({count_text(bad) + (bad == 1 ? " wrong tile" : " wrong tiles"), colour::kBad});
    if (!capture.findings.empty())
        chips.push_back(
            {count_text(static_cast<int64_t>(capture.findings.size())) +
                 (capture.findings.size() == 1 ? " finding" : " findings"),
             colour::kBad}
        );
    if (capture.verdict == "ok") chips.push_back({"no findings", colour::kGood});
    for (const char* gap : {"unsupported", "incomplete", "error"})
        if (capture.verdict == gap) chips.push_back({gap, colour::kWarning});
    if (!capture.notes.empty())
        chips.push_back(
            {count_text(static_cast<int64_t>(capture.notes.size())) +
                 (capture.notes.size() == 1 ? " note" : " notes"),
             colour::kWarning,
             join(capture.notes, "\n")}
        );
    float all = 0;
    for (const Chip& each : chips) all += chip_width(each.text) + px(8);
    if (right.x - all < left && chips.size() > 1) chips.erase(chips.begin());  // who executed it
    float x = right.x;
    for (const Chip& each : chips) {
        const float width = chip_width(each.text);
        if (x - width < left) break;
        x -= width;
        chip({x, right.y}, each.text, each.ink);
        if (!each.tip.empty() &&
            ImGui::IsMouseHoveringRect({x, right.y}, {x + width, right.y + px(kControlHeight)}))
            tooltip(each.tip);
        x -= px(8);
    }
    return x;
}

// "12 MiB", "12 MiB of 4096" of a file that is read where it is looked at.
std::string held_text(const Session& session) {
    const auto mib = [](uint64_t bytes) {
        return count_text(static_cast<int64_t>((bytes + (1 << 20) - 1) >> 20));
    };
    const auto& stored = session.capture.blobs.stored;
    return mib(session.held) + " MiB" + (stored ? " of " + mib(stored->bytes()) : "");
}

std::string value_text(const TileView& tile, Element at) {
    std::string text = tile.names[0] + (" " + number(tile.data.got(at.row, at.col)));
    if (has_reference(tile))
        text += std::string("   ") + tile.names[1] + " " + number(tile.data.reference(at.row, at.col));
    return text;
}

}  // namespace

void draw_top_bar(
    Workspace& workspace, const Session& session, const Selection& selection, Commands& commands
) {
    if (begin_bar("##top", 0, px(size::kTopBar))) {
        const float width = ImGui::GetWindowSize().x, top = (px(size::kTopBar) - px(kControlHeight)) / 2;
        draw_logo({px(size::kPad), (px(size::kTopBar) - px(17)) / 2});
        if (press(
                {
                    {px(6),          top                     },
                    { px(40) + measure(Face::strong, "WarpLens").x, top + px(kControlHeight)}
        },
                "menu/home"
            ))
            commands.acts.push_back(Act::home);
        float x = put({px(40), middle(0, px(size::kTopBar), Face::strong)},
                      {Face::strong, colour::kBright},
                      "WarpLens") +
            px(10);
        ImVec2 at(x, top);
        draw_menus(workspace, session, selection, commands, at);
        hairline(
            {at.x + px(10), top + px(2)}, {at.x + px(10), top + px(kControlHeight - 2)}, colour::kStrongLine
        );
        const float ways = px(20 + 48), search = px(24 + 6 + 24 + 8);
        const float chips = draw_chips(session, {width - px(size::kPad), top}, at.x + ways + search);
        at.x = draw_ways(session, selection, commands, {at.x + px(20), top});
        const float right = draw_search(commands, {chips - px(8), top}, at.x + px(360));
        draw_crumbs(crumbs_of(session, selection), {at.x + px(10), top}, right - px(12));
        hairline({0, px(size::kTopBar) - 1}, {width, px(size::kTopBar) - 1});
        draw_dialogs(workspace, session, selection, commands);
    }
    ImGui::End();
}

// As high as its fields took in the last frame.
void draw_run_bar(Workspace& workspace, const Session& session, Commands& commands) {
    const float height = std::max(workspace.run.height, px(kControlHeight + 12)), top = px(size::kTopBar);
    if (begin_bar("##run", top, height)) {
        workspace.run.banners = !workspace.at_home;
        workspace.run.folds = workspace.desks.shown != Desk::compare && !workspace.at_home;
        draw(workspace.run, session, commands);
        const float width = ImGui::GetIO().DisplaySize.x;
        hairline({0, top + height - 1}, {width, top + height - 1});
    }
    ImGui::End();
}

void draw_status_bar(const Session& session, const Selection& selection) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const float height = px(size::kStatusBar), top = screen.y - height;
    if (begin_bar("##status", top, height)) {
        hairline({0, top}, {screen.x, top});
        const float pad = px(size::kPad), y = middle(top, height, Face::small_numbers);
        const capture::Probe* probe = probe_of(session, selection);
        const TileView& tile = session.current;
        const capture::Tile* of = tile_of(session, selection);
        std::string note = probe != nullptr ? shape_text(*probe, of->rows, of->cols) + "   seed " +
                std::to_string(session.capture.launch.seed) + "   " + held_text(session)
                                            : "";
        const float note_width = measure(Face::small_numbers, note).x;
        put_right({screen.x - pad, y}, {Face::small_numbers, colour::kFaint}, note);
        float x = pad;
        const Element at = exists(selection.hovered) ? selection.hovered : selection.element;
        if (has_values(tile) && exists(at) && at.row < tile.data.rows && at.col < tile.data.cols) {
            x = put({x, y},
                    {Face::small_numbers, colour::kText},
                    "[" + std::to_string(at.row) + ", " + std::to_string(at.col) + "]") +
                px(14);
            x = put({x, y}, {Face::small_numbers, colour::kDim}, value_text(tile, at)) + px(24);
        }
        const float room = screen.x - pad - note_width - px(24) - x;
        const float word_top = middle(top, height, Face::small_words);
        if (room > px(40))
            put_clipped(
                {x, word_top},
                room,
                {Face::small_words, session.message.bad ? colour::kBad : colour::kDim},
                session.message.text
            );
        const bool cut = measure(Face::small_words, session.message.text).x > room;
        if (cut && ImGui::IsMouseHoveringRect({x, top}, {x + room, screen.y})) tooltip(session.message.text);
    }
    ImGui::End();
}

}  // namespace wl::app
