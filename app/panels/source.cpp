// Only visible lines are drawn; markers are looked up per line among the few findings.
#include "app/panels/source.h"

#include "app/draw/code.h"
#include "app/draw/lanes/gutter.h"
#include "app/draw/widgets.h"
#include "app/session/clock.h"
#include "app/session/navigate.h"
#include "instrumentation/base/lines.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

namespace wl::app {

namespace {

const capture::Site* site_of(const Session& session, int site) {
    const bool known = site >= 0 && site < static_cast<int>(session.capture.sites.size());
    return known ? &session.capture.sites[static_cast<size_t>(site)] : nullptr;
}

void take_source(SourcePanel& panel, const Session& session, int source) {
    if (panel.source == source && panel.capture == session.captures) return;
    panel.source = source;
    panel.capture = session.captures;
    panel.tokens.clear();
    if (source < 0 || source >= static_cast<int>(session.capture.sources.size())) return;
    bool in_comment = false;
    for (const std::string_view line : lines_of(session.capture.sources[static_cast<size_t>(source)].text)) {
        panel.tokens.push_back(highlight(line, in_comment));
    }
}

// Where the selection stands: a step's line, else the site's. Line 0: nowhere.
struct Place {
    int source = -1, line = 0;
};
Place place_of(const Session& session, const Selection& selection) {
    if (selection.line > 0 && selection.source >= 0) return {selection.source, selection.line};
    const capture::Site* site = site_of(session, selection.site);
    return site != nullptr && site->source >= 0 ? Place{site->source, site->line} : Place{};
}

// Follows the selection; returns the current line when it has just moved, else 0.
int follow(SourcePanel& panel, const Session& session, const Selection& selection) {
    const Place place = place_of(session, selection);
    const bool moved = panel.followed != selection.site || panel.followed_line != selection.line ||
        panel.capture != session.captures;
    take_source(
        panel,
        session,
        place.source >= 0 && (moved || panel.source < 0) ? place.source : std::max(0, panel.source)
    );
    panel.followed = selection.site, panel.followed_line = selection.line;
    return moved ? place.line : 0;
}

// Line at which the selected element was last written; 0: unknown, or in another file.
int writer_line(const SourcePanel& panel, const Session& session, const Selection& selection) {
    const TileSource& data = session.current.data;
    const Element at = selection.element;
    if (data.owners.empty() || !exists(at) || at.row >= data.rows || at.col >= data.cols) return 0;
    const capture::Owner owner = data.owner(at.row, at.col);
    const capture::Site* site = owner.warp == capture::Owner::kNobody
        ? nullptr
        : site_of(session, user_site(session.capture, static_cast<int>(owner.site)));
    return site != nullptr && site->source == panel.source ? site->line : 0;
}

const capture::Finding* finding_at(const Session& session, const std::string& path, int line) {
    for (const capture::Finding& finding : session.capture.findings) {
        for (const capture::Where* where : {&finding.where, &finding.other}) {
            if (where->line == line && (where->file == path || file_name(where->file) == file_name(path)))
                return &finding;
        }
    }
    return nullptr;
}

bool is_call_of(const Session& session, const Selection& selection, int source, int line) {
    const capture::Site* site = site_of(session, selection.site);
    for (int depth = 0; site != nullptr && depth < 16; ++depth) {
        site = site_of(session, site->inlined_at);
        if (site != nullptr && site->source == source && site->line == line) return true;
    }
    return false;
}

LineLook look_of(const SourcePanel& panel, const Session& session, const Selection& selection, int line) {
    const Place place = place_of(session, selection);
    const std::string& path = session.capture.sources[static_cast<size_t>(panel.source)].path;
    LineLook look;
    look.line = line;
    look.current = place.source == panel.source && place.line == line;
    look.breakpoint = breakpoint_at(session, path, line);
    look.writer = writer_line(panel, session, selection) == line;
    look.call = is_call_of(session, selection, panel.source, line);
    look.finding = finding_at(session, path, line);
    if (const LaneReport* report = instant_shown(session, selection))
        for (const WarpRow& w : report->warps)
            if (w.line == line && w.lanes != 0 && file_name(w.file) == file_name(path))
                look.warps.push_back(&w);
    return look;
}

void bring_into_sight(int line, float height) {
    const float seen = ImGui::GetWindowHeight(), top = ImGui::GetScrollY();
    const float wanted = height * (static_cast<float>(line) - 0.5F);
    const float bar = ImGui::GetStyle().ScrollbarSize;  // it may lie over the last line
    const bool visible = wanted > top + height && wanted < top + seen - bar - height;
    if (line > 0 && !visible) ImGui::SetScrollY(std::max(0.0F, wanted - seen * 0.4F));
}

struct LineBox {
    Box box;
    float gutter = 0;  // width
    int line = 0;
};

// A press on the gutter sets a breakpoint or takes it away, the right button opens the line's menu; keys act
// on the line under the mouse.
void use_line(
    SourcePanel& panel, const Session& session, Selection& selection, Commands& commands, const LineBox& at
) {
    const auto& [box, gutter, line] = at;
    const std::string& path = session.capture.sources[static_cast<size_t>(panel.source)].path;
    const Breakpoint here{file_name(path), line, ""};
    const Breakpoint* set = breakpoint_at(session, path, line);
    const Box number{
        {box.low.x + px(kWarpsEnd) + 1, box.low.y },
        {box.low.x + gutter - px(8),    box.high.y}
    };
    bool toggled = press(number, "source/gutter/" + std::to_string(line));
    bool over = ImGui::IsItemHovered(), menu = ImGui::IsItemClicked(ImGuiMouseButton_Right);
    const Box text{
        {number.high.x, box.low.y},
        box.high
    };
    if (press(text, "source/" + std::to_string(line))) select_line(session, selection, panel.source, line);
    over = over || ImGui::IsItemHovered(), menu = menu || ImGui::IsItemClicked(ImGuiMouseButton_Right);
    const ImGuiIO& io = ImGui::GetIO();
    toggled = toggled || (over && ImGui::IsKeyPressed(ImGuiKey_F9, false));
    if (over && io.KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_F10, false))
        commands.step = (io.KeyShift ? "back line " : "line ") + here.file + ":" + std::to_string(line);
    if (toggled && set != nullptr) commands.no_breakpoint = here;
    if (toggled && set == nullptr) commands.breakpoint = here;
    if (!menu) return;
    panel.menu_line = line;
    ImGui::OpenPopup("line");
    panel.condition.fill('\0');
    if (set != nullptr) set->condition.copy(panel.condition.data(), panel.condition.size() - 1);
}

// Runs to the line, back to it, or stops there on a condition.
void draw_menu(SourcePanel& panel, const Session& session, Commands& commands) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(8)));
    if (ImGui::BeginPopup("line")) {
        const std::string file = file_name(session.capture.sources[static_cast<size_t>(panel.source)].path);
        const std::string place = file + ":" + std::to_string(panel.menu_line);
        if (ImGui::MenuItem("Run to this line", "Ctrl F10")) commands.step = "line " + place;
        register_last_item("source/menu/run-to");
        if (ImGui::MenuItem("Run back to this line", "Ctrl Shift F10")) commands.step = "back line " + place;
        register_last_item("source/menu/run-back-to");
        const std::string there = file_of_source(session, panel.source);
        if (ImGui::MenuItem("Open in my editor", "F4", false, !there.empty()))
            commands.edit = SourcePlace{there, panel.menu_line};
        register_last_item("source/menu/edit");
        if (ImGui::MenuItem("Copy the place")) ImGui::SetClipboardText(place.c_str());
        register_last_item("source/menu/copy");
        ImGui::Separator();
        ImGui::TextUnformatted("Break where, for a lane:");
        ImGui::SetNextItemWidth(px(260));
        const bool entered = ImGui::InputTextWithHint(
            "##condition",
            "always; e.g. lane == 3 && isnan(acc)",
            panel.condition.data(),
            panel.condition.size(),
            ImGuiInputTextFlags_EnterReturnsTrue
        );
        register_last_item("source/menu/condition");
        if (entered) {
            commands.breakpoint = Breakpoint{file, panel.menu_line, panel.condition.data()};
            ImGui::CloseCurrentPopup();
        }
        end_popup();
    }
    ImGui::PopStyleVar();
}

