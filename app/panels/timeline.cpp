// TimelineRows of spans; the mouse scrubs, the wheel zooms, and every other panel follows the time.
#include "app/panels/timeline.h"

#include "app/draw/timeline_rows.h"
#include "app/draw/transport.h"
#include "app/draw/widgets.h"
#include "app/session/navigate.h"
#include "instrumentation/base/text.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace wl::app {

namespace {

constexpr float kLabels = 86;  // pixels at scale 1

void draw_labels(const TimelineRows& rows, Selection& selection, int warps) {
    const bool every = rows.height >= px(11);
    for (int row = 0; row <= warps; ++row) {
        const bool is_warp = row < warps;
        const Box box{
            {rows.label_left,         rows.y(row)    },
            {rows.scale.left - px(6), rows.y(row + 1)}
        };
        if (is_warp && press(box, "timeline/w" + std::to_string(row))) selection.warp = row;
        if (is_warp && row == selection.warp) {
            ImDrawList* list = ImGui::GetWindowDrawList();
            list->AddRectFilled(
                {rows.label_left, box.low.y},
                {rows.scale.right, box.high.y},
                colour::with_alpha(colour::kRaised, 150)
            );
            list->AddRectFilled(
                {rows.label_left, box.low.y + 1}, {rows.label_left + px(3), box.high.y - 1}, colour::kAccent
            );
        }
        if (is_warp && !every && row % 4 != 0) continue;
        if (is_warp)
            swatch(
                {box.low.x + px(12), (box.low.y + box.high.y) / 2 - px(4)},
                px(8),
                colour::of(warp_colour(row))
            );
        const ImU32 ink = is_warp && row == selection.warp ? colour::kBright : colour::kDim;
        put({box.low.x + px(is_warp ? 26 : 12), middle(box.low.y, box.height(), Face::small_words)},
            {Face::small_words, ink},
            is_warp ? "warp " + std::to_string(row) : "marks");
    }
}

// A press on a mark selects its tile; anywhere else it moves the time, and goes on while it is dragged.
void scrub(const Session& session, Selection& selection, const TimelineRows& rows, int tile_under_mouse) {
    if (!ImGui::IsItemActive()) return;
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsItemActivated() && tile_under_mouse >= 0) {
        select_tile(session, selection, tile_under_mouse);
    } else if (ImGui::IsItemActivated() || io.MouseDelta.x != 0) {
        const double time = std::max(0.0, time_at_x(rows.scale, io.MousePos.x));
        move_to_time(session, selection, static_cast<uint32_t>(time));
    }
}

// The wheel zooms at the mouse; with Shift, or by the right button, the range moves; a double click shows
// all.
void zoom(TimelinePanel& panel, const TimelineScale& scale, double end) {
    if (!ImGui::IsItemHovered()) return;
    const ImGuiIO& io = ImGui::GetIO();
    const double extent = scale.last - scale.first, anchor = time_at_x(scale, io.MousePos.x);
    double shift = 0, wanted = extent;
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Right))
        shift = -io.MouseDelta.x / (scale.right - scale.left) * extent;
    if (io.MouseWheel != 0 && io.KeyShift) shift = -io.MouseWheel * extent / 10;
    if (io.MouseWheel != 0 && !io.KeyShift)
        wanted = std::clamp(extent * std::exp2(-io.MouseWheel * 0.35), std::min(16.0, end), end);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) wanted = end;
    if (shift == 0 && wanted == extent) return;
    const double share = (anchor - scale.first) / extent;
    panel.first = std::clamp(anchor - share * wanted + shift, 0.0, std::max(0.0, end - wanted));
    panel.last = panel.first + wanted;
}

void draw_legend(const Session& session, Box header, float from) {
    float x = header.high.x - px(size::kPad);
    const float y = header.low.y + (px(size::kHeader) - px(10)) / 2;
    const auto entry = [&](std::string_view label, ImU32 ink) {
        const float room = px(150), width = std::min(measure(Face::small_words, label).x, room) + px(16);
        if (x - width < from) return;
        put_clipped(
            {x - width + px(15), middle(header.low.y, px(size::kHeader), Face::small_words)},
            room,
            {Face::small_words, colour::kDim},
            label
        );
        swatch({x - width, y}, px(10), ink);
        x -= width + px(14);
    };
    entry("waiting", colour::kWaiting);
    for (int stage = static_cast<int>(session.capture.stages.size()) - 1; stage >= 0; --stage) {
        entry(session.capture.stages[static_cast<size_t>(stage)], stage_colour(stage));
    }
}

