// The selection becomes a question; the answer is shown operand by operand.
#include "app/panels/fragments.h"

#include "app/draw/numbers.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace wl::app {

namespace {

std::string question_of(const FragmentsPanel& panel) {
    if (panel.base.empty() || panel.lines.empty()) return "";
    return panel.hit == 0 ? panel.base : panel.base + " --hit " + std::to_string(panel.hit);
}

// The panel's own steps move the instant: the arrival that was found is the selected one from then on.
void move_on(FragmentsPanel& panel, const Session& session, Selection& selection, const FragmentQuestion& q) {
    const FragmentsAnswer& answer = session.fragments;
    const bool come = panel.hit != 0 && answer.report && answer.talk.asked.empty() &&
        answer.report->problem.empty() && answer.report->asked == question_of(panel);
    if (!come) return;
    const int site = selection.site, warp = selection.warp;
    panel.hit = 0;
    panel.time = static_cast<int64_t>(answer.report->live.time);
    move_to_time(session, selection, static_cast<uint32_t>(panel.time));
    selection.warp = warp;  // not that of the tile which was taken last
    if (q.line >= 0) selection.site = site;
    if (selection.time != panel.time) panel.time = -1;
}

void follow(FragmentsPanel& panel, const Session& session, const FragmentQuestion& q) {
    if (panel.base != q.words) {
        panel.base = q.words;
        panel.hit = 0;
    }
    const FragmentView& view = session.fragments.view;
    if (view.content != panel.content) {
        panel.content = view.content;
        panel.operand = view.first;
    }
    panel.operand = std::clamp(panel.operand, 0, std::max(0, static_cast<int>(view.operands.size()) - 1));
    panel.hover = {panel.hover.next, kNoPlace};
}

void draw_tabs(FragmentsPanel& panel, const fragments::Live& live, Groups& groups) {
    std::vector<std::string> names;
    for (const fragments::Operand& o : live.operands) {
        names.push_back(o.name);
        for (char& c : names.back()) c = static_cast<char>(c - 'a' + 'A');
    }
    const std::vector<std::string_view> labels(names.begin(), names.end());
    if (labels.empty()) return;
    const ImVec2 at = groups.place(segmented_width(labels));
    panel.operand = segmented(at, {"fragments/operand", labels, panel.operand});
}

// Returns its height.
float draw_toolbar(FragmentsPanel& panel, const fragments::Live* live, Box box) {
    Groups groups = groups_in(box);
    if (live != nullptr) draw_tabs(panel, *live, groups);
    constexpr std::array<std::string_view, 4> kColours = {"Lane", "Register", "Value", "Error"};
    panel.colour = static_cast<FragmentColour>(segmented(
        groups.place(segmented_width(kColours)),
        {"fragments/colour", kColours, static_cast<int>(panel.colour)}
    ));
    constexpr std::array<std::string_view, 3> kMemory = {"Matrix", "Banks", "No memory"};
    const int shown = panel.memory != FragmentMemory::unasked ? static_cast<int>(panel.memory) - 1
        : panel.leaves_memory                                 ? 2
                                                              : 0;
    const int chosen =
        segmented(groups.place(segmented_width(kMemory)), {"fragments/memory", kMemory, shown});
    if (chosen != shown) panel.memory = static_cast<FragmentMemory>(chosen + 1);
    const ImVec2 at = groups.place(px(60));
    if (button(at, "fragments/back", "‹", {.width = px(28)})) --panel.hit;
    if (button({at.x + px(32), at.y}, "fragments/forward", "›", {.width = px(28)})) ++panel.hit;
    return toolbar_height(groups, box);
}

// The program's lines with matrix instructions; a click selects one.
void draw_lines(
    const FragmentsPanel& panel, const Session& session, Selection& selection, int chosen, Box box
) {
    float x = box.low.x + px(size::kPad);
    for (size_t i = 0; i < panel.lines.size(); ++i) {
        const FragmentLine& line = panel.lines[i];
        const std::string number = std::to_string(line.line);
        const float width =
            measure(Face::small_numbers, number).x + measure(Face::small_words, line.what).x + px(18);
        if (x + width > box.high.x - px(size::kPad)) break;
        const Box chip{
            {x,         box.low.y + px(1) },
            {x + width, box.high.y - px(1)}
        };
        const bool pressed = press(chip, "fragments/line/" + number);
        const bool lit = static_cast<int>(i) == chosen;
        if (lit || ImGui::IsItemHovered())
            ImGui::GetWindowDrawList()->AddRectFilled(chip.low, chip.high, colour::kRaised, px(4));
        const float after =
            put({x + px(6), middle(chip.low.y, chip.height(), Face::small_numbers)},
                {Face::small_numbers, lit ? colour::kSelection : colour::kFaint},
                number);
        put({after + px(5), middle(chip.low.y, chip.height(), Face::small_words)},
            {Face::small_words, lit ? colour::kBright : colour::kDim},
            line.what);
        if (pressed) select_site(session, selection, line.site);
        x += width + px(4);
    }
}

// One line below the panes: the element under the mouse, else what is wrong.
void draw_foot(const FragmentsPanel& panel, const ShownFragment& shown, Box box) {
    const float top = middle(box.low.y, box.height(), Face::small_words);
    const ImVec2 at(box.low.x + px(size::kPad), top);
    const float width = box.width() - 2 * px(size::kPad);
    if (panel.hover.now.row >= 0) {
        put_clipped(at, width, {Face::small_numbers, colour::kText}, element_text(shown, panel.hover.now));
        return;
    }
    const FragmentOperandView& view = shown.view;
    const int64_t cells = static_cast<int64_t>(view.cells.size());
    if (view.should_of.empty()) {
        const std::string text =
            shown.live.note.empty() ? fragments::proof_text(shown.operand.map) : shown.live.note;
        put_clipped(at, width, {Face::small_words, colour::kFaint}, shown.operand.map.name + ": map " + text);
        return;
    }
    const std::string text = view.wrong_count == 0
        ? "all " + count_text(cells) + " elements agree with " + view.should_of
        : count_text(view.wrong_count) + " of " + count_text(cells) + " elements differ from " +
            view.should_of;
    put_clipped(at, width, {Face::small_words, view.wrong_count == 0 ? colour::kGood : colour::kBad}, text);
}

// Both grids have a name in every cell where there is room, and memory the rest: what would not fit besides
// goes, unless it was asked for.
struct PaneWidths {
    float matrix = 0, lanes = 0, memory = 0;
};
PaneWidths pane_widths(const FragmentsPanel& panel, const ShownFragment& shown, Box body) {
    constexpr float kLeast = 190;  // pixels at scale 1, of memory
    const FragmentLayout& l = shown.operand.map.layout;
    const float matrix = legible_matrix_width(l), gaps = px(42);
    const float lanes = legible_lanes_width(shown.operand.map, body.height());
    const bool has = !shown.operand.addresses.empty() && panel.memory != FragmentMemory::hidden;
    const float room = body.width() - gaps, both = matrix + lanes;
    if (has && both + px(kLeast) <= room) {
        const float grown = std::min(1.3F, (room - px(kLeast * 1.6F)) / both), by = std::max(1.0F, grown);
        return {matrix * by, lanes * by, room - both * by};
    }
    // Where elements are wrong, memory shows what was read in their place.
    const bool leaves = panel.memory == FragmentMemory::unasked && shown.view.wrong_count == 0;
    if (!has || leaves) {
        const float by = std::min(1.5F, room / both);
        return {matrix * by, lanes * by, 0};
    }
    const float by = room * 0.7F / both;
    return {matrix * by, lanes * by, room * 0.3F};
}

void draw_panes(FragmentsPanel& panel, const ShownFragment& shown, Selection& selection, Box box) {
    const float pad = px(size::kPad), foot = px(22);
    const Box body{
        {box.low.x + pad,  box.low.y + px(6)        },
        {box.high.x - pad, box.high.y - foot - px(4)}
    };
    const PaneWidths wide = pane_widths(panel, shown, body);
    const bool memory = wide.memory > 0;
    panel.leaves_memory = !memory;
    const float matrix = wide.matrix, lanes = wide.lanes;
    const float second = body.low.x + matrix + px(18), third = second + lanes + px(24);
    draw_matrix(
        panel.hover,
        shown,
        selection,
        {
            body.low, {body.low.x + matrix, body.high.y}
    }
    );
    draw_lanes(
        panel.hover,
        shown,
        selection,
        {
            {second,         body.low.y },
            {second + lanes, body.high.y}
    }
    );
    if (memory)
        draw_memory(
            panel.hover,
            shown,
            panel.memory == FragmentMemory::banks,
            {
                {third, body.low.y},
                body.high
        }
        );
    draw_foot(
        panel,
        shown,
        {
            {box.low.x, box.high.y - foot},
            box.high
    }
    );
}

std::string subtitle_of(const Session& session, const fragments::Live& live) {
    const std::string what = live.mark.empty() ? live.instruction : "WL_FRAGMENT(\"" + live.mark + "\")";
    return what + "   warp " + std::to_string(live.warp) + " of " + block_text(session.capture, live.block) +
        ", time " + count_text(static_cast<int64_t>(live.time)) + ", simulated";
}

void draw_body(FragmentsPanel& panel, const Session& session, Selection& selection, Box body) {
    const FragmentsAnswer& answer = session.fragments;
    if (!answer.talk.problem.empty()) {
        if (say_and_ask(body, answer.talk.problem, "fragments")) panel.question.clear();
        return;
    }
    if (!answer.report || (answer.report->problem.empty() && answer.view.operands.empty())) {
        const std::string& note = answer.report ? answer.report->live.note : std::string();
        say(body, colour::kDim, note.empty() ? "Running the block..." : note);
        return;
    }
    if (!answer.report->problem.empty()) {
        if (answer.talk.asked.empty()) say(body, colour::kWarning, answer.report->problem);
        return;
    }
    const FragmentOperandView& view = answer.view.operands[static_cast<size_t>(panel.operand)];
    const fragments::Live& live = answer.report->live;
    const ShownFragment shown{
        live, answer.view, view, live.operands[static_cast<size_t>(view.operand)], panel.colour};
    draw_panes(panel, shown, selection, body);
}

}  // namespace