// The text scrolls sideways under a gutter that stays.
void draw_lines(
    SourcePanel& panel, const Session& session, Selection& selection, Commands& commands, int scroll_to
) {
    const capture::Source& source = session.capture.sources[static_cast<size_t>(panel.source)];
    const std::vector<std::string_view> lines = lines_of(source.text);
    const float height = px(18), width = ImGui::GetContentRegionAvail().x, sideways = ImGui::GetScrollX();
    float& known = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("height"));
    const bool resized = std::exchange(known, ImGui::GetWindowHeight()) != ImGui::GetWindowHeight();
    const Place place = place_of(session, selection);
    const int selected = place.source == panel.source ? place.line : 0;
    bring_into_sight(scroll_to == 0 && resized ? selected : scroll_to, height);
    size_t longest = 0;
    for (const std::string_view line : lines) longest = std::max(longest, line.size());
    const float gutter = px(kGutter),
                text_width = measure(Face::small_numbers, "0").x * static_cast<float>(longest) + px(12);
    ImGuiListClipper clipper;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    clipper.Begin(static_cast<int>(lines.size()), height);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const ImVec2 low(ImGui::GetCursorScreenPos().x + sideways, ImGui::GetCursorScreenPos().y);
            const Box box{
                low, {low.x + width, low.y + height}
            };
            const LineLook look = look_of(panel, session, selection, i + 1);
            const int warp = press_warps(look, box, selection.warp);
            if (warp >= 0) commands.seek = instant_of_warp(*session.lanes.report, warp);
            use_line(panel, session, selection, commands, {box, gutter, i + 1});
            ImGui::SetCursorScreenPos({low.x - sideways, low.y});
            ImGui::Dummy({gutter + text_width, height});
            draw_background(look, box);
            if (panel.find.open && holds(lines[static_cast<size_t>(i)], panel.find.query.data()))
                ImGui::GetWindowDrawList()->AddRectFilled(
                    {box.low.x + gutter - px(6), box.low.y}, box.high, colour::with_alpha(colour::kAccent, 46)
                );
            ImGui::PushClipRect({low.x + gutter - px(6), low.y}, box.high, true);
            put_code(
                lines[static_cast<size_t>(i)],
                panel.tokens[static_cast<size_t>(i)],
                {low.x + gutter - sideways, low.y},
                height
            );
            ImGui::PopClipRect();
            draw_gutter(look, box, selection.warp);
        }
    }
    ImGui::PopStyleVar();
}

