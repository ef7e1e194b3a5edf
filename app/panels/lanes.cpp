// The selection becomes a question; the answer is drawn as a small heatmap of rows by lanes.
#include "app/panels/lanes.h"

#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/clock.h"
#include "app/session/lane_question.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

namespace wl::app {

namespace {

constexpr float kNames = 168, kRowHeight = 22;  // pixels at scale 1

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

struct Cells {
    float left = 0, width = 0;  // of one
    ImVec2 low(int lane, float y) const { return {std::floor(left + width * static_cast<float>(lane)), y}; }
};

// As much of a lane's value as that many characters hold: of an address its last digits.
std::string cell_text(const LaneRow& row, size_t lane, int characters) {
    const auto room = static_cast<size_t>(characters);
    const std::string& text = row.text[lane];
    if (text.starts_with("0x")) return text.size() <= room ? text : "…" + text.substr(text.size() - room + 1);
    std::string shown = cell_number(row.number[lane], std::min(characters, 8));
    if (shown.size() > room && std::isinf(row.number[lane])) return shown.substr(0, 1) + "∞";
    return shown;
}

ImU32 colour_of(const LaneRow& row, size_t lane) {
    const double value = row.number[lane];
    if (std::isnan(value)) return row.text[lane] == "-" ? colour::kBar : colour::of(kNotANumber);
    if (std::isinf(value)) return colour::of(value > 0 ? kPositiveInfinity : kNegativeInfinity);
    if (!(row.high > row.low)) return colour::blend(colour::with_alpha(colour::kAccent, 56), colour::kPanel);
    const double share = (value - row.low) / (row.high - row.low);
    return colour::of(viridis()[static_cast<size_t>(std::lround(share * (kPaletteSize - 1)))]);
}

bool is_number(const LaneRow& row, size_t lane) {
    return !std::isnan(row.number[lane]) || row.text[lane] == "nan" || row.text[lane] == "-nan";
}

void draw_row(
    const LaneReport& report, const LaneRow& row, const Cells& cells, float y, Selection& selection
) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float height = px(kRowHeight);
    const int characters = static_cast<int>((cells.width - 4) / measure(Face::tiny_numbers, "0").x);
    for (size_t lane = 0; lane < 32; ++lane) {
        const ImVec2 low = cells.low(static_cast<int>(lane), y);
        const ImVec2 high(cells.low(static_cast<int>(lane) + 1, y).x - 1, y + height - 1);
        const bool active = (report.lanes >> lane & 1) != 0;
        const bool number = is_number(row, lane);
        const ImU32 fill = !active ? colour::kBar : number ? colour_of(row, lane) : colour::kRaised;
        list->AddRectFilled(low, high, fill);
        if (!active) list->AddLine({low.x, high.y}, {high.x, low.y}, colour::kLine);
        if (active && number && characters >= 3)
            put_centred(
                {(low.x + high.x) / 2, (low.y + high.y) / 2},
                {Face::tiny_numbers, colour::ink_on(fill)},
                cell_text(row, lane, characters)
            );
        if (active && (row.changed >> lane & 1) != 0)
            list->AddRectFilled({low.x, high.y - px(3)}, high, colour::kDifference);
        if (static_cast<int>(lane) == selection.lane) list->AddRect(low, high, colour::kSelection);
        if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, {high.x + 1, high.y + 1})) continue;
        tooltip(
            row.expression + " in lane " + std::to_string(lane) + ": " + row.text[lane] +
            ((row.changed >> lane & 1) != 0 ? "\nbefore the last move: " + row.before[lane] : "") + "\n" +
            row.origin
        );
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) selection.lane = static_cast<int>(lane);
    }
    register_control("lanes/cells/" + row.expression, cells.low(0, y), {cells.low(32, y).x, y + height});
}

// Name, where it lives, and what all lanes agree on.
void draw_name(const LaneRow& row, ImVec2 at, float width) {
    const float top = middle(at.y, px(kRowHeight), Face::small_numbers);
    if (row.changed != 0) dot({at.x - px(6), at.y + px(kRowHeight) / 2}, px(2.5F), colour::kDifference);
    const float after =
        put_clipped({at.x, top}, width, {Face::small_numbers, colour::kBright}, row.expression);
    const std::string rest = row.uniform && row.problem.empty() ? row.text[0] : "";
    const float left = std::max(after, at.x) + px(8);
    if (!rest.empty() && at.x + width - left > px(24))
        put_clipped({left, top}, at.x + width - left, {Face::small_numbers, colour::kFaint}, rest);
}

void draw_lane_numbers(const Cells& cells, float y, int lane) {
    for (int i = 0; i < 32; ++i) {
        if (cells.width < px(15) && i % 4 != 0) continue;
        const ImVec2 low = cells.low(i, y);
        put_centred(
            {low.x + cells.width / 2, y + px(9)},
            {Face::tiny_numbers, i == lane ? colour::kSelection : colour::kFaint},
            std::to_string(i)
        );
    }
}

void draw_rows(LanesPanel& panel, const LaneReport& report, Selection& selection, Box box) {
    const float left = box.low.x + px(size::kPad);
    const Cells cells{left + px(kNames), (box.width() - px(kNames + 2 * size::kPad)) / 32};
    draw_lane_numbers(cells, box.low.y, selection.lane);
    ImGui::SetCursorScreenPos({box.low.x, box.low.y + px(18)});
    if (ImGui::BeginChild("rows", {box.width(), box.height() - px(18)})) {
        for (size_t i = 0; i < report.rows.size(); ++i) {
            const LaneRow& row = report.rows[i];
            const ImVec2 low = ImGui::GetCursorScreenPos();
            const Box name{
                {left,               low.y                 },
                {cells.left - px(6), low.y + px(kRowHeight)}
            };
            const auto watch =
                std::find(panel.watch.watches.begin(), panel.watch.watches.end(), row.expression);
            const bool removed =
                press(name, "lanes/row/" + std::to_string(i)) && watch != panel.watch.watches.end();
            if (watch != panel.watch.watches.end() && ImGui::IsItemHovered())
                tooltip("a click takes this watch away");
            draw_name(row, name.low, name.width());
            if (row.problem.empty())
                draw_row(report, row, cells, low.y, selection);
            else
                put_clipped(
                    {cells.left, middle(low.y, px(kRowHeight), Face::small_words)},
                    cells.width * 32,
                    {Face::small_words, colour::kWarning},
                    row.problem
                );
            if (removed) panel.watch.watches.erase(watch);
            ImGui::SetCursorScreenPos({low.x, low.y + px(kRowHeight)});
        }
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

std::string subtitle_of(const Session& session, const LaneReport& report) {
    std::string text = "warp " + std::to_string(report.warp) + " of " +
        block_text(session.capture, report.block) + ", time " +
        count_text(static_cast<int64_t>(timeline_time(session, report).value_or(report.time))) + ", " +
        report.build + " build, simulated";
    if (!report.schedule_note.empty()) text += "; " + report.schedule_note;
    if (report.lanes != ~0U) text += ", " + std::to_string(std::popcount(report.lanes)) + " lanes active";
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
    const std::string subtitle = there ? subtitle_of(session, *lanes.report) : "any instant of a warp";
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
        draw_rows(panel, *lanes.report, selection, body);
    else
        say(body, colour::kDim, waiting_words(panel, lanes.talk));
}

}  // namespace wl::app
