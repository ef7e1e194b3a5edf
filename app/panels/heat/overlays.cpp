// Profiles along a row and a column, and how much lies beyond the palette or on which side of zero.
#include "app/draw/numbers.h"
#include "app/panels/heat/tools.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {

namespace {

constexpr float kStrip = 54;  // pixels at scale 1

// The elements of one row or column that can be seen, in the order of the screen.
struct Profile {
    int first = 0;
    std::vector<float> values;
};
Profile along_row(const Plane& plane, int row, int first, int end) {
    Profile profile{first, std::vector<float>(static_cast<size_t>(std::max(0, end - first)))};
    if (!profile.values.empty()) plane.read(row, first, end - first, profile.values.data());
    return profile;
}
Profile along_column(const Plane& plane, int col, int first, int end) {
    Profile profile{first, {}};
    for (int row = first; row < end; ++row) profile.values.push_back(plane(row, col));
    return profile;
}

// A curve through the middles of the cells; of several cells within a pixel from their least to their
// largest.
struct Curve {
    Box strip;
    bool vertical = false;  // the profile of a column, from top to bottom
    float lo = 0, hi = 1;
    ImU32 ink = 0;
};
ImVec2 point(const Curve& curve, float along, float value) {
    const float share = std::clamp((value - curve.lo) / (curve.hi - curve.lo), 0.0F, 1.0F);
    if (curve.vertical) return {curve.strip.low.x + share * curve.strip.width(), along};
    return {along, curve.strip.high.y - share * curve.strip.height()};
}

void draw_curve(const Curve& curve, const HeatView& view, Box heat, const Profile& profile) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    std::vector<ImVec2> points;
    const auto flush = [&] {
        if (points.size() > 1)
            list->AddPolyline(points.data(), static_cast<int>(points.size()), curve.ink, 0, px(1.2F));
        points.clear();
    };
    const double cell = curve.vertical ? view.cell_height : view.cell_width;
    const size_t each = static_cast<size_t>(std::max(1.0, std::floor(1 / cell)));
    for (size_t i = 0; i < profile.values.size(); i += each) {
        const auto begin = profile.values.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end =
            profile.values.begin() + static_cast<std::ptrdiff_t>(std::min(i + each, profile.values.size()));
        const auto [low, high] = std::minmax_element(begin, end);
        if (!std::isfinite(*low) || !std::isfinite(*high)) {
            flush();
            continue;
        }
        const double middle_of =
            profile.first + static_cast<double>(i) + static_cast<double>(end - begin) / 2;
        const float along =
            curve.vertical ? y_at_row(view, heat.low, middle_of) : x_at_col(view, heat.low, middle_of);
        points.push_back(point(curve, along, *low));
        if (*high > *low) points.push_back(point(curve, along, *high));
    }
    flush();
}

void draw_strip(const HeatPane& pane, Box heat, Element at, bool vertical) {
    const Plane& plane = pane.layer->values;
    const Element low = element_at_pixel(pane.view, heat.low, heat.low),
                  high = element_at_pixel(pane.view, heat.low, heat.high);
    const Box strip = vertical ? Box{{heat.high.x - px(kStrip), heat.low.y}, heat.high} : Box{{heat.low.x, heat.high.y - px(kStrip)}, heat.high};
    ImGui::GetWindowDrawList()->AddRectFilled(strip.low, strip.high, colour::with_alpha(colour::kBar, 205));
    Curve curve{
        {{strip.low.x + px(3), strip.low.y + px(3)}, {strip.high.x - px(3), strip.high.y - px(3)}},
        vertical,
        pane.style.lo,
        pane.style.hi,
        colour::kBright
    };
    if (!(curve.hi > curve.lo)) return;
    const int first = std::clamp(vertical ? low.row : low.col, 0, vertical ? plane.rows : plane.cols);
    const int end =
        std::clamp((vertical ? high.row : high.col) + 1, first, vertical ? plane.rows : plane.cols);
    draw_curve(
        curve,
        pane.view,
        heat,
        vertical ? along_column(plane, at.col, first, end) : along_row(plane, at.row, first, end)
    );
    const std::string name = vertical ? "col " + std::to_string(at.col) : "row " + std::to_string(at.row);
    put({strip.low.x + px(5), strip.low.y + px(3)}, {Face::tiny_numbers, colour::kDim}, name);
}

}  // namespace

