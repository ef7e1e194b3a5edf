// Only visible rows are drawn.
#include "app/draw/source_ptx.h"

#include "app/draw/code.h"
#include "app/session/clock.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace wl::app {

namespace {

void take_rows(PtxView& view, const Session& session) {
    if (view.capture == session.captures) return;
    view.capture = session.captures;
    view.rows.clear();
    view.site = -1;
    for (size_t i = 0; i < session.capture.sites.size(); ++i)
        if (!session.capture.sites[i].text.empty()) view.rows.push_back(static_cast<int>(i));
}

// Compiled from the line, or inlined there.
bool is_of_line(const Session& session, int site, const PtxLine& at) {
    for (int depth = 0; site >= 0 && depth < 16; ++depth) {
        const capture::Site& s = session.capture.sites[static_cast<size_t>(site)];
        if (s.source == at.source && s.line == at.line) return true;
        site = s.inlined_at;
    }
    return false;
}

// The selected instruction where it is of the line, else the line's first one; -1: nothing has moved, or the
// line has none.
int row_to_show(PtxView& view, const Session& session, const Selection& selection, const PtxLine& at) {
    if (view.site == selection.site && view.source == at.source && view.line == at.line) return -1;
    view.site = selection.site, view.source = at.source, view.line = at.line;
    const bool own = at.line == 0 || is_of_line(session, selection.site, at);
    const auto row = std::find_if(view.rows.begin(), view.rows.end(), [&](int site) {
        return own ? site == selection.site : is_of_line(session, site, at);
    });
    return row != view.rows.end() ? static_cast<int>(row - view.rows.begin()) : -1;
}

// "%r3", and not as the beginning of "%r31".
bool names_register(const std::string& instruction, const std::string& name) {
    for (size_t at = instruction.find(name); at != std::string::npos; at = instruction.find(name, at + 1)) {
        const size_t end = at + name.size();
        if (end == instruction.size() || std::isalnum(static_cast<unsigned char>(instruction[end])) == 0)
            return true;
    }
    return false;
}

// Of the recorded build, at the selected instant; nullptr: Lanes shows something else.
const LaneReport* registers_shown(const Session& session, const Selection& selection) {
    const LaneReport* report = instant_shown(session, selection);
    return report != nullptr && report->build != "debug" ? report : nullptr;
}

void draw_row(const Session& session, Selection& selection, int site, const PtxLine& at, Box box) {
    const capture::Site& s = session.capture.sites[static_cast<size_t>(site)];
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (at.line > 0 && is_of_line(session, site, at))
        list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kSelection, 26));
    if (site == selection.site) {
        list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kSelection, 40));
        list->AddRectFilled(box.low, {box.low.x + px(3), box.high.y}, colour::kSelection);
    }
    if (press(box, "source/ptx/" + std::to_string(site))) {
        const int user = user_site(session.capture, site);
        const capture::Site& place = session.capture.sites[static_cast<size_t>(user)];
        select_line(session, selection, place.source, place.line);
        selection.site = site;
    }
    const float right = box.low.x + px(44);
    if (s.line > 0 && s.source == at.source)
        put_right(
            {right, middle(box.low.y, box.height(), Face::small_numbers)},
            {Face::small_numbers, colour::kFaint},
            std::to_string(s.line)
        );
    bool in_comment = false;
    ImGui::PushClipRect({right + px(6), box.low.y}, box.high, true);
    put_code(s.text, highlight(s.text, in_comment), {right + px(10), box.low.y}, box.height());
    const LaneReport* report = registers_shown(session, selection);
    if (report != nullptr && is_of_line(session, site, at)) {
        const float after = right + px(30) + measure(Face::small_numbers, s.text).x;
        const std::string text = registers_text(*report, s.text, selection.lane);
        put({after, middle(box.low.y, box.height(), Face::small_numbers)},
            {Face::small_numbers, colour::kGood},
            text);
        if (!text.empty() && ImGui::IsItemHovered())
            tooltip("lane " + std::to_string(selection.lane) + " before the selected instant:  " + text);
    }
    ImGui::PopClipRect();
}

}  // namespace

std::string registers_text(const LaneReport& report, const std::string& instruction, int lane) {
    std::string text;
    for (const LaneRow& row : report.rows) {
        if (!row.expression.starts_with('%') || !row.problem.empty()) continue;
        if (!names_register(instruction, row.expression)) continue;
        text += (text.empty() ? "" : "   ") + row.expression + " " + row.text[static_cast<size_t>(lane)];
    }
    return text;
}

void draw_ptx(PtxView& view, const Session& session, Selection& selection, const PtxLine& at, Box box) {
    take_rows(view, session);
    const float height = px(18);
    ImGui::SetCursorScreenPos(box.low);
    if (ImGui::BeginChild("ptx", {box.width(), box.height()})) {
        const int shown = row_to_show(view, session, selection, at);
        const float seen = ImGui::GetWindowHeight(), wanted = height * static_cast<float>(shown);
        const float top = ImGui::GetScrollY();
        if (shown >= 0 && (wanted < top + height || wanted > top + seen - 2 * height))
            ImGui::SetScrollY(std::max(0.0F, wanted - seen * 0.3F));
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(view.rows.size()), height);
        while (clipper.Step())
            for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
                const ImVec2 low = ImGui::GetCursorScreenPos();
                const Box row{
                    low, {low.x + ImGui::GetContentRegionAvail().x, low.y + height}
                };
                draw_row(session, selection, view.rows[static_cast<size_t>(i)], at, row);
                ImGui::SetCursorScreenPos({low.x, low.y + height});
            }
        ImGui::PopStyleVar();
    }
    ImGui::EndChild();
}

}  // namespace wl::app