// Step buttons after the title; returns the x behind them.
float draw_steps(const Session& session, Selection& selection, Box header, const std::string& subtitle) {
    struct Step {
        const char *name, *label;
        int direction;
        Stride stride;
    };
    constexpr Step kSteps[] = {
        {"timeline/back-stop",    "«",  -1, Stride::stop   },
        {"timeline/back",         "‹", -1, Stride::instant},
        {"timeline/forward",      "›", 1,  Stride::instant},
        {"timeline/forward-stop", "»",  1,  Stride::stop   },
    };
    float x = header.low.x + px(size::kPad) + measure(Face::strong, "Timeline").x + px(8) +
        measure(Face::small_words, subtitle).x + px(14);
    for (const Step& each : kSteps) {
        if (button({x, header.low.y + px(4)}, each.name, each.label, {.width = px(28)})) {
            step(session, selection, each.direction, each.stride);
        }
        x += px(32);
    }
    return x + px(6);
}

// The range shown: what the panel zoomed to, else everything; the current time is brought into it.
TimelineScale scale_of(
    TimelinePanel& panel,
    const Session& session,
    const Selection& selection,
    const analysis::Timeline& timeline,
    Box box
) {
    if (panel.capture != session.captures) panel = {0, 0, session.captures, 0};
    const double end = std::max<double>(timeline.end, 1);
    if (!(panel.last > panel.first)) return {0, end, box.low.x + px(kLabels), box.high.x - px(size::kPad)};
    const double extent = panel.last - panel.first, time = selection.time;
    const bool dragged = ImGui::IsMouseDown(ImGuiMouseButton_Right) || ImGui::GetIO().MouseWheel != 0;
    const bool moved = panel.time != selection.time;
    panel.time = selection.time;
    if (!dragged && moved && !ImGui::IsMouseDown(ImGuiMouseButton_Left) &&
        (time < panel.first || time > panel.last)) {
        panel.first = std::clamp(time - extent / 2, 0.0, std::max(0.0, end - extent));
        panel.last = panel.first + extent;
    }
    return {panel.first, panel.last, box.low.x + px(kLabels), box.high.x - px(size::kPad)};
}

}  // namespace

void draw(TimelinePanel& panel, const Session& session, Selection& selection, Commands& commands) {
    const int record = shown_record(session, selection);
    const Box box = window_box();
    if (record < 0) {
        const Box rest = draw_header(box, {.title = "Timeline", .subtitle = "no block was recorded"});
        say(rest, colour::kWarning, join(session.capture.notes, "\n"));
        return;
    }
    const analysis::Timeline& timeline = session.timelines[static_cast<size_t>(record)];
    const capture::BlockRecord& recorded = session.capture.records[static_cast<size_t>(record)];
    const std::string subtitle = block_text(session.capture, recorded.block) +
        (recorded.truncated ? ", cut off at the event limit" : "");
    const Box rest = draw_header(box, {.title = "Timeline", .subtitle = subtitle});
    const float behind = draw_steps(session, selection, box, subtitle);
    draw_legend(
        session,
        box,
        draw_transport(
            session, selection, commands, {behind, box.low.y + px(4)}, box.high.x - px(size::kPad)
        ) + px(12)
    );
    hairline(rest.low, {rest.high.x, rest.low.y});
    TimelineRows rows;
    rows.scale = scale_of(panel, session, selection, timeline, rest);
    rows.box = {
        {rows.scale.left,  rest.low.y + px(kTimelineRuler)},
        {rows.scale.right, rest.high.y - px(4)            }
    };
    rows.height = std::min(px(22), rows.box.height() / static_cast<float>(timeline.warps + 1));
    rows.box.high.y = rows.box.low.y + rows.height * static_cast<float>(timeline.warps + 1);
    rows.label_left = rest.low.x;
    if (rows.height < px(3) || rows.scale.right <= rows.scale.left) return;
    draw_labels(rows, selection, timeline.warps);
    draw_ruler(rows, rest.low.y, selection.time);
    press(
        {
            {rows.scale.left, rest.low.y},
            rows.box.high
    },
        "timeline/scrub"
    );
    ImGui::PushClipRect({rows.scale.left - px(8), rest.low.y}, {rows.scale.right + px(8), rest.high.y}, true);
    draw_spans(rows, session, timeline);
    const int under = draw_marks(rows, session, selection, timeline);
    draw_now(rows, selection.time, rest.low.y);
    ImGui::PopClipRect();
    scrub(session, selection, rows, under);
    zoom(panel, rows.scale, std::max<double>(timeline.end, 1));
}

}  // namespace wl::app
