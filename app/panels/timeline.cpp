// TimelineRows of spans; the mouse scrubs, the wheel zooms, and every other panel follows the time.
#include "app/panels/timeline.h"

#include "app/draw/timeline/rows.h"
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

// What lies under the mouse.
struct Under {
    std::vector<int> tiles;
    const TimelineFlag* flag = nullptr;
};

// The next of several marks at one place.
int next_mark(const std::vector<int>& tiles, int selected) {
    const auto at = std::find(tiles.begin(), tiles.end(), selected);
    return at == tiles.end() || std::next(at) == tiles.end() ? tiles.front() : *std::next(at);
}

void go(const Session& session, Selection& selection, const Under& under, double time) {
    if (under.flag != nullptr) {
        select_finding(session, selection, under.flag->finding);
        if (under.flag->witness != 0) select_witness(session, selection, under.flag->witness);
    } else if (!under.tiles.empty()) {
        select_tile(session, selection, next_mark(under.tiles, selection.tile));
    } else {
        move_to_time(session, selection, static_cast<uint32_t>(std::max(0.0, time)));
    }
}

// A press on a mark or a flag selects it; anywhere else it moves the time, and goes on while it is dragged.
// With Shift a stretch is measured.
void scrub(
    TimelinePanel& panel,
    const Session& session,
    Selection& selection,
    const TimelineScale& scale,
    const Under& under
) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!ImGui::IsItemActive()) {
        panel.measuring = false;
        return;
    }
    const double time = std::clamp(time_at_x(scale, io.MousePos.x), scale.first, scale.last);
    if (ImGui::IsItemActivated()) {
        if (io.MouseClickedCount[0] < 2) panel.before = selection;
        panel.measuring = io.KeyShift;
        panel.measured = {time, time};
        if (!io.KeyShift) go(session, selection, under, time);
    } else if (panel.measuring) {
        panel.measured.to = time;
    } else if (io.MouseDelta.x != 0) {
        go(session, selection, {}, time);
    }
}

// Pixels a frame and factor a frame of keys that are held.
constexpr double kKeyShift = 0.04, kKeyZoom = 0.16;

struct Move {
    double shift = 0, zoom = 0;  // of the extent; powers of two
};
Move keys_held() {
    Move move;
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput || io.KeyCtrl || io.KeyAlt) return move;
    if (ImGui::IsKeyDown(ImGuiKey_A)) move.shift -= kKeyShift;
    if (ImGui::IsKeyDown(ImGuiKey_D)) move.shift += kKeyShift;
    if (ImGui::IsKeyDown(ImGuiKey_W)) move.zoom += kKeyZoom;
    if (ImGui::IsKeyDown(ImGuiKey_S)) move.zoom -= kKeyZoom;
    return move;
}

// The wheel and W and S zoom at the mouse; with Shift, by the right button and by A and D the range moves; a
// double click shows all, and nothing else.
void zoom(
    TimelinePanel& panel, Selection& selection, const TimelineScale& scale, double end, const Under& under
) {
    panel.hovered = ImGui::IsItemHovered();
    if (!panel.hovered) return;
    const ImGuiIO& io = ImGui::GetIO();
    const double extent = scale.last - scale.first, anchor = time_at_x(scale, io.MousePos.x);
    Move move = keys_held();
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Right))
        move.shift -= io.MouseDelta.x / (scale.right - scale.left);
    if (io.MouseWheel != 0 && io.KeyShift) move.shift -= io.MouseWheel / 10;
    if (io.MouseWheel != 0 && !io.KeyShift) move.zoom += io.MouseWheel * 0.35;
    double wanted = std::clamp(extent * std::exp2(-move.zoom), std::min(16.0, end), end);
    const bool free = under.flag == nullptr && under.tiles.empty();
    if (free && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        wanted = end;
        selection = panel.before;
    }
    if (move.shift == 0 && wanted == extent) return;
    const double share = (anchor - scale.first) / extent;
    panel.first = std::clamp(anchor - share * wanted + move.shift * extent, 0.0, std::max(0.0, end - wanted));
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
    if (panel.capture != session.captures) {
        panel = {};
        panel.capture = session.captures;
    }
    const double end = std::max<double>(timeline.end, 1);
    if (!(panel.last > panel.first)) return {0, end, box.low.x + px(kLabels), box.high.x - px(size::kPad)};
    const double extent = panel.last - panel.first, time = selection.time;
    const bool dragged = ImGui::IsMouseDown(ImGuiMouseButton_Right) || ImGui::GetIO().MouseWheel != 0 ||
        (panel.hovered && keys_held().shift != 0);
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
    update(panel.flags, session, record);
    draw_spans(rows, session, timeline);
    Under under;
    under.tiles = draw_marks(rows, session, selection, timeline);
    under.flag = draw_flags(rows, session, selection, panel.flags);
    draw_now(rows, selection.time, rest.low.y);
    if (panel.measured.is_chosen()) draw_stretch(rows, session, timeline, panel.measured);
    ImGui::PopClipRect();
    scrub(panel, session, selection, rows.scale, under);
    zoom(panel, selection, rows.scale, std::max<double>(timeline.end, 1), under);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int warp = static_cast<int>((mouse.y - rows.box.low.y) / rows.height);
    const bool on_spans =
        panel.hovered && !ImGui::IsItemActive() && mouse.y >= rows.box.low.y && warp < timeline.warps;
    if (!on_spans || under.flag != nullptr) return;
    const std::string words = span_text(session, timeline, warp, time_at_x(rows.scale, mouse.x));
    if (!words.empty()) tooltip(words);
}

}  // namespace wl::app
