// Draw lists only; nothing here reacts to the mouse but the tooltip.
#include "app/draw/timeline_rows.h"

#include "app/draw/numbers.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace wl::app {

namespace {

double nice_step(double least) {
    const double decade = std::pow(10, std::floor(std::log10(std::max(least, 1.0))));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (decade * factor >= least) return decade * factor;
    }
    return decade * 10;
}

struct Span {
    int row = 0;
    double begin = 0, end = 0;
    ImU32 ink = 0;
    std::string_view label = {};
};

void draw_span(const TimelineRows& rows, const Span& span) {
    const float low = std::max(rows.scale.left, x_at_time(rows.scale, span.begin)),
                high = std::min(rows.scale.right, x_at_time(rows.scale, span.end));
    if (high < rows.scale.left || low > rows.scale.right) return;
    const float top = rows.y(span.row) + 1, bottom = rows.y(span.row + 1) - 1;
    ImGui::GetWindowDrawList()->AddRectFilled({low, top}, {std::max(low + 1, high - 1), bottom}, span.ink);
    const bool fits = measure(Face::small_words, span.label).x + px(8) <= high - low;
    if (span.label.empty() || bottom - top < px(12) || !fits) return;
    put({low + px(5), middle(top, bottom - top, Face::small_words)},
        {Face::small_words, colour::kBar},
        span.label);
}

ImU32 verdict_colour(const capture::Tile& tile) {
    if (tile.verdict == capture::Verdict::bad)
        return tile.nan + tile.inf > 0 ? colour::kNonFinite : colour::kBad;
    return tile.verdict == capture::Verdict::ok ? colour::kGood : colour::kFaint;
}

// Names every tile that was taken at that instant.
void draw_mark_tooltip(const Session& session, const analysis::Timeline& timeline, int tile) {
    const uint64_t time = session.capture.tiles[static_cast<size_t>(tile)].time;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(8)));
    if (ImGui::BeginTooltip()) {
        for (const analysis::TileInstant& instant : timeline.tiles) {
            if (instant.time != time) continue;
            const capture::Tile& taken = session.capture.tiles[static_cast<size_t>(instant.tile)];
            const ImVec2 low = ImGui::GetCursorScreenPos();
            diamond({low.x + px(5), low.y + px(8)}, px(4), verdict_colour(taken));
            const std::string name = session.capture.probes[static_cast<size_t>(taken.probe)].name;
            put({low.x + px(18), low.y}, {Face::small_words, colour::kText}, name);
            ImGui::Dummy({px(24) + measure(Face::small_words, name).x, px(16)});
        }
        ImGui::EndTooltip();
    }
    ImGui::PopStyleVar();
}

}  // namespace

ImU32 stage_colour(int stage) {
    constexpr std::array<ImU32, 6> kStages = {
        colour::hex(0x4f8fd0),
        colour::hex(0x6fae7a),
        colour::hex(0xd8924a),
        colour::hex(0xa67fd0),
        colour::hex(0x55b3b0),
        colour::hex(0xc46a8d)};
    return stage < 0 ? colour::hex(0x2b3037) : kStages[static_cast<size_t>(stage) % kStages.size()];
}

void draw_ruler(const TimelineRows& rows, float top, uint32_t now) {
    const TimelineScale& scale = rows.scale;
    const double step =
        nice_step((scale.last - scale.first) / std::max(1.0F, (scale.right - scale.left) / px(110)));
    const auto first = static_cast<int64_t>(std::ceil(scale.first / step));
    const auto last = static_cast<int64_t>(std::floor(scale.last / step));
    for (int64_t tick = first; tick <= last; ++tick) {
        const double time = static_cast<double>(tick) * step;
        const float x = x_at_time(scale, time);
        hairline({x, top + px(kTimelineRuler - 5)}, {x, rows.box.high.y}, colour::kLine);
        const std::string text = count_text(static_cast<int64_t>(time));
        const float width = measure(Face::small_numbers, text).x, now_x = x_at_time(scale, now);
        const bool hidden = now_x > x - px(34) && now_x < x + width + px(38);  // under the present time's tab
        if (!hidden) put({x + px(4), top + px(3)}, {Face::small_numbers, colour::kFaint}, text);
    }
}

void draw_spans(const TimelineRows& rows, const Session& session, const analysis::Timeline& timeline) {
    for (const analysis::StageSpan& span : timeline.stages) {
        const std::string_view name =
            span.stage >= 0 ? std::string_view(session.capture.stages[static_cast<size_t>(span.stage)]) : "";
        const auto begin = static_cast<double>(span.begin), end = static_cast<double>(span.end);
        draw_span(rows, {span.warp, begin, end, stage_colour(span.stage), name});
    }
    for (const analysis::BarrierSpan& span : timeline.barriers) {
        draw_span(
            rows,
            {span.warp, static_cast<double>(span.begin), static_cast<double>(span.end), colour::kWaiting}
        );
    }
}

int draw_marks(
    const TimelineRows& rows,
    const Session& session,
    const Selection& selection,
    const analysis::Timeline& timeline
) {
    const float y = rows.y(timeline.warps) + rows.height / 2, r = std::min(px(4.5F), rows.height / 2 - 1);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool near_row = std::abs(mouse.y - y) <= rows.height / 2 && ImGui::IsWindowHovered();
    int under = -1;
    float nearest = px(6);
    for (const bool wrong : {false, true}) {
        for (const analysis::TileInstant& instant : timeline.tiles) {
            const capture::Tile& tile = session.capture.tiles[static_cast<size_t>(instant.tile)];
            if ((tile.verdict == capture::Verdict::bad) != wrong) continue;
            const float x = x_at_time(rows.scale, instant.time);
            if (x < rows.scale.left - r || x > rows.scale.right + r) continue;
            if (instant.tile == selection.tile) diamond({x, y}, r + px(3), colour::kSelection);
            diamond({x, y}, r, verdict_colour(tile));
            if (!near_row || std::abs(mouse.x - x) > nearest) continue;
            nearest = std::abs(mouse.x - x);
            under = instant.tile;
        }
    }
    if (under >= 0) draw_mark_tooltip(session, timeline, under);
    return under;
}

void draw_now(const TimelineRows& rows, uint32_t time, float top) {
    const float x = x_at_time(rows.scale, time);
    if (x < rows.scale.left || x > rows.scale.right) return;
    hairline({x, top + px(kTimelineRuler - 4)}, {x, rows.box.high.y}, colour::kSelection);
    const std::string text = count_text(time);
    const float half = measure(Face::small_numbers, text).x / 2 + px(5);
    const float centre = std::clamp(x, rows.scale.left + half, rows.scale.right - half);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {centre - half, top + 1}, {centre + half, top + px(17)}, colour::kSelection, px(2)
    );
    put_centred({centre, top + px(9)}, {Face::small_numbers, colour::kBar}, text);
}

}  // namespace wl::app
