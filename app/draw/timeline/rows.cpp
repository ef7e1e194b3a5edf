// Draw lists only; nothing here reacts to the mouse but the tooltip.
#include "app/draw/timeline/rows.h"

#include "app/draw/numbers.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
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

// Where a span can be seen; empty: nowhere.
std::optional<Box> box_of(const TimelineRows& rows, const Span& span) {
    const float low = std::max(rows.scale.left, x_at_time(rows.scale, span.begin)),
                high = std::min(rows.scale.right, x_at_time(rows.scale, span.end));
    const bool seen = rows.y(span.row + 1) > rows.box.low.y && rows.y(span.row) < rows.marks();
    if (!seen || high < rows.scale.left || low > rows.scale.right) return std::nullopt;
    return Box{
        {low,        rows.y(span.row) + 1    },
        { std::max(low + 1, high - 1), rows.y(span.row + 1) - 1}
    };
}

void draw_span(const TimelineRows& rows, const Span& span) {
    if (const auto box = box_of(rows, span))
        ImGui::GetWindowDrawList()->AddRectFilled(box->low, box->high, span.ink);
}

// Behind the boxes of all, so that these are drawn at one go.
void draw_label(const TimelineRows& rows, const Span& span) {
    const auto box = box_of(rows, span);
    if (!box || span.label.empty() || box->height() < px(12)) return;
    if (measure(Face::small_words, span.label).x + px(7) > box->width()) return;
    put({box->low.x + px(5), middle(box->low.y, box->height(), Face::small_words)},
        {Face::small_words, colour::kText},
        span.label);
}

// Calls `draw` with those of a warp's spans that can be seen; of several within a pixel with the first.
// `spans` lie by (warp, begin): what is not seen is passed over by bisection.
template <class T, class Draw>
void for_visible(const TimelineRows& rows, const std::vector<T>& spans, int warps, Draw draw) {
    const double pixel =
        (rows.scale.last - rows.scale.first) / std::max(1.0F, rows.scale.right - rows.scale.left);
    auto at = spans.begin();
    for (int warp = 0; warp < warps; ++warp) {
        const auto ends_before = [warp](double time) {
            return [warp, time](const T& span) {
                return span.warp != warp ? span.warp < warp : static_cast<double>(span.end) < time;
            };
        };
        at = std::partition_point(at, spans.end(), ends_before(rows.scale.first));
        while (at != spans.end() && at->warp == warp && static_cast<double>(at->begin) <= rows.scale.last) {
            draw(*at);
            const double next =
                std::max(static_cast<double>(at->end), static_cast<double>(at->begin) + pixel);
            at = static_cast<double>(at->end) >= next
                ? std::next(at)
                : std::partition_point(at, spans.end(), ends_before(next));
        }
        at = std::partition_point(at, spans.end(), [warp](const T& span) { return span.warp <= warp; });
    }
}

ImU32 verdict_colour(const capture::Tile& tile) {
    if (tile.verdict == capture::Verdict::bad)
        return tile.nan + tile.inf > 0 ? colour::kNonFinite : colour::kBad;
    return tile.verdict == capture::Verdict::ok ? colour::kGood : colour::kFaint;
}

// Names every tile whose mark is under the mouse.
void draw_mark_tooltip(const Session& session, const std::vector<int>& tiles) {
    constexpr size_t kNamed = 12;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(8)));
    if (ImGui::BeginTooltip()) {
        for (size_t i = 0; i < std::min(tiles.size(), kNamed); ++i) {
            const capture::Tile& taken = session.capture.tiles[static_cast<size_t>(tiles[i])];
            const ImVec2 low = ImGui::GetCursorScreenPos();
            diamond({low.x + px(5), low.y + px(8)}, px(4), verdict_colour(taken));
            std::string name = session.capture.probes[static_cast<size_t>(taken.probe)].name;
            if (taken.warp >= 0) name += " w" + std::to_string(taken.warp);
            put({low.x + px(18), low.y}, {Face::small_words, colour::kText}, name);
            ImGui::Dummy({px(24) + measure(Face::small_words, name).x, px(16)});
        }
        if (tiles.size() > 1) {
            const std::string more = tiles.size() > kNamed ? std::to_string(tiles.size()) + " marks; " : "";
            ImGui::TextDisabled("%sa click goes from one to the next", more.c_str());
        }
        ImGui::EndTooltip();
    }
    ImGui::PopStyleVar();
}

}  // namespace

ImU32 stage_colour(int stage, bool light) {
    constexpr std::array<ImU32, kStageHues> kHues = {
        colour::hex(0x4f8fd0),
        colour::hex(0x6fae7a),
        colour::hex(0xd8924a),
        colour::hex(0xa67fd0),
        colour::hex(0x55b3b0),
        colour::hex(0xc46a8d)};
    const ImU32 ground = colour::of(colour::Role::panel, light);
    if (stage < 0) return colour::blend(colour::with_alpha(colour::of(colour::Role::dim, light), 40), ground);
    const ImU32 hue = kHues[static_cast<size_t>(stage) % kHues.size()];
    return colour::blend(colour::with_alpha(hue, light ? 92 : 84), ground);
}
ImU32 stage_colour(int stage) { return stage_colour(stage, is_light()); }