void draw(FragmentsPanel& panel, const Session& session, Selection& selection, Commands& commands) {
    if (panel.capture != session.captures) {
        panel = {};
        panel.capture = session.captures;
        panel.lines = fragment_lines(session.capture);
    }
    const Box box = window_box();
    if (session.capture.launch.kernel.empty() || session.program.empty() || panel.lines.empty()) {
        const std::string_view why = session.capture.launch.kernel.empty()
            ? "no kernel is loaded"
            : "this kernel has no matrix instruction";
        draw_header(box, {.title = "Fragments", .subtitle = why});
        return;
    }
    if (selection.time != panel.time) panel.time = -1;
    move_on(panel, session, selection, fragment_question(session, selection, panel.lines, panel.time >= 0));
    const FragmentQuestion q = fragment_question(session, selection, panel.lines, panel.time >= 0);
    follow(panel, session, q);
    const std::string question = question_of(panel);
    if (!question.empty() && question != panel.question) {
        panel.question = question;
        commands.ask_fragments = question;
    }
    const FragmentsAnswer& answer = session.fragments;
    const bool there = answer.report && answer.report->problem.empty();
    const std::string subtitle =
        there ? subtitle_of(session, answer.report->live) : "of a matrix instruction";
    const std::string note = !there ? ""
        : !answer.talk.asked.empty()
        ? "on the way..."
        : file_name(answer.report->live.file) + ":" + std::to_string(answer.report->live.line);
    const Box rest = draw_header(box, {.title = "Fragments", .subtitle = subtitle, .note = note});
    hairline(rest.low, {rest.high.x, rest.low.y});
    const float lines = rest.low.y + draw_toolbar(panel, there ? &answer.report->live : nullptr, rest);
    draw_lines(
        panel,
        session,
        selection,
        q.line,
        {
            {rest.low.x,  lines         },
            {rest.high.x, lines + px(20)}
    }
    );
    draw_body(
        panel,
        session,
        selection,
        {
            {rest.low.x, lines + px(22)},
            rest.high
    }
    );
}

}  // namespace wl::app