// To the next line that holds what is searched: it becomes the selected one. Returns it, 0: there is none.
int find_step(SourcePanel& panel, const Session& session, Selection& selection) {
    const int direction = std::exchange(panel.find.step, 0);
    const std::string& text = session.capture.sources[static_cast<size_t>(panel.source)].text;
    const Place place = place_of(session, selection);
    const int from = place.source == panel.source ? place.line : 1;
    const int line = find_line(lines_of(text), panel.find.query.data(), from, direction);
    if (line > 0) select_line(session, selection, panel.source, line);
    return line;
}

// The field below the header, while something is searched; returns the y below.
float draw_find(SourcePanel& panel, const Session& session, Selection&, Box rest) {
    SourceFind& find = panel.find;
    if (find.opens) find.open = true;
    if (!find.open) return rest.low.y;
    const float pad = px(size::kPad), height = px(kControlHeight);
    const ImVec2 at(rest.low.x + pad, rest.low.y + px(2));
    ImGui::SetCursorScreenPos(at);
    ImGui::SetNextItemWidth(std::max(px(80), std::min(px(280), rest.width() - px(170))));
    if (find.opens) ImGui::SetKeyboardFocusHere();
    find.opens = false;
    push_field_style();
    const bool entered = ImGui::InputTextWithHint(
        "##find",
        "find in this file",
        find.query.data(),
        find.query.size(),
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll
    );
    pop_field_style();
    register_last_item("source/find");
    if (entered) find.step = ImGui::GetIO().KeyShift ? -1 : 1;
    if (ImGui::IsItemFocused() && ImGui::IsKeyPressed(ImGuiKey_Escape)) find.open = false;
    ImVec2 next(ImGui::GetItemRectMax().x + px(6), at.y);
    for (const auto& [name, label, step] : {
             std::tuple{"source/find/previous", "‹", -1},
             std::tuple{"source/find/next",     "›", 1 }
    }) {
        if (button(next, name, label, {.width = px(26)})) find.step = step;
        next.x += px(30);
    }
    const std::string& text = session.capture.sources[static_cast<size_t>(panel.source)].text;
    int64_t lines = 0;
    for (const std::string_view line : lines_of(text)) lines += holds(line, find.query.data()) ? 1 : 0;
    const std::string note = find.query[0] == '\0' ? "" : std::to_string(lines) + " lines";
    put({next.x + px(4), middle(at.y, height, Face::small_words)}, {Face::small_words, colour::kDim}, note);
    return rest.low.y + height + px(6);
}

}  // namespace