TimelineRows rows_in(Box room, const TimelineScale& scale, int warps) {
    TimelineRows rows;
    rows.scale = scale, rows.warps = warps, rows.label_left = room.low.x;
    const float top = room.low.y + px(kTimelineRuler), height = room.high.y - px(4) - top,
                all = static_cast<float>(warps + 1),
                most = std::max(1.0F, std::floor(height / px(kLeastRow)));
    rows.height = std::min(height / std::min(all, most), px(kMostRow));  // whole rows
    rows.box = {
        {scale.left,             top               },
        { scale.right, top + std::min(height, rows.height * all)}
    };
    return rows;
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
    std::array<ImU32, kStageHues + 1> inks{};
    for (int stage = -1; stage < kStageHues; ++stage)
        inks[static_cast<size_t>(stage + 1)] = stage_colour(stage);
    const auto of_stage = [&](const analysis::StageSpan& span) {
        const bool named = span.stage >= 0;
        const std::string_view name =
            named ? std::string_view(session.capture.stages[static_cast<size_t>(span.stage)]) : "";
        const ImU32 ink = inks[named ? 1 + static_cast<size_t>(span.stage % kStageHues) : 0];
        return Span{span.warp, static_cast<double>(span.begin), static_cast<double>(span.end), ink, name};
    };
    for (const auto draw : {draw_span, draw_label})
        for_visible(rows, timeline.stages, timeline.warps, [&](const analysis::StageSpan& span) {
            draw(rows, of_stage(span));
        });
    const ImU32 waiting = colour::kWaiting, edge = colour::with_alpha(colour::kDim, 160);
    for_visible(rows, timeline.barriers, timeline.warps, [&](const analysis::BarrierSpan& span) {
        draw_span(rows, {span.warp, static_cast<double>(span.begin), static_cast<double>(span.end), waiting});
    });
    // Where a barrier lets the warp go.
    for_visible(rows, timeline.barriers, timeline.warps, [&](const analysis::BarrierSpan& span) {
        const float x = x_at_time(rows.scale, span.end);
        if (x >= rows.scale.left && x <= rows.scale.right)
            hairline({x, rows.y(span.warp) + 1}, {x, rows.y(span.warp + 1) - 1}, edge);
    });
}

std::vector<int> draw_marks(
    const TimelineRows& rows,
    const Session& session,
    const Selection& selection,
    const analysis::Timeline& timeline
) {
    const float y = rows.marks() + rows.height / 2, r = std::min(px(4.5F), rows.height / 2 - 1);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool near_row = std::abs(mouse.y - y) <= rows.height / 2 &&
        ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    const auto from =
        std::partition_point(timeline.tiles.begin(), timeline.tiles.end(), [&](const auto& instant) {
            return instant.time < rows.scale.first;
        });
    std::vector<int> under;
    for (const bool wrong : {true, false}) {
        float last = -1e9F;  // of several within a pixel one is drawn
        for (auto at = from; at != timeline.tiles.end() && at->time <= rows.scale.last; ++at) {
            const capture::Tile& tile = session.capture.tiles[static_cast<size_t>(at->tile)];
            if ((tile.verdict == capture::Verdict::bad) != wrong) continue;
            const float x = x_at_time(rows.scale, at->time);
            if (near_row && std::abs(mouse.x - x) <= px(6)) under.push_back(at->tile);
            if (wrong || x - last < 1) continue;
            last = x;
            diamond({x, y}, r, verdict_colour(tile));
        }
    }
    float last = -1e9F;
    for (auto at = from; at != timeline.tiles.end() && at->time <= rows.scale.last; ++at) {
        const capture::Tile& tile = session.capture.tiles[static_cast<size_t>(at->tile)];
        const float x = x_at_time(rows.scale, at->time);
        const bool chosen = at->tile == selection.tile;
        if (chosen) diamond({x, y}, r + px(3), colour::kSelection);
        if (chosen || (tile.verdict == capture::Verdict::bad && x - last >= 1)) {
            diamond({x, y}, r, verdict_colour(tile));
            last = x;
        }
    }
    if (!under.empty()) draw_mark_tooltip(session, under);
    return under;
}

void draw_now(const TimelineRows& rows, uint32_t time, float top) {
    const float x = x_at_time(rows.scale, time);
    if (x < rows.scale.left || x > rows.scale.right) return;
    hairline({x, top + px(kTimelineRuler - 4)}, {x, rows.box.high.y}, colour::kSelection);
    const std::string text = count_text(time);
    const float half = measure(Face::small_numbers, text).x / 2 + px(5);
    const float centre = std::clamp(x, rows.scale.left + half, rows.scale.right - half);
    covers({centre - half, top + 1}, {centre + half, top + px(17)});
    ImGui::GetWindowDrawList()->AddRectFilled(
        {centre - half, top + 1}, {centre + half, top + px(17)}, colour::kSelection, px(2)
    );
    put_centred({centre, top + px(9)}, {Face::small_numbers, colour::kBar}, text);
}

}  // namespace wl::app
