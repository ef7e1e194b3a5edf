// Sections from top to bottom in a scrolling column.
#include "app/panels/element.h"

#include "app/draw/element/sections.h"
#include "app/draw/element/writes.h"
#include "app/draw/numbers.h"
#include "app/draw/transport.h"
#include "app/draw/widgets.h"
#include "app/session/lane_question.h"
#include "app/session/navigate.h"
#include "instrumentation/base/block_text.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace wl::app {

namespace {

ElementFacts facts_of(const TileView& tile, Element at) {
    ElementFacts facts;
    facts.at = at;
    facts.got = tile.data.got(at.row, at.col);
    if (!has_reference(tile)) return facts;
    facts.reference = tile.data.reference(at.row, at.col);
    facts.bound = tile.data.bound(at.row, at.col);
    facts.compared = is_compared(tile.data, facts.reference);
    facts.wrong = is_wrong(tile.data, at.row, at.col);
    return facts;
}

void draw_values(ElementColumn& column, const TileView& tile, const ElementFacts& facts) {
    const float half = column.width() / 2;
    const Face face = half > px(150) ? Face::big_numbers : Face::numbers;
    put({column.left, column.y}, {Face::small_words, colour::kGot}, tile.names[0]);
    put({column.left, column.y + px(17)}, {face, colour::kBright}, number(facts.got));
    if (facts.compared) {
        put({column.left + half, column.y}, {Face::small_words, colour::kReference}, tile.names[1]);
        put({column.left + half, column.y + px(17)}, {face, colour::kDim}, number(facts.reference));
    }
    column.y += px(46);
}

void line(ElementColumn& column, std::string_view label, const std::string& text, ImU32 ink = colour::kText) {
    put({column.left, column.y}, {Face::small_words, colour::kDim}, label);
    put_clipped(
        {column.left + px(86), column.y + px(1)}, column.width() - px(86), {Face::small_numbers, ink}, text
    );
    column.y += px(20);
}

void draw_errors(ElementColumn& column, const TileView& tile, const ElementFacts& facts) {
    if (!facts.compared) {
        line(
            column,
            tile.names[1],
            has_reference(tile) ? "not compared: outside the tensor" : "none for this tile",
            colour::kFaint
        );
        return;
    }
    const ImU32 ink = facts.wrong ? colour::kBad : colour::kGood;
    const auto metric = [&](analysis::Metric which) {
        const float value = tile.metric[static_cast<size_t>(which)].values(facts.at.row, facts.at.col);
        return value == 0 ? 0 : static_cast<double>(value);  // no difference has a sign
    };
    const double excess =
        facts.bound > 0 ? std::abs(facts.got - facts.reference) / static_cast<double>(facts.bound) : 0;
    const double difference = facts.got - facts.reference;
    line(column, "difference", number(difference == 0 ? 0 : difference, 5), ink);
    line(
        column,
        "bound",
        number(static_cast<double>(facts.bound), 3) +
            (facts.wrong ? (std::isfinite(excess) ? "  off " + number(excess, 2) + "x" : "  exceeded")
                         : "   kept"),
        facts.wrong ? colour::kBad : colour::kDim
    );
    line(column, "ratio", number(metric(analysis::Metric::ratio), 6), ink);
    line(column, "relative", number(metric(analysis::Metric::relative), 4), ink);
    line(
        column,
        "ULP",
        number(metric(analysis::Metric::ulp), 9) + " of " + std::string(name_of(tile.data.dtype)),
        ink
    );
}

void draw_writer(
    ElementColumn& column,
    const Session& session,
    Selection& selection,
    Commands& commands,
    const ElementFacts& facts
) {
    const TileView& tile = session.current;
    if (!has_owner(tile)) {
        const capture::Tile* of = tile_of(session, selection);
        const bool output = of != nullptr && of->block < 0 && !session.program.empty();
        if (const WrittenElement* e = written_element(session, selection, facts.at)) {
            line(
                column,
                "writer",
                written_text(session.capture, *e),
                e->stores == 0 ? colour::kWarning : colour::kText
            );
            line(column, "stores", count_text(e->stores), e->stores > 1 ? colour::kWarning : colour::kText);
        }
        if (output && button({column.left + px(86), column.y - px(1)}, "element/record", "Record its block"))
            commands.acts.push_back(Act::record);
        if (output && ImGui::IsItemHovered())
            tooltip("find the block that wrote this element and run again with it recorded  (Ctrl+B)");
        line(column, output ? "its block" : "writer", output ? "" : "not recorded", colour::kFaint);
        column.y += output ? px(4) : 0;
        return;
    }
    const capture::Owner owner = tile.data.owner(facts.at.row, facts.at.col);
    if (owner.warp == capture::Owner::kNobody) {
        line(column, "writer", "never written", colour::kWarning);
        return;
    }
    swatch({column.left + px(86), column.y + px(4)}, px(9), colour::of(warp_colour(owner.warp)));
    put({column.left, column.y}, {Face::small_words, colour::kDim}, "writer");
    put({column.left + px(101), column.y + px(1)},
        {Face::small_numbers, colour::kText},
        "warp " + std::to_string(owner.warp) + " lane " + std::to_string(owner.lane));
    column.y += px(20);
    line(column, "epoch", std::to_string(owner.epoch) + " barriers before");
    const int site = static_cast<int>(owner.site);
    const std::string place = place_text(session.capture, site);
    if (place.empty()) return;
    if (press(
            {
                {column.left,  column.y         },
                {column.right, column.y + px(20)}
    },
            "element/writer"
        ))
        select_site(session, selection, site);
    line(column, "written at", place, colour::kAccent);
}

// ---- every write of it

std::string writes_question(const Session& session, const Selection& selection, const std::string& name) {
    const capture::Tile& tile = *tile_of(session, selection);
    return quoted(name) + (tile.block < 0 ? "" : " --iteration " + std::to_string(tile.iteration));
}

// Asked again whenever it is of another element, block or capture.
void ask_for_writes(
    ElementPanel& panel,
    const Session& session,
    const Selection& selection,
    Commands& commands,
    const std::string& name
) {
    const std::string question = writes_question(session, selection, name),
                      key = question + " of block " + std::to_string(selection.block);
    if (panel.asked == key && panel.capture == session.captures) return;
    panel.asked = key, panel.capture = session.captures;
    commands.ask_writes = question;
}

// The row of the selected instant.
int row_here(const WritesReport& report, const Selection& selection) {
    if (selection.order < 0 || selection.debug_order != (report.build == "debug")) return -1;
    for (size_t i = 0; i < report.rows.size(); ++i)
        if (static_cast<int64_t>(report.rows[i].order) == selection.order) return static_cast<int>(i);
    return -1;
}

std::string count_of(const Session& session, const WritesReport& report) {
    const auto count = static_cast<int64_t>(report.rows.size());
    return (count == 0 ? "none" : count_text(count)) + " by " + block_text(session.capture, report.block);
}

void draw_list(
    ElementPanel& panel,
    const Session& session,
    const Selection& selection,
    Commands& commands,
    ElementColumn& column
) {
    const WritesAnswered& writes = session.writes;
    const Box rest{
        {column.left,  column.y          },
        {column.right, column.y + px(400)}
    };
    if (!writes.talk.problem.empty()) {
        if (say_and_ask(rest, writes.talk.problem, "element/writes")) panel.asked.clear();
        column.y += px(60);
        return;
    }
    if (!writes.talk.asked.empty() || !writes.report) {
        put({column.left, column.y}, {Face::small_words, colour::kDim}, "the block runs once more …");
        column.y += px(20);
        return;
    }
    const WritesReport& report = *writes.report;
    if (!report.problem.empty()) {
        column.y = say(rest, colour::kWarning, report.problem) + px(4);
        return;
    }
    put_right(
        {column.right, column.y - px(21)}, {Face::small_words, colour::kDim}, count_of(session, report)
    );
    if (panel.to_list)
        ImGui::SetScrollFromPosY(column.y - px(kControlHeight + 4) - ImGui::GetWindowPos().y, 0);
    panel.to_list = false;
    const int chosen = draw_write_rows(column, report, row_here(report, selection));
    if (chosen < 0) return;
    const WriteRow& row = report.rows[static_cast<size_t>(chosen)];
    commands.seek_write = "--block " + block_words(report.block, session.capture.launch.grid) + " --warp " +
        std::to_string(row.warp) + " --build " + report.build + " --order " + std::to_string(row.order);
}

void draw_writes(
    ElementPanel& panel,
    const Session& session,
    const Selection& selection,
    Commands& commands,
    ElementColumn& column
) {
    const std::string name = element_name(session, selection);
    if (session.program.empty() || name.empty()) return;  // registers: nothing is written there
    column.y += px(2);
    bool on = panel.lists_writes;
    if (toggle({column.left, column.y}, "element/writes", "Every write", on))
        commands.acts.push_back(Act::writes);
    column.y += px(kControlHeight + 4);
    if (!panel.lists_writes) {
        panel.to_list = true;
        return;
    }
    ask_for_writes(panel, session, selection, commands, name);
    draw_list(panel, session, selection, commands, column);
}

}  // namespace

