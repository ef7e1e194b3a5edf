// The bars above and below the panels: menus, where the selection is, verdict; and messages.
#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/navigate.h"
#include "app/workspace.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

namespace wl::app {

namespace {

constexpr ImGuiWindowFlags kBarFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
    ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
    ImGuiWindowFlags_NoNav;

bool begin_bar(const char* name, float top, float height) {
    ImGui::SetNextWindowPos({0, top});
    ImGui::SetNextWindowSize({ImGui::GetIO().DisplaySize.x, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    const bool open = ImGui::Begin(name, nullptr, kBarFlags);
    ImGui::PopStyleVar();
    const ImVec2 low = ImGui::GetWindowPos(), extent = ImGui::GetWindowSize();
    ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + extent.x, low.y + extent.y}, colour::kBar);
    return open;
}

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

bool menu(const char* label, const char* id, ImVec2& at) {
    const float width = measure(Face::small_words, label).x + px(18);
    const Box box{
        at, {at.x + width, at.y + px(kControlHeight)}
    };
    if (press(box, std::string("menu/") + id)) ImGui::OpenPopup(id);
    const bool hot = ImGui::IsItemHovered() || ImGui::IsPopupOpen(id);
    if (hot) ImGui::GetWindowDrawList()->AddRectFilled(box.low, box.high, colour::kRaised, px(3));
    put({at.x + px(9), middle(at.y, px(kControlHeight), Face::small_words)},
        {Face::small_words, hot ? colour::kBright : colour::kText},
        label);
    ImGui::SetNextWindowPos({at.x, at.y + px(kControlHeight + 4)});
    at.x += width;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(8), px(8)));
    const bool open = ImGui::BeginPopup(id);
    ImGui::PopStyleVar();
    return open;
}

void draw_menus(Workspace& workspace, Commands& commands, ImVec2& at) {
    if (menu("File", "file", at)) {
        if (ImGui::MenuItem("Open capture…")) workspace.asks_path = true;
        register_last_item("menu/file/open");
        if (ImGui::MenuItem("Quit")) commands.quit = true;
        ImGui::EndPopup();
    }
    if (menu("View", "view", at)) {
        for (int panel = 0; panel < kPanels; ++panel) {
            ImGui::MenuItem(panel_title(panel), nullptr, &workspace.open[static_cast<size_t>(panel)]);
            register_last_item(std::string("menu/view/") + panel_title(panel));
        }
        ImGui::Separator();
        if (ImGui::MenuItem("Default layout")) {
            workspace.open.fill(true);
            commands.reset_layout = true;
        }
        ImGui::EndPopup();
    }
    if (menu("Keys", "keys", at)) {
        const std::pair<const char*, const char*> keys[] = {
            {"← →",                   "previous and next mark, stage or barrier"},
            {"Shift + ← →",           "previous and next instant"               },
            {"F10, Shift F10",            "a line of the source on, back"           },
            {"F11, Ctrl F11",             "into what it calls, back"                },
            {"Shift F11, Ctrl Shift F11", "out to the caller, back"                 },
            {". ,",                       "an instruction on, back"                 },
            {"F5, Shift F5",              "to a breakpoint, back"                   },
            {"I, Shift I",                "to the stage's next iteration, back"     },
            {"W, Shift W",                "to a write of the selected element, back"},
            {"Space or R, held",          "show the reference in the place of got"  },
            {"N, Shift+N",                "next and previous wrong tile"            },
            {"B",                         "first wrong tile in kernel time"         },
            {"Wheel",                     "zoom where the mouse is"                 },
            {"Double click",              "fit"                                     }
        };
        for (const auto& [key, meaning] : keys) ImGui::MenuItem(meaning, key, false, false);
        ImGui::EndPopup();
    }
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
        if (last || x + px(20) > right) return;
        const float y = at.y + px(kControlHeight) / 2;
        ImGui::GetWindowDrawList()->AddTriangleFilled(
            {x + px(9), y - px(3)}, {x + px(13), y}, {x + px(9), y + px(3)}, colour::kFaint
        );
        x += px(22);
    }
}

