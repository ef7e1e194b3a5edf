// The selection becomes a question; the answer is drawn as a small heatmap of rows by lanes.
#include "app/panels/lanes.h"

#include "app/draw/lanes/lane_cells.h"
#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/clock.h"
#include "app/session/lane_question.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

namespace wl::app {

namespace {

constexpr float kNames = 184, kShortNames = 128, kNarrow = 760;  // pixels at scale 1

// Another arrival at the line that is shown, where the panel's condition holds.
std::string arrival_words(const LanesPanel& panel, const LaneReport& report, bool back) {
    const std::string place = file_name(report.file) + ":" + std::to_string(report.line);
    const std::string way = back ? "back " : "";
    return panel.watch.condition.empty() ? way + "line " + place
                                         : way + "line " + place + " if " + panel.watch.condition;
}

void draw_steps(const LanesPanel& panel, const Session& session, Commands& commands, ImVec2& at) {
    struct Step {
        const char *name, *label, *tip;
        bool back, arrival;
    };
    constexpr Step kSteps[] = {
        {"lanes/back-arrival",    "«",  "the line's arrival before", true,  true },
        {"lanes/back",            "‹", "an instruction back: ,",    true,  false},
        {"lanes/forward",         "›", "an instruction on: .",      false, false},
        {"lanes/forward-arrival", "»",  "the line's next arrival",   false, true },
    };
    const auto& report = session.lanes.report;
    for (const Step& each : kSteps) {
        const bool pressed = button(at, each.name, each.label, {.width = px(28)});
        if (ImGui::IsItemHovered()) tooltip(each.tip);
        at.x += px(32);
        if (!pressed || !report || !report->problem.empty()) continue;
        commands.step = each.arrival ? arrival_words(panel, *report, each.back) : each.back ? "-1" : "1";
    }
}

// True: Enter was pressed.
bool field(ImVec2& at, float width, const char* name, const char* hint, std::array<char, 128>& text) {
    ImGui::SetCursorScreenPos(at);
    ImGui::SetNextItemWidth(width);
    const std::string id = std::string("##") + name;
    const bool entered = ImGui::InputTextWithHint(
        id.c_str(), hint, text.data(), text.size(), ImGuiInputTextFlags_EnterReturnsTrue
    );
    register_last_item(name);
    at.x += width + px(8);
    return entered;
}

// True: a condition was entered.
bool draw_controls(LanesPanel& panel, const Session& session, Commands& commands, Box box) {
    bool entered = false;
    constexpr std::array<std::string_view, 2> kBuilds = {"Variables", "Registers"};
    ImVec2 at(box.low.x + px(size::kPad), box.low.y + px(4));
    const int build = segmented(at, {"lanes/build", kBuilds, panel.watch.debug ? 0 : 1});
    panel.watch.debug = build == 0;
    at.x += segmented_width(kBuilds) + px(14);
    draw_steps(panel, session, commands, at);
    at.x += px(6);
    ImGui::PushFont(ui().fonts.mono, size::kSmallNumbers);
    push_field_style();
    const float width = std::min(px(240), (box.high.x - px(size::kPad) - at.x - px(8)) / 2);
    if (width > px(60)) {
        if (field(at, width, "lanes/until", "stop where, e.g. isnan(l_add)", panel.until)) {
            panel.watch.condition = panel.until.data();
            entered = !panel.watch.condition.empty();
        }
        if (field(at, width, "lanes/watch", "watch, e.g. m_new - m_old", panel.typed) &&
            panel.typed[0] != '\0') {
            panel.watch.watches.emplace_back(panel.typed.data());
            panel.typed[0] = '\0';
        }
    }
    pop_field_style();
    ImGui::PopFont();
    return entered;
}

// Opens the object's parts below it, or closes them; the other way for what is told of every warp.
void flip(std::vector<std::string>& all, const std::string& one) {
    if (std::erase(all, one) == 0) all.push_back(one);
}

// A chevron before the name of what opens, a dot where something changed.
void draw_name(const LaneRow& row, bool opened, ImVec2 at, float width) {
    const float top = middle(at.y, px(kLaneRow), Face::small_numbers), y = at.y + px(kLaneRow) / 2;
    if (row.changed != 0) dot({at.x - px(6), y}, px(2.5F), colour::kDifference);
    const float inset = px(12) * static_cast<float>(row.depth);
    at.x += inset, width -= inset;
    if (row.opens) {
        const float r = px(3), x = at.x + r;
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (opened)
            list->AddTriangleFilled({x - r, y - r / 2}, {x + r, y - r / 2}, {x, y + r}, colour::kDim);
        else
            list->AddTriangleFilled({x - r / 2, y - r}, {x + r, y}, {x - r / 2, y + r}, colour::kDim);
        at.x += px(11), width -= px(11);
    }
    const float after =
        put_clipped({at.x, top}, width, {Face::small_numbers, colour::kBright}, row.expression);
    const std::string rest = row.uniform && row.problem.empty() ? row.text[0] : "";
    const float left = std::max(after, at.x) + px(8);
    if (!rest.empty() && at.x + width - left > px(24))
        put_clipped({left, top}, at.x + width - left, {Face::small_numbers, colour::kFaint}, rest);
}

// The same expression in every warp of the block, each where it stands: a click leads to that warp.
void draw_warps(
    const LaneReport& report, int lane, const LaneColumns& columns, float left, Commands& commands
) {
    for (const WarpRow& w : report.warps) {
        const ImVec2 low = ImGui::GetCursorScreenPos();
        const std::string name = "warp " + std::to_string(w.warp);
        const Box label{
            {left + px(12),        low.y               },
            {columns.left - px(6), low.y + px(kLaneRow)}
        };
        if (press(label, "lanes/warp/" + std::to_string(w.warp)) && w.lanes != 0)
            commands.seek = instant_of_warp(report, w.warp);
        if (ImGui::IsItemHovered())
            tooltip(
                w.lanes == 0 ? name + " has ended"
                             : name + " at " + file_name(w.file) + ":" + std::to_string(w.line) +
                        (w.waits.empty() ? "" : "\nwaits for " + w.waits)
            );
        const float top = middle(low.y, px(kLaneRow), Face::small_numbers);
        const bool here = w.warp == report.warp;
        const float after =
            put({label.low.x, top}, {Face::small_numbers, here ? colour::kSelection : colour::kText}, name);
        const std::string place = w.lanes == 0 ? "ended" : w.line > 0 ? ":" + std::to_string(w.line) : "";
        const ImU32 ink = w.waits.empty() ? colour::kFaint : colour::kWarning;
        put_clipped(
            {after + px(6), top},
            label.high.x - after - px(6),
            {Face::small_numbers, ink},
            w.waits.empty() ? place : place + " waits"
        );
        const std::string control = "lanes/across/" + std::to_string(w.warp);
        if (w.row.problem.empty())
            draw_lane_row(
                {w.row, w.lanes, here ? lane : -1, control, report.across + " of " + name}, columns, low.y
            );
        else
            put_clipped(
                {columns.left, middle(low.y, px(kLaneRow), Face::small_words)},
                columns.width * static_cast<float>(columns.per),
                {Face::small_words, colour::kFaint},
                w.row.problem
            );
        ImGui::SetCursorScreenPos({low.x, low.y + lane_row_height(w.row, w.lanes, columns)});
    }
}

// Three dots at the right end of a name: its values in every warp.
bool draw_across(const std::string& expression, bool shown, Box name, bool hot) {
    const Box dots{
        {name.high.x - px(14), name.low.y},
        name.high
    };
    const bool pressed = press(dots, "lanes/warps/" + expression);
    hot = hot || ImGui::IsItemHovered();
    if (ImGui::IsItemHovered()) tooltip(shown ? "this warp alone" : "in every warp of the block");
    if (shown || hot)
        for (const float step : {-4.0F, 0.0F, 4.0F})
            dot({dots.low.x + px(7), dots.low.y + px(kLaneRow) / 2 + px(step)},
                px(1.5F),
                shown ? colour::kSelection : colour::kDim);
    return pressed;
}

void draw_values(
    LanesPanel& panel,
    const LaneReport& report,
    size_t index,
    const LaneColumns& columns,
    Selection& selection,
    Commands& commands
) {
    const LaneRow& row = report.rows[index];
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const Box name{
        {low.x + px(size::kPad), low.y               },
        {columns.left - px(4),   low.y + px(kLaneRow)}
    };
    LaneWatch& asked = panel.watch;
    const auto watch = row.depth == 0 ? std::find(asked.watches.begin(), asked.watches.end(), row.expression)
                                      : asked.watches.end();
    const bool opened =
        std::find(asked.opened.begin(), asked.opened.end(), row.expression) != asked.opened.end();
    const bool pressed = press(
        {
            name.low, {name.high.x - px(16), name.high.y}
    },
        "lanes/row/" + std::to_string(index)
    );
    const bool hot = ImGui::IsItemHovered();
    if (hot && row.opens)
        tooltip(opened ? "a click closes its parts" : "a click opens its parts");
    else if (hot && watch != asked.watches.end())
        tooltip("a click takes this watch away");
    draw_name(row, opened, name.low, name.width() - px(16));
    if (row.problem.empty() && draw_across(row.expression, report.across == row.expression, name, hot))
        asked.across = asked.across == row.expression ? "" : row.expression;
    if (row.problem.empty()) {
        const int lane = draw_lane_row(
            {row, report.lanes, selection.lane, "lanes/cells/" + row.expression, row.expression},
            columns,
            low.y
        );
        if (lane >= 0) selection.lane = lane;
    } else {
        put_clipped(
            {columns.left, middle(low.y, px(kLaneRow), Face::small_words)},
            columns.width * static_cast<float>(columns.per),
            {Face::small_words, colour::kWarning},
            row.problem
        );
    }
    ImGui::SetCursorScreenPos({low.x, low.y + lane_row_height(row, report.lanes, columns)});
    if (!report.across.empty() && report.across == row.expression)
        draw_warps(report, selection.lane, columns, name.low.x, commands);
    if (!pressed) return;
    if (row.opens)
        flip(asked.opened, row.expression);
    else if (watch != asked.watches.end())
        asked.watches.erase(watch);
}

void draw_rows(
    LanesPanel& panel, const LaneReport& report, Selection& selection, Commands& commands, Box box
) {
    const float left = box.low.x + px(size::kPad);
    const float names = box.width() < px(kNarrow) ? px(kShortNames) : px(kNames);
    const float bar = ImGui::GetStyle().ScrollbarSize;
    const LaneColumns columns = lane_columns(left + names, box.width() - names - px(2 * size::kPad) - bar);
    draw_lane_numbers(columns, box.low.y, selection.lane);
    const float rule = lane_rule_height(columns);
    ImGui::SetCursorScreenPos({box.low.x, box.low.y + rule});
    if (ImGui::BeginChild("rows", {box.width(), box.height() - rule})) {
        for (size_t i = 0; i < report.rows.size(); ++i)
            draw_values(panel, report, i, columns, selection, commands);
        if (report.rows.empty())
            put(ImGui::GetCursorScreenPos(),
                {Face::small_words, colour::kFaint},
                "no variable lives here; add a watch");
        ImGui::Dummy({1, 1});
    }
    ImGui::EndChild();
}

const char* waiting_words(const LanesPanel& panel, const Conversation& talk) {
    const std::string stage = talk.worker ? talk.worker->progress.stage : "";
    if (stage == "run") return "Running the block up to this instant...";
    return panel.watch.debug ? "Compiling the debug build..." : "Compiling...";
}

std::string place_of(const LaneReport& report) {
    return file_name(report.file) + ":" + std::to_string(report.line) + "   " + report.instruction;
}

std::string subtitle_of(const Session& session, const Selection& selection, const LaneReport& report) {
    const std::optional<uint32_t> time = timeline_time(session, report);
    std::string text = "warp " + std::to_string(report.warp) + " of " +
        block_text(session.capture, report.block) + ", time " +
        count_text(static_cast<int64_t>(time.value_or(report.time)));
    if (!session.lanes.question.line.empty() && time && *time != selection.time)
        text += " at this line (selected: " + count_text(selection.time) + ")";
    text += ", " + report.build + " build, simulated";
    if (!report.schedule_note.empty()) text += "; " + report.schedule_note;
    if (report.lanes != ~0U) text += ", " + std::to_string(std::popcount(report.lanes)) + " lanes active";
    for (const WarpRow& w : report.warps)
        if (w.warp == report.warp && (w.lanes & report.lanes) != 0 && !w.waits.empty())
            text += ", waits for " + w.waits;
    return text;
}

}  // namespace

void draw(LanesPanel& panel, const Session& session, Selection& selection, Commands& commands) {
    if (panel.capture != session.captures) {
        panel = {};
        panel.capture = session.captures;
    }
    const Box box = window_box();
    if (session.capture.launch.kernel.empty() || session.program.empty()) {
        draw_header(box, {.title = "Lanes", .subtitle = "no kernel is loaded"});
        return;
    }
    const LaneQuestion question = lane_question(session, selection, panel.watch);
    if (!is_empty(question) && words_of(question) != words_of(session.lanes.question))
        commands.ask_lanes = question;
    const LanesAnswer& lanes = session.lanes;
    const bool there = lanes.report && lanes.report->problem.empty();
    const std::string subtitle =
        there ? subtitle_of(session, selection, *lanes.report) : "any instant of a warp";
    const std::string place = !there ? ""
        : !lanes.talk.asked.empty()  ? "on the way..."
                                     : place_of(*lanes.report);
    const Box rest = draw_header(box, {.title = "Lanes", .subtitle = subtitle, .note = place});
    hairline(rest.low, {rest.high.x, rest.low.y});
    const bool entered = draw_controls(panel, session, commands, rest);
    // A question by line has the condition in it; from an instant that was stepped to, the next arrival is
    // sought.
    if (entered && there && question.line.empty()) commands.step = arrival_words(panel, *lanes.report, false);
    const Box body{
        {rest.low.x, rest.low.y + px(32)},
        rest.high
    };
    if (!lanes.talk.problem.empty()) {
        if (say_and_ask(body, lanes.talk.problem, "lanes")) commands.ask_lanes_again = true;
    } else if (is_empty(question))
        say(body, colour::kDim, "Choose a line in Source, a finding, or an instant in the timeline.");
    else if (lanes.report && !lanes.report->problem.empty() && lanes.talk.asked.empty())
        say(body, colour::kWarning, lanes.report->problem);
    else if (there)
        draw_rows(panel, *lanes.report, selection, commands, body);
    else
        say(body, colour::kDim, waiting_words(panel, lanes.talk));
}

}  // namespace wl::app