void draw(ElementPanel& panel, const Session& session, Selection& selection, Commands& commands) {
    const TileView& tile = session.current;
    const Element at = selection.element;
    const capture::Probe* probe = probe_of(session, selection);
    const bool inside = probe != nullptr && exists(at) && at.row < tile.data.rows && at.col < tile.data.cols;
    const Box box = window_box();
    if (!inside) {
        draw_header(
            box, {.title = "Element", .subtitle = "click one in a heatmap", .mark = colour::kSelection}
        );
        return;
    }
    const std::string name = probe->name + "[" + std::to_string(at.row) + ", " + std::to_string(at.col) + "]";
    const Box rest = draw_header(
        box, {.title = "Element", .subtitle = name, .note = probe->memory, .mark = colour::kSelection}
    );
    ImGui::SetCursorScreenPos(rest.low);
    if (ImGui::BeginChild("inspector", {rest.width(), rest.height()})) {
        const ImVec2 low = ImGui::GetCursorScreenPos();
        ElementColumn column{
            low.x + px(size::kPad), low.x + ImGui::GetContentRegionAvail().x - px(size::kPad), low.y};
        const ElementFacts facts = facts_of(tile, at);
        draw_values(column, tile, facts);
        draw_bits(column, tile, facts);
        draw_errors(column, tile, facts);
        draw_rule(column);
        draw_writer(column, session, selection, commands, facts);
        draw_writes(panel, session, selection, commands, column);
        draw_history(column, session, selection, facts);
        draw_neighbours(column, session, selection, facts);
        ImGui::SetCursorScreenPos({low.x, column.y});
        ImGui::Dummy({1, 1});
    }
    ImGui::EndChild();
}

}  // namespace wl::app
