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

void draw_label(const TimelineRows& rows, Selection& selection, int row) {
    const Box box{
        {rows.label_left,         rows.y(row)    },
        {rows.scale.left - px(6), rows.y(row + 1)}
    };
    if (press(box, "timeline/w" + std::to_string(row))) selection.warp = row;
    const bool chosen = row == selection.warp;
    if (chosen) {
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
    swatch({box.low.x + px(12), (box.low.y + box.high.y) / 2 - px(4)}, px(8), colour::of(warp_colour(row)));
    put({box.low.x + px(26), middle(box.low.y, box.height(), Face::small_words)},
        {Face::small_words, chosen ? colour::kBright : colour::kDim},
        "warp " + std::to_string(row));
}

void draw_labels(const TimelineRows& rows, Selection& selection) {
    for (int row = 0; row < rows.warps; ++row)
        if (rows.shows(row)) draw_label(rows, selection, row);
    put({rows.label_left + px(12), middle(rows.marks(), rows.height, Face::small_words)},
        {Face::small_words, colour::kDim},
        "marks");
}

// The wheel over the names, the bar at the right edge, and a warp that was selected elsewhere move the rows.
void scroll(TimelinePanel& panel, TimelineRows& rows, const Selection& selection, float right) {
    const float hidden = rows.hidden(), seen = rows.marks() - rows.box.low.y;
    const ImVec2 low(rows.label_left, rows.box.low.y);
    if (hidden > 0 && ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect(low, {rows.scale.left - px(6), rows.box.high.y}))
        panel.scroll -= ImGui::GetIO().MouseWheel * rows.height;
    rows.scroll = panel.scroll;
    if (selection.warp >= 0 && selection.warp < rows.warps && panel.warp != selection.warp &&
        !rows.shows(selection.warp))
        panel.scroll = rows.height * (static_cast<float>(selection.warp) + 0.5F) - seen / 2;
    panel.warp = selection.warp;
    if (hidden > 0) {
        const Box bar{
            {right - px(8), rows.box.low.y       },
            {right - px(2), rows.box.low.y + seen}
        };
        press(bar, "timeline/scroll");
        if (ImGui::IsItemActive()) panel.scroll += ImGui::GetIO().MouseDelta.y * (hidden + seen) / seen;
        const float size = seen * seen / (hidden + seen),
                    top = bar.low.y + std::clamp(panel.scroll / hidden, 0.0F, 1.0F) * (seen - size);
        const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
        ImGui::GetWindowDrawList()->AddRectFilled(
            {bar.low.x, top}, {bar.high.x, top + size}, lit ? colour::kFaint : colour::kStrongLine, px(3)
        );
    }
    panel.scroll = std::clamp(panel.scroll, 0.0F, hidden);
    rows.scroll = std::round(panel.scroll / rows.height) * rows.height;
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

// Stages in their order, then waiting: with their names as far as there is room, the rest as colours that say
// theirs under the mouse.
void draw_legend(const Session& session, Box header, float from) {
    struct Entry {
        std::string_view name;
        ImU32 ink;
    };
    std::vector<Entry> entries;
    for (const std::string& stage : session.capture.stages)
        entries.push_back({stage, stage_colour(static_cast<int>(entries.size()))});
    entries.push_back({"waiting", colour::kWaiting});
    constexpr float kSide = 10, kGap = 14, kNarrowGap = 6, kName = 134;  // pixels at scale 1
    const float right = header.high.x - px(size::kPad);
    float width = px(kSide + kNarrowGap) * static_cast<float>(entries.size());
    if (right - width < from) return;
    const auto more = [](const Entry& e) {
        return std::min(measure(Face::small_words, e.name).x, px(kName)) + px(5 + kGap - kNarrowGap);
    };
    size_t named = 0;
    while (named < entries.size() && right - width - more(entries[named]) >= from)
        width += more(entries[named++]);
    float x = right - width;
    const float y = header.low.y + (px(size::kHeader) - px(kSide)) / 2;
    for (size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        swatch({x, y}, px(kSide), entry.ink);
        const float step = px(kSide + kNarrowGap) + (i < named ? more(entry) : 0);
        if (i < named)
            put_clipped(
                {x + px(kSide + 5), middle(header.low.y, px(size::kHeader), Face::small_words)},
                px(kName),
                {Face::small_words, colour::kDim},
                entry.name
            );
        register_control("timeline/stage/" + std::string(entry.name), {x, y}, {x + step, y + px(kSide)});
        if (i >= named && ImGui::IsMouseHoveringRect({x, y}, {x + step, y + px(kSide)}))
            tooltip(std::string(entry.name));
        x += step;
    }
}

// Step buttons after the title; returns the x behind them.
float draw_steps(const Session& session, Selection& selection, Box header, const std::string& subtitle) {
    struct Step {
        const char *name, *label;
        int direction;
        StepKind stride;
    };
    constexpr Step kSteps[] = {
        {"timeline/back-stop",    "«",  -1, StepKind::stop   },
        {"timeline/back",         "‹", -1, StepKind::instant},
        {"timeline/forward",      "›", 1,  StepKind::instant},
        {"timeline/forward-stop", "»",  1,  StepKind::stop   },
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
    TimelineRows rows = rows_in(rest, scale_of(panel, session, selection, timeline, rest), timeline.warps);
    if (rows.box.height() < 2 * rows.height || rows.scale.right <= rows.scale.left) return;
    scroll(panel, rows, selection, rest.high.x);
    draw_labels(rows, selection);
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
    ImGui::PushClipRect(rows.box.low, {rows.box.high.x, rows.marks()}, true);
    draw_spans(rows, session, timeline);
    ImGui::PopClipRect();
    Under under;
    under.tiles = draw_marks(rows, session, selection, timeline);
    under.flag = draw_flags(rows, session, selection, panel.flags);
    draw_now(rows, selection.time, rest.low.y);
    if (panel.measured.is_chosen()) draw_stretch(rows, session, timeline, panel.measured);
    ImGui::PopClipRect();
    scrub(panel, session, selection, rows.scale, under);
    zoom(panel, selection, rows.scale, std::max<double>(timeline.end, 1), under);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int warp = static_cast<int>((mouse.y - rows.box.low.y + rows.scroll) / rows.height);
    const bool on_spans = panel.hovered && !ImGui::IsItemActive() && mouse.y >= rows.box.low.y &&
        mouse.y < rows.marks() && warp < timeline.warps;
    if (!on_spans || under.flag != nullptr) return;
    const std::string words = span_text(session, timeline, warp, time_at_x(rows.scale, mouse.x));
    if (!words.empty()) tooltip(words);
}

}  // namespace wl::app