void draw(SourcePanel& panel, const Session& session, Selection& selection, Commands& commands) {
    const Box box = window_box();
    if (!session.broken) panel.broken_at.reset();
    const std::pair at{selection.site, selection.line};
    const bool appears = session.broken && !panel.broken_at;
    if (appears) panel.broken_at = at;
    if (session.broken && panel.broken_at == at) {
        draw_broken(*session.broken, box, appears);
        return;
    }
    if (session.capture.sources.empty()) {
        draw_header(box, {.title = "Source", .subtitle = "none in this capture"});
        return;
    }
    int scroll_to = follow(panel, session, selection);
    const capture::Site* site = site_of(session, selection.site);
    std::string path = session.capture.sources[static_cast<size_t>(panel.source)].path;
    const std::string note = site != nullptr ? site->text : "";
    const float ptx_left = box.high.x - toggle_width("PTX") - px(size::kPad);
    if (measure(Face::small_words, path).x > (ptx_left - box.low.x) / 2) path = file_name(path);
    Box rest = draw_header(
        {
            box.low, {ptx_left, box.high.y}
    },
        {.title = "Source",
         .subtitle = path,
         .note = note,
         .mark = colour::kSelection,
         .note_colour = colour::kDim}
    );
    rest.high.x = box.high.x;
    toggle(
        {ptx_left, box.low.y + (px(size::kHeader) - px(kControlHeight)) / 2},
        "source/ptx",
        "PTX",
        panel.ptx.shown
    );
    const float top = draw_find(panel, session, selection, rest);
    if (panel.find.step != 0) scroll_to = find_step(panel, session, selection);
    hairline({rest.low.x, top}, {rest.high.x, top});
    if (panel.ptx.shown) {
        const Place place = place_of(session, selection);
        const Box right{
            {rest.low.x + std::floor(rest.width() * 0.55F), top + 1},
            rest.high
        };
        draw_ptx(panel.ptx, session, selection, {place.source, place.line}, right);
        rest.high.x = right.low.x - 1;
    }
    ImGui::SetCursorScreenPos({rest.low.x, top + 1});
    if (ImGui::BeginChild(
            "lines", {rest.width(), rest.high.y - top - 1}, 0, ImGuiWindowFlags_HorizontalScrollbar
        ))
        draw_lines(panel, session, selection, commands, scroll_to);
    draw_menu(panel, session, commands);
    ImGui::EndChild();
}

}  // namespace wl::app
