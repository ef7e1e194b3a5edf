// The selection becomes a question; the answer is a list of links under a summary.
#include "app/panels/provenance.h"

#include "app/draw/provenance_rows.h"
#include "app/session/lane_question.h"
#include "app/session/navigate.h"
#include "instrumentation/base/block_text.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>

namespace wl::app {

namespace {

using Kind = ProvenanceLink::Kind;
using State = ProvenanceElement::State;

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
    select_site(session, selection, site_at_line(session.capture, link.file, link.line));
    selection.warp = link.warp, selection.lane = link.lane;
}

// ---- the chain

void draw_inputs(const ProvenanceReport& report, const LinkColumns& at, float width) {
    const auto line = [&](ImU32 ink, const std::string& text) {
        const ImVec2 low = ImGui::GetCursorScreenPos();
        const LinkRow row{
            at, {low, {low.x + width, low.y + px(kLinkHeight)}}
        };
        diamond({at.rail, (row.box.low.y + row.box.high.y) / 2}, px(4), ink);
        put_clipped({at.text, row.top()}, at.times - at.text, {Face::small_numbers, ink}, text);
        ImGui::SetCursorScreenPos({low.x, row.box.high.y});
    };
    for (const std::string& input : report.inputs) line(colour::kReference, input);
    for (const std::string& name : report.not_followed)
        line(colour::kWarning, "the chain is not known beyond " + name);
}

// Under the chosen line: the addresses and guards that decided what it did; a click on one selects its line.
void draw_deciders(
    const Session& session, Selection& selection, const ProvenanceLink& link, const LinkRow& above
) {
    LinkRow row = above;
    for (size_t i = 0; i < link.deciders.size(); ++i) {
        const ProvenanceDecider& decider = link.deciders[i];
        row.box.low.y = row.box.high.y, row.box.high.y += px(kDeciderHeight);
        if (draw_decider(row, decider, "provenance/decider/" + std::to_string(i))) {
            select_site(session, selection, site_at_line(session.capture, decider.file, decider.line));
            selection.warp = decider.warp, selection.lane = decider.lane;
        }
    }
    ImGui::SetCursorScreenPos({row.box.low.x, row.box.high.y});
}

// Scrolls on until what begins at `top` and ends at the cursor is in sight, or its top would leave.
void reveal(float top) {
    const float window = ImGui::GetWindowPos().y;
    const float hidden = ImGui::GetCursorScreenPos().y - (window + ImGui::GetWindowHeight());
    if (hidden > 0) ImGui::SetScrollY(ImGui::GetScrollY() + std::min(hidden, top - window));
}

void draw_links(ProvenancePanel& panel, const Session& session, Selection& selection, Box box) {
    const ProvenanceReport& report = *session.provenance.report;
    const LinkColumns at = link_columns(box);
    const float width = box.width(), height = px(kLinkHeight);
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
            const LinkRow row{
                at, {low, {low.x + width, low.y + height}}
            };
            const ProvenanceLink& link = report.links[static_cast<size_t>(i)];
            if (draw_link(row, link, i, i == panel.chosen)) {
                panel.chosen = i;
                panel.reveal = true;
                choose(panel, session, selection, link);
            }
            ImGui::SetCursorScreenPos({low.x, low.y + height});
            if (i != panel.chosen) continue;
            draw_deciders(session, selection, link, row);
            if (std::exchange(panel.reveal, false)) reveal(low.y);
        }
        draw_inputs(report, at, width);
        ImGui::Dummy({1, 1});
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

// ---- what stays in place above the links

void draw_titles(const LinkColumns& at, float y) {
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

// What the lines marked ! are known to have done.
std::string evidence_of(const ProvenanceReport& report, ProvenanceElement wrong) {
    const bool misled =
        std::any_of(report.links.begin(), report.links.end(), [](const auto& link) { return link.misled; });
    if (report.belongs_to) {
        wrong.at = *report.belongs_to;
        return " It is the right value of " + name_of(wrong) +
            (misled ? ": the address of a line marked ! is wrong." : ".");
    }
    return misled ? " What does not belong came in at the lines marked !, by a wrong address or guard." : "";
}

std::string summary_of(const ProvenanceReport& report) {
    for (const ProvenanceLink& link : report.links)
        if (link.first_wrong)
            return "The first wrong link is " + name_of(link.element) + " of iteration " +
                std::to_string(link.element.iteration) +
                ". The red lines made it out of elements that are inside their bounds: the fault is in one "
                "of them, or in what they should have read." +
                evidence_of(report, link.element);
    if (report.asked.state == State::wrong)
        return "No tile on the way is wrong: the fault is in one of the red lines, between the last right "
               "elements and this one, or in what they should have read." +
            evidence_of(report, report.asked);
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
    const LinkColumns at = link_columns(box);
    float y = draw_summary(panel, session, box);
    hairline({box.low.x, y}, {box.high.x, y});
    draw_titles(at, y + px(3));
    y += px(22);
    const LinkRow row{
        at, {{box.low.x, y}, {box.high.x, y + px(kLinkHeight + 2)}}
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