// From the right edge to the left; returns the left edge.
float draw_chips(const Session& session, ImVec2 right) {
    struct Chip {
        std::string text;
        ImU32 ink;
    };
    std::vector<Chip> chips;
    const capture::Capture& capture = session.capture;
    if (!capture.launch.executor.empty())
        chips.push_back({capture.launch.executor + "  " + capture.launch.arch, colour::kDim});
    int64_t bad = 0, broken = 0;
    for (const BlockTiles& block : session.tree) bad += block.bad;
    for (const capture::Output& output : capture.outputs) broken += output.nan;
    if (broken > 0) chips.push_back({count_text(broken) + " NaN in the output", colour::kNonFinite});
    if (bad > 0) chips.push_back({count_text(bad) + " wrong tiles", colour::kBad});
    if (!capture.findings.empty())
        chips.push_back(
            {count_text(static_cast<int64_t>(capture.findings.size())) +
                 (capture.findings.size() == 1 ? " finding" : " findings"),
             colour::kBad}
        );
    if (capture.verdict == "ok") chips.push_back({"no findings", colour::kGood});
    for (const char* gap : {"unsupported", "incomplete", "error"})
        if (capture.verdict == gap) chips.push_back({gap, colour::kWarning});
    float x = right.x;
    for (const Chip& each : chips) {
        x -= chip_width(each.text);
        chip({x, right.y}, each.text, each.ink);
        x -= px(8);
    }
    return x;
}

void ask_path(Workspace& workspace, Commands& commands) {
    if (workspace.asks_path) ImGui::OpenPopup("Open capture");
    workspace.asks_path = false;
    ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x / 2, px(120)}, ImGuiCond_Always, {0.5F, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(14), px(12)));
    if (ImGui::BeginPopup("Open capture")) {
        ImGui::TextUnformatted("Path of a .wlcap file; dropping one on the window opens it as well");
        ImGui::SetNextItemWidth(px(520));
        if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
        if (ImGui::InputText(
                "##path", workspace.path.data(), workspace.path.size(), ImGuiInputTextFlags_EnterReturnsTrue
            )) {
            commands.open = workspace.path.data();
            ImGui::CloseCurrentPopup();
        }
        register_last_item("open/path");
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
}

std::string value_text(const TileView& tile, Element at) {
    std::string text = "got " + number(tile.data.got(at.row, at.col));
    if (has_reference(tile)) text += "   reference " + number(tile.data.reference(at.row, at.col));
    return text;
}

}  // namespace

void draw_top_bar(
    Workspace& workspace, const Session& session, const Selection& selection, Commands& commands
) {
    if (begin_bar("##top", 0, px(size::kTopBar))) {
        const float width = ImGui::GetWindowSize().x, top = (px(size::kTopBar) - px(kControlHeight)) / 2;
        draw_logo({px(size::kPad), (px(size::kTopBar) - px(17)) / 2});
        float x = put({px(40), middle(0, px(size::kTopBar), Face::strong)},
                      {Face::strong, colour::kBright},
                      "WarpLens") +
            px(10);
        ImVec2 at(x, top);
        draw_menus(workspace, commands, at);
        hairline(
            {at.x + px(10), top + px(2)}, {at.x + px(10), top + px(kControlHeight - 2)}, colour::kStrongLine
        );
        const float right = draw_chips(session, {width - px(size::kPad), top});
        draw_crumbs(crumbs_of(session, selection), {at.x + px(24), top}, right - px(12));
        hairline({0, px(size::kTopBar) - 1}, {width, px(size::kTopBar) - 1});
        ask_path(workspace, commands);
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
        std::string note = probe != nullptr ? shape_text(*probe, tile.data.rows, tile.data.cols) +
                "   seed " + std::to_string(session.capture.launch.seed)
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
    }
    ImGui::End();
}

}  // namespace wl::app