Clipped clipped_of(const Layer& layer, float lo, float hi) {
    constexpr int64_t kMost = 1 << 20;
    Clipped clipped;
    const Plane& plane = layer.values;
    if (int64_t{plane.rows} * plane.cols <= kMost) {
        std::vector<float> row(static_cast<size_t>(plane.cols));
        for (int r = 0; r < plane.rows; ++r) {
            plane.read(r, 0, plane.cols, row.data());
            for (const float v : row) {
                clipped.below += std::isfinite(v) && v < lo ? 1 : 0;
                clipped.above += std::isfinite(v) && v > hi ? 1 : 0;
            }
        }
        return clipped;
    }
    clipped.exact = false;
    double all = 0, below = 0, above = 0;
    const double width = static_cast<double>(layer.hi - layer.lo) / kValueBins;
    for (size_t bin = 0; bin < layer.bins.size(); ++bin) {
        const double from = static_cast<double>(layer.lo) + width * static_cast<double>(bin);
        const auto count = static_cast<double>(layer.bins[bin]);
        all += count;
        if (from + width <= static_cast<double>(lo)) below += count;
        if (from >= static_cast<double>(hi)) above += count;
    }
    const double scale = all > 0 ? static_cast<double>(layer.figures.finite) / all : 0;
    clipped.below = static_cast<int64_t>(below * scale), clipped.above = static_cast<int64_t>(above * scale);
    return clipped;
}

void draw_profiles(const HeatPane& pane, Box heat) {
    const Element at = exists(pane.hovered) ? pane.hovered : pane.selected;
    const Plane& plane = pane.layer->values;
    if (!exists(at) || at.row >= plane.rows || at.col >= plane.cols) return;
    if (heat.width() < px(3 * kStrip) || heat.height() < px(3 * kStrip)) return;
    ImGui::PushClipRect(heat.low, heat.high, true);
    draw_strip(pane, heat, at, false);
    draw_strip(pane, heat, at, true);
    ImGui::PopClipRect();
}

void draw_overlay_counts(HeatTools& tools, const HeatPane& pane, int which, Box heat) {
    if (pane.style.overlay == Overlay::none) return;
    std::vector<std::pair<std::string, ImU32>> parts;
    if (pane.style.overlay == Overlay::clipped) {
        HeatTools::Counted& counted = tools.counted[static_cast<size_t>(which)];
        const bool same =
            counted.content == pane.content && counted.lo == pane.style.lo && counted.hi == pane.style.hi;
        if (!same)
            counted = {
                pane.content,
                pane.style.lo,
                pane.style.hi,
                clipped_of(*pane.layer, pane.style.lo, pane.style.hi)};
        const char* about = counted.clipped.exact ? "" : "~";
        parts = {
            {about + count_text(counted.clipped.below) + " below", colour::kAccent},
            {about + count_text(counted.clipped.above) + " above", colour::kBad   }
        };
    } else {
        const PlaneFigures& figures = pane.layer->figures;
        parts = {
            {count_text(figures.negative) + " negative",                                 colour::kAccent},
            {count_text(figures.zero) + " zero",                                         colour::kDim   },
            {count_text(figures.finite - figures.negative - figures.zero) + " positive",
             colour::kDifference                                                                        }
        };
    }
    const auto width_of = [&parts] {
        float width = px(6);
        for (const auto& [text, ink] : parts) width += measure(Face::small_numbers, text).x + px(12);
        return width;
    };
    if (width_of() > heat.width() - px(12))  // numbers alone: their colours are the legend's
        for (auto& [text, ink] : parts) text = text.substr(0, text.rfind(' '));
    const float width = width_of();
    const ImVec2 low(heat.low.x + px(6), heat.low.y + px(6));
    ImGui::GetWindowDrawList()->AddRectFilled(
        low, {low.x + width, low.y + px(20)}, colour::with_alpha(colour::kBar, 230), px(3)
    );
    float x = low.x + px(9);
    for (const auto& [text, ink] : parts)
        x = put({x, middle(low.y, px(20), Face::small_numbers)}, {Face::small_numbers, ink}, text) + px(12);
}

}  // namespace wl::app
