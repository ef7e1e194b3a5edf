// Of an output: who wrote it, over all blocks, as a worker that ran the launch again tells it.
#include "app/draw/heat_pane.h"
#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/panels/ownership.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

namespace wl::app {

namespace {

constexpr std::array<std::string_view, 4> kBy = {"Block", "Warp", "Lane", "Stores"};

// The map is of the array that is shown.
bool fits(const WrittenView& view, const capture::Probe& probe, const TileView& tile) {
    return view.map && view.map->array == probe.name && view.map->rows == tile.data.rows &&
        view.map->cols == tile.data.cols;
}

void draw_unasked(const Session& session, Commands& commands, const capture::Probe& probe, Box box) {
    const WrittenAnswer& written = session.written;
    const float pad = px(size::kPad);
    ImVec2 at(box.low.x + pad, box.low.y + px(4));
    if (is_asking(written)) {
        const std::string how = written.worker ? written.worker->progress.stage : "measuring the map";
        put(at, {Face::small_words, colour::kDim}, "Running: " + (how.empty() ? "starting" : how));
        return;
    }
    const bool bad = !written.problem.empty();
    at.y = put_wrapped(
               at,
               box.width() - 2 * pad,
               {Face::small_words, bad ? colour::kBad : colour::kDim},
               bad ? written.problem
                   : "The kernel runs once more in a worker, which notes every store to " + probe.name +
                       ": block, warp, lane and line of the last one, and how many there were."
           ) +
        px(6);
    const bool ready = !session.program.empty() && !session.capture.launch.kernel.empty();
    const ButtonStyle style{
        colour::kBright, ready ? colour::with_alpha(colour::kAccent, 120) : colour::kRaised, 0, ready};
    if (button(at, "ownership/ask", "Who wrote it", style)) commands.ask_written = probe.name;
}

struct Row {
    int hue = -1;  // of the palette; -1: no swatch
    std::string label;
    int64_t elements = 0;
    ImU32 ink = colour::kText;
};

std::vector<Row> rows_of(const WrittenMap& map, WrittenBy by) {
    std::vector<Row> rows;
    const auto counts = [&](const std::vector<int64_t>& of, const char* prefix) {
        for (size_t i = 0; i < of.size(); ++i)
            rows.push_back({static_cast<int>(i), prefix + std::to_string(i), of[i]});
    };
    if (by == WrittenBy::warp) counts(map.by_warp, "w");
    if (by == WrittenBy::lane) counts(map.by_lane, "l");
    if (by == WrittenBy::stores || by == WrittenBy::block) {
        const ImU32 many = map.many > 0 ? colour::kWarning : colour::kFaint;
        rows.push_back({by == WrittenBy::stores ? kOnce : -1, "once", map.once});
        rows.push_back({by == WrittenBy::stores ? kMany : -1, "many", map.many, many});
        rows.push_back(
            {by == WrittenBy::stores ? kStale : -1,
             "stale",
             map.stale,
             map.stale > 0 ? colour::kWarning : colour::kFaint}
        );
        rows.push_back({-1, "never", map.never, map.never > 0 ? colour::kBad : colour::kFaint});
    }
    if (by == WrittenBy::block) rows.insert(rows.begin(), {-1, "blocks", map.blocks});
    for (const auto& [line, elements] : map.lines) rows.push_back({-1, line, elements, colour::kAccent});
    return rows;
}

void draw_rows(const std::vector<Row>& rows, float width) {
    const float height = px(19);
    for (const Row& row : rows) {
        const ImVec2 low = ImGui::GetCursorScreenPos();
        const float top = middle(low.y, height, Face::small_numbers);
        if (row.hue >= 0) swatch({low.x + px(2), low.y + px(5)}, px(9), colour::of(warp_colour(row.hue)));
        const std::string count = count_text(row.elements);
        const float number = measure(Face::small_numbers, count).x;
        put_clipped(
            {low.x + px(16), top}, width - number - px(24), {Face::small_numbers, row.ink}, row.label
        );
        put_right({low.x + width - px(2), top}, {Face::small_numbers, colour::kDim}, count);
        ImGui::Dummy({width, height});
    }
}

void draw_map(OwnershipPanel& panel, const Session& session, Selection& selection, Box box) {
    constexpr uint64_t kApart = uint64_t{1} << 40;  // from the numbers of tiles
    const WrittenView& view = session.written.view;
    const auto by = static_cast<size_t>(panel.by);
    const OwnerMap map{
        {&view.planes[by], &view.pyramids[by], kApart + view.content * 4 + by, nullptr, nullptr},
        &session.current.got
    };
    const Element at = draw_owner_map(panel, session, selection, map, box);
    if (exists(at))
        tooltip(
            "[" + std::to_string(at.row) + ", " + std::to_string(at.col) + "]  " +
            written_text(session.capture, view.map->at(at.row, at.col))
        );
}

}  // namespace

void draw_written(
    OwnershipPanel& panel, const Session& session, Selection& selection, Commands& commands, Box box
) {
    const capture::Probe& probe = *probe_of(session, selection);
    if (!fits(session.written.view, probe, session.current)) {
        const Box rest = draw_header(box, {.title = "Ownership", .subtitle = probe.name});
        return draw_unasked(session, commands, probe, rest);
    }
    const WrittenMap& map = *session.written.view.map;
    const Box rest = draw_header(
        box, {.title = "Ownership", .subtitle = probe.name + ", last writer", .note = "elements"}
    );
    const float pad = px(size::kPad), footer = px(20);
    ImVec2 at(rest.low.x + pad, rest.low.y);
    panel.by = static_cast<WrittenBy>(segmented(at, {"ownership/by", kBy, static_cast<int>(panel.by)}));
    at.y += px(kControlHeight + 6);
    const float legend = px(128);
    const float width = rest.width() - legend - 3 * pad, height = rest.high.y - at.y - footer;
    if (width > px(24) && height > px(24))
        draw_map(
            panel,
            session,
            selection,
            {
                at, {at.x + width, at.y + height}
        }
        );
    ImGui::SetCursorScreenPos({rest.high.x - legend - pad, at.y});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    if (ImGui::BeginChild("written", {legend + px(6), std::max(height, px(20))}))
        draw_rows(rows_of(map, panel.by), legend);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    const bool gaps = !map.unwritten.empty();
    const std::string text = !map.stopped.empty() ? "incomplete: " + map.stopped
        : gaps                                    ? "not stored: " + map.unwritten
        : !map.repeated.empty()                   ? "several times: " + map.repeated
                                                  : "";
    put_clipped(
        {rest.low.x + pad, rest.high.y - footer},
        rest.width() - 2 * pad,
        {Face::small_words, gaps || !map.stopped.empty() ? colour::kWarning : colour::kDim},
        text
    );
}

}  // namespace wl::app
