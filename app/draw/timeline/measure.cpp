// Sums over the spans that touch the stretch.
#include "app/draw/timeline/measure.h"

#include "app/draw/numbers.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace wl::app {

namespace {

template <class Span>
double overlap(const Span& span, Stretch stretch) {
    return std::max(
        0.0,
        std::min(static_cast<double>(span.end), stretch.to) -
            std::max(static_cast<double>(span.begin), stretch.from)
    );
}

Stretch ordered(Stretch stretch) {
    return {std::min(stretch.from, stretch.to), std::max(stretch.from, stretch.to)};
}

std::string percent(double share) { return number(100 * share, 3) + " %"; }

std::string extent_text(double begin, double end) {
    const auto whole = [](double time) { return count_text(static_cast<int64_t>(time)); };
    return whole(begin) + " to " + whole(end) + ", " + whole(end - begin) + " instructions";
}

}  // namespace

StretchShares shares_of(const analysis::Timeline& timeline, size_t stages, Stretch chosen) {
    const Stretch stretch = ordered(chosen);
    StretchShares shares;
    shares.length = stretch.to - stretch.from;
    shares.stages.assign(stages + 1, 0);
    double all = 0;
    for (const analysis::StageSpan& span : timeline.stages) {
        const double part = overlap(span, stretch);
        all += part;
        shares.stages[span.stage < 0 ? stages : std::min(static_cast<size_t>(span.stage), stages)] += part;
    }
    for (const analysis::BarrierSpan& span : timeline.barriers) shares.waiting += overlap(span, stretch);
    if (all == 0) return shares;
    for (double& stage : shares.stages) stage /= all;
    shares.waiting /= all;
    return shares;
}

void draw_stretch(
    const TimelineRows& rows, const Session& session, const analysis::Timeline& timeline, Stretch chosen
) {
    const Stretch stretch = ordered(chosen);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float left = x_at_time(rows.scale, stretch.from), right = x_at_time(rows.scale, stretch.to);
    list->AddRectFilled(
        {left, rows.box.low.y}, {right, rows.box.high.y}, colour::with_alpha(colour::kAccent, 40)
    );
    for (const float x : {left, right}) hairline({x, rows.box.low.y}, {x, rows.box.high.y}, colour::kAccent);
    const std::vector<std::string>& names = session.capture.stages;
    const StretchShares shares = shares_of(timeline, names.size(), stretch);
    std::vector<std::pair<std::string, ImU32>> lines = {
        {extent_text(stretch.from, stretch.to), colour::kBright}
    };
    for (size_t stage = 0; stage < names.size(); ++stage)
        if (shares.stages[stage] > 0)
            lines.emplace_back(names[stage] + "  " + percent(shares.stages[stage]), colour::kText);
    if (shares.waiting > 0) lines.emplace_back("of it waiting  " + percent(shares.waiting), colour::kDim);
    float width = 0;
    for (const auto& [text, ink] : lines) width = std::max(width, measure(Face::small_words, text).x);
    const float line = px(17), height = line * static_cast<float>(lines.size()) + px(8);
    const float x = std::clamp(
        right + px(6), rows.scale.left, std::max(rows.scale.left, rows.scale.right - width - px(16))
    );
    const ImVec2 low(x, rows.box.low.y + px(4));
    list->AddRectFilled(low, {x + width + px(16), low.y + height}, colour::kPopup, px(3));
    list->AddRect(low, {x + width + px(16), low.y + height}, colour::kStrongLine, px(3));
    float y = low.y + px(4);
    for (const auto& [text, ink] : lines) {
        put({x + px(8), y}, {Face::small_words, ink}, text);
        y += line;
    }
}

std::string span_text(const Session& session, const analysis::Timeline& timeline, int warp, double time) {
    std::string text;
    if (const analysis::StageSpan* stage = span_at(timeline.stages, warp, time)) {
        text = stage->stage < 0 ? "before the first stage"
                                : session.capture.stages[static_cast<size_t>(stage->stage)] + ", iteration " +
                std::to_string(stage->iteration);
        text = "warp " + std::to_string(warp) + ": " + text + "\n" + extent_text(stage->begin, stage->end);
    }
    if (const analysis::BarrierSpan* wait = span_at(timeline.barriers, warp, time)) {
        const std::string place = place_text(session.capture, static_cast<int>(wait->site));
        text += (text.empty() ? "" : "\n") + std::string("waits at barrier ") +
            std::to_string(wait->barrier) + (place.empty() ? "" : ", " + place) + ": " +
            extent_text(wait->begin, wait->end);
    }
    return text;
}

}  // namespace wl::app
