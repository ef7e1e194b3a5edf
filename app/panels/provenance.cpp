// A rail from the element down to the inputs: tiles are squares, lines are dots, what is wrong is red.
#include "app/panels/provenance.h"

#include "app/lane_question.h"
#include "app/navigate.h"
#include "app/numbers.h"
#include "app/widgets.h"
#include "instrumentation/base/block_text.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace wl::app {

namespace {

using Kind = ProvenanceLink::Kind;
using State = ProvenanceElement::State;

constexpr float kRowHeight = 24;  // pixels at scale 1

// ---- the question

// Options of `warplens why` for the selected element; empty: its tile keeps none.
std::string element_question(const Session& session, const Selection& selection) {
    const capture::Tile* tile = tile_of(session, selection);
    if (tile == nullptr || tile->values == capture::kNoBlob || !exists(selection.element)) return "";
    std::string words = "--tile " + quoted(probe_of(session, selection)->name) + " --element " +
        std::to_string(selection.element.row) + "," + std::to_string(selection.element.col);
    if (tile->block < 0) return words;
    words += " --iteration " + std::to_string(tile->iteration) + " --block " +
        block_words(tile->block, session.capture.launch.grid);
    return tile->warp < 0 ? words : words + " --warp " + std::to_string(tile->warp);
}

// The chain follows the selection, but not where its own links lead.
void follow(ProvenancePanel& panel, const Session& session, const Selection& selection, Commands& commands) {
    const std::string element = element_question(session, selection);
    if (element != panel.own && element != panel.element) {
        panel.element = element;
        panel.own.clear();
        panel.chosen = -1;
    }
    if (panel.element.empty() || panel.element == panel.question) return;
    panel.question = panel.element;
    commands.ask_provenance = panel.element;
}

int tile_index(const Session& session, const ProvenanceReport& report, const ProvenanceElement& e) {
    const capture::Capture& c = session.capture;
    for (size_t i = 0; i < c.tiles.size(); ++i) {
        const capture::Tile& t = c.tiles[i];
        const bool output = t.block < 0 && e.iteration < 0;
        const bool taken = t.block == report.block && t.iteration == e.iteration && t.warp == e.warp;
        if ((output || taken) && c.probes[static_cast<size_t>(t.probe)].name == e.tile)
            return static_cast<int>(i);
    }
    return -1;
}

void choose(
    ProvenancePanel& panel, const Session& session, Selection& selection, const ProvenanceLink& link
) {
    if (link.kind == Kind::tile) {
        select_tile(session, selection, tile_index(session, *session.provenance.report, link.element));
        select_element(session, selection, link.element.at);
        panel.own = element_question(session, selection);
        return;
    }
    select_site(selection, site_at_line(session.capture, link.file, link.line));
    selection.warp = link.warp, selection.lane = link.lane;
}

// ---- rows

// Right edges of the numbers; text fills what is left. Narrow panels do without the last three.
struct Columns {
    float rail = 0, text = 0, value = 0, reference = 0, off = 0, lane = 0, times = 0;
    bool wide = true;
};

Columns columns_of(Box box) {
    Columns c;
    c.wide = box.width() > px(760);
    c.rail = box.low.x + px(size::kPad + 5);
    c.text = c.rail + px(16);
    c.times = box.high.x - px(size::kPad);
    c.lane = c.times - px(58);
    c.off = c.lane - px(64);
    c.reference = c.wide ? c.off - px(70) : c.times;
    c.value = c.reference - px(78);
    return c;
}

struct Row {
    Columns at;
    Box box;
    float top() const { return middle(box.low.y, box.height(), Face::small_numbers); }
    float room() const { return at.value - px(78) - at.text; }
};

void put_number(const Row& row, float right, ImU32 ink, const std::string& text) {
    if (text.empty()) return;
    put_right({right, row.top()}, {Face::small_numbers, ink}, text);
}

ImU32 ink_of(State state) {
    return state == State::wrong ? colour::kBad : state == State::right ? colour::kGood : colour::kDim;
}

std::string name_of(const ProvenanceElement& e) {
    return e.tile + "[" + std::to_string(e.at.row) + ", " + std::to_string(e.at.col) + "]";
}

std::string where_of(const ProvenanceLink& link) {
    const ProvenanceElement& e = link.element;
    std::string text = e.iteration < 0 ? "" : "iteration " + std::to_string(e.iteration);
    if (e.warp >= 0) text += ", warp " + std::to_string(e.warp);
    if (link.elements > 1)
        text += ", " + std::to_string(link.elements) + " elements" +
            (link.wrong > 0 ? ", " + std::to_string(link.wrong) + " wrong" : "");
    return text;
}

void draw_element(const Row& row, const ProvenanceElement& e, const std::string& rest, Face face) {
    const ImU32 ink = ink_of(e.state);
    const float top = middle(row.box.low.y, row.box.height(), face);
    const float after = put_clipped({row.at.text, top}, row.room(), {face, ink}, name_of(e));
    const float left = row.room() - (after - row.at.text) - px(10);
    if (left > px(20))
        put_clipped({after + px(10), row.top()}, left, {Face::small_words, colour::kDim}, rest);
    put_number(row, row.at.value, colour::kGot, number(e.got));
    if (std::isnan(e.reference)) return;
    put_number(row, row.at.reference, colour::kReference, number(e.reference));
    const ImU32 off = e.state == State::wrong ? colour::kDifference : colour::kFaint;
    if (row.at.wide) put_number(row, row.at.off, off, number(e.got - e.reference, 3));
}

std::string place_of(const ProvenanceLink& link) {
    std::string text = link.file.empty() ? "no line" : file_name(link.file) + ":" + std::to_string(link.line);
    for (const int call : link.inlined_at) text += " in " + std::to_string(call);
    return text;
}

void draw_line(const Row& row, const ProvenanceLink& link) {
    const ImU32 place = link.suspect ? colour::kBad : colour::kAccent;
    const float after =
        put_clipped({row.at.text, row.top()}, row.room(), {Face::small_numbers, place}, place_of(link));
    const float code = std::max(after + px(10), row.at.text + std::min(px(150), row.room() / 2));
    const float left = row.at.text + row.room() - code;
    if (left > px(20))
        put_clipped(
            {code, row.top()},
            left,
            {Face::small_numbers, link.suspect ? colour::kBright : colour::kText},
            link.text
        );
    put_number(row, row.at.value, colour::kText, link.value);
    if (!row.at.wide) return;
    put_number(
        row, row.at.lane, colour::kDim, "w" + std::to_string(link.warp) + ".l" + std::to_string(link.lane)
    );
    put_number(row, row.at.times, colour::kFaint, "x" + count_text(static_cast<int64_t>(link.times)));
}

void draw_node(const Row& row, const ProvenanceLink& link) {
    const ImVec2 centre(row.at.rail, (row.box.low.y + row.box.high.y) / 2);
    const ImU32 rail = link.suspect || link.first_wrong ? colour::kBad : colour::kStrongLine;
    hairline({centre.x, row.box.low.y}, {centre.x, row.box.high.y}, rail);
    if (link.kind == Kind::line) {
        dot(centre, px(3), link.suspect ? colour::kBad : colour::kFaint);
        return;
    }
    const float r = link.first_wrong ? px(6) : px(4);
    swatch({centre.x - r, centre.y - r}, 2 * r, ink_of(link.element.state));
}

std::string tip_of(const ProvenanceLink& link) {
    if (link.kind == Kind::line)
        return link.text + "\n" + link.instructions + "\n" + count_text(static_cast<int64_t>(link.times)) +
            " lane executions; the last by lane " + std::to_string(link.lane) + " of warp " +
            std::to_string(link.warp);
    const ProvenanceElement& e = link.element;
    if (std::isnan(e.reference)) return name_of(e) + " = " + number(e.got, 9) + ", not compared";
    return name_of(e) + " = " + number(e.got, 9) + "\nreference " + number(e.reference, 9) + ", bound " +
        number(e.bound, 3);
}

// True: it was clicked.
bool draw_link(const Row& row, const ProvenanceLink& link, int index, bool chosen) {
    const bool pressed = press(row.box, "provenance/" + std::to_string(index));
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (link.first_wrong || link.suspect)
        list->AddRectFilled(
            row.box.low, row.box.high, colour::with_alpha(colour::kBad, link.first_wrong ? 44 : 16)
        );
    if (chosen || hovered)
        list->AddRectFilled(
            row.box.low, row.box.high, colour::with_alpha(colour::kRaised, chosen ? 190 : 110)
        );
    if (chosen) list->AddRectFilled(row.box.low, {row.box.low.x + px(3), row.box.high.y}, colour::kSelection);
    draw_node(row, link);
    if (link.kind == Kind::line)
        draw_line(row, link);
    else
        draw_element(row, link.element, where_of(link), Face::small_numbers);
    if (hovered) ImGui::SetTooltip("%s", tip_of(link).c_str());
    return pressed;
}

void draw_inputs(const ProvenanceReport& report, const Columns& at, float width) {
    const auto line = [&](ImU32 ink, const std::string& text) {
        const ImVec2 low = ImGui::GetCursorScreenPos();
        const Row row{
            at, {low, {low.x + width, low.y + px(kRowHeight)}}
        };
        diamond({at.rail, (row.box.low.y + row.box.high.y) / 2}, px(4), ink);
        put_clipped({at.text, row.top()}, at.times - at.text, {Face::small_numbers, ink}, text);
        ImGui::SetCursorScreenPos({low.x, row.box.high.y});
    };
    for (const std::string& input : report.inputs) line(colour::kReference, input);
    for (const std::string& name : report.not_followed)
        line(colour::kWarning, "the chain is not known behind " + name);
}

void draw_links(ProvenancePanel& panel, const Session& session, Selection& selection, Box box) {
    const ProvenanceReport& report = *session.provenance.report;
    const Columns at = columns_of(box);
    const float width = box.width(), height = px(kRowHeight);
    const auto first_wrong = std::find_if(report.links.begin(), report.links.end(), [](const auto& link) {
        return link.first_wrong;
    });
    ImGui::SetCursorScreenPos(box.low);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    if (ImGui::BeginChild("links", {width, box.height()})) {
        if (panel.scrolled != report.question && first_wrong != report.links.end()) {
            const auto before = static_cast<float>(first_wrong - report.links.begin());
            ImGui::SetScrollY(std::max(0.0F, (before + 0.5F) * height - box.height() / 2));
        }
        panel.scrolled = report.question;
        for (int i = 0; i < static_cast<int>(report.links.size()); ++i) {
            const ImVec2 low = ImGui::GetCursorScreenPos();
            const Row row{
                at, {low, {low.x + width, low.y + height}}
            };
            const ProvenanceLink& link = report.links[static_cast<size_t>(i)];
            if (draw_link(row, link, i, i == panel.chosen)) {
                panel.chosen = i;
                choose(panel, session, selection, link);
            }
            ImGui::SetCursorScreenPos({low.x, low.y + height});
        }
        draw_inputs(report, at, width);
        ImGui::Dummy({1, 1});
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

// ---- what stays in place above the links

void draw_titles(const Columns& at, float y) {
    const auto title = [&](float right, const char* text) {
        put_right({right, y}, {Face::small_words, colour::kFaint}, text);
    };
    put({at.text, y}, {Face::small_words, colour::kFaint}, "back in kernel time");
    title(at.value, "value");
    title(at.reference, "reference");
    if (!at.wide) return;
    title(at.off, "off by");
    title(at.lane, "lane");
    title(at.times, "times");
}

std::string summary_of(const ProvenanceReport& report) {
    for (const ProvenanceLink& link : report.links)
        if (link.first_wrong)
            return "The first wrong link is " + name_of(link.element) + " of iteration " +
                std::to_string(link.element.iteration) +
                ". The red lines made it out of elements that are inside their bounds: the fault is in one "
                "of "
                "them, or in what they should have read.";
    if (report.asked.state == State::wrong)
        return "No tile on the way is wrong: the fault is in one of the red lines, between the last right "
               "elements and this one, or in what they should have read.";
    return "Nothing that was compared on the way is wrong.";
}

// Returns the y below.
float draw_summary(ProvenancePanel& panel, const Session& session, Box box) {
    const ProvenanceReport& report = *session.provenance.report;
    const bool moved = !panel.own.empty() && panel.own != panel.element;
    const float pad = px(size::kPad), button_room = button_width("From here") + px(10);
    if (button(
            {box.high.x - pad - button_room + px(10), box.low.y + px(5)},
            "provenance/from-here",
            "From here",
            {.text = moved ? colour::kText : colour::kFaint, .enabled = moved}
        )) {
        panel.element = panel.own;
        panel.own.clear();
        panel.chosen = -1;
    }
    const bool wrong = report.asked.state == State::wrong;
    const float below = put_wrapped(
        {box.low.x + pad, box.low.y + px(7)},
        box.width() - 2 * pad - button_room,
        {Face::small_words, wrong ? colour::kText : colour::kDim},
        summary_of(report)
    );
    return std::max(below, box.low.y + px(kControlHeight + 5)) + px(5);
}

void draw_chain(ProvenancePanel& panel, const Session& session, Selection& selection, Box box) {
    const ProvenanceReport& report = *session.provenance.report;
    const Columns at = columns_of(box);
    float y = draw_summary(panel, session, box);
    hairline({box.low.x, y}, {box.high.x, y});
    draw_titles(at, y + px(3));
    y += px(22);
    const Row row{
        at, {{box.low.x, y}, {box.high.x, y + px(kRowHeight + 2)}}
    };
    ImGui::GetWindowDrawList()->AddRectFilled(
        row.box.low, row.box.high, colour::with_alpha(colour::kRaised, 120)
    );
    const float middle_y = (row.box.low.y + row.box.high.y) / 2;
    hairline({at.rail, middle_y}, {at.rail, row.box.high.y}, colour::kStrongLine);
    swatch({at.rail - px(5), middle_y - px(5)}, px(10), ink_of(report.asked.state));
    const std::string iteration =
        report.asked.iteration < 0 ? "output" : "iteration " + std::to_string(report.asked.iteration);
    draw_element(row, report.asked, iteration, Face::strong);
    draw_links(
        panel,
        session,
        selection,
        {
            {box.low.x, row.box.high.y},
            box.high
    }
    );
}

std::string note_of(const ProvenanceReport& report) {
    for (const ProvenanceLink& link : report.links)
        if (link.first_wrong) return "first wrong: " + name_of(link.element);
    return "";
}

}  // namespace

void draw(ProvenancePanel& panel, const Session& session, Selection& selection, Commands& commands) {
    if (panel.capture != session.captures) {
        panel = {};
        panel.capture = session.captures;
    }
    const Box box = window_box();
    if (session.capture.launch.kernel.empty() || session.program.empty()) {
        draw_header(box, {.title = "Provenance", .subtitle = "no kernel is loaded"});
        return;
    }
    follow(panel, session, selection, commands);
    const ProvenanceAnswer& answer = session.provenance;
    const bool answered = answer.report && answer.report->question == panel.question;
    const bool there = answered && answer.report->problem.empty();
    const std::string subtitle = there ? "where " + name_of(answer.report->asked) + " of " +
            block_text(session.capture, answer.report->block) + " comes from, simulated"
                                       : "where an element comes from";
    const std::string note = there ? note_of(*answer.report) : "";
    const Box rest = draw_header(
        box, {.title = "Provenance", .subtitle = subtitle, .note = note, .note_colour = colour::kBad}
    );
    hairline(rest.low, {rest.high.x, rest.low.y});
    if (!answer.talk.problem.empty()) {
        if (say_and_ask(rest, answer.talk.problem, "provenance")) panel.question.clear();
    } else if (panel.element.empty())
        say(rest, colour::kDim, "Choose an element of a tile of a recorded block, or of an output.");
    else if (answered && !there)
        say(rest, colour::kWarning, answer.report->problem);
    else if (there)
        draw_chain(panel, session, selection, rest);
    else
        say(rest, colour::kDim, "Running the block again and following the value back...");
}

}  // namespace wl::app
