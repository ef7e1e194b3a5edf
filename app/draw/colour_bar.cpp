// The colour bar under a heatmap: histogram, palette, handles, marker, labels.
#include "app/draw/heat_pane.h"
#include "app/draw/numbers.h"

#include <algorithm>
#include <cmath>

namespace wl::app {

namespace {

constexpr float kThickness = 7;  // pixels at scale 1

void draw_gradient(Box box, const ColourBar& bar) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const int pieces = std::clamp(static_cast<int>(box.width() / 4), 8, 128);
    const float bottom = box.low.y + px(kThickness);
    const auto x_at = [&](int piece) {
        return box.low.x + box.width() * static_cast<float>(piece) / static_cast<float>(pieces);
    };
    for (int piece = 0; piece < pieces; ++piece) {
        const ImU32 left = heat_colour(bar.style, bar_value_at_x(box, bar, x_at(piece)));
        const ImU32 right = heat_colour(bar.style, bar_value_at_x(box, bar, x_at(piece + 1)));
        list->AddRectFilledMultiColor(
            {x_at(piece), box.low.y}, {x_at(piece + 1), bottom}, left, right, right, left
        );
    }
}

// `top`: handles go up through the histogram.
void draw_handle(Box box, const ColourBar& bar, float value, float top) {
    const float x = bar_x_at_value(box, bar, value), bottom = box.low.y + px(kThickness);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({x - px(1), top - px(2)}, {x + px(1), bottom + px(2)}, colour::kBright);
    list->AddTriangleFilled(
        {x, bottom}, {x + px(4), bottom + px(6)}, {x - px(4), bottom + px(6)}, colour::kBright
    );
}

// How many elements have a value there, by the logarithm: one isolated element is seen beside millions. What
// the palette does not reach is pale.
void draw_histogram(Box box, const ColourBar& bar) {
    const Layer& layer = *bar.layer;
    float most = 0;
    for (const float count : layer.bins) most = std::max(most, count);
    if (most <= 0) return;
    const float width = (layer.hi - layer.lo) / kValueBins, height = box.height() - px(3);
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (size_t bin = 0; bin < layer.bins.size(); ++bin) {
        if (layer.bins[bin] <= 0) continue;
        const float from = layer.lo + width * static_cast<float>(bin);
        const float left = bar_x_at_value(box, bar, from), right = bar_x_at_value(box, bar, from + width);
        const float share = (std::log2(layer.bins[bin]) + 1) / (std::log2(most) + 1);
        const bool inside = from + width >= bar.style.lo && from <= bar.style.hi;
        const ImU32 ink = inside ? ImU32{colour::kCount} : colour::with_alpha(colour::kCount, 80);
        list->AddRectFilled(
            {left, box.high.y - px(2) - share * height}, {std::max(left + 1, right), box.high.y - px(2)}, ink
        );
    }
}

}  // namespace

float bar_histogram(Box box) { return box.height() > px(kBarHeight) ? px(kHistogramHeight - 4) : 0; }

float bar_x_at_value(Box box, const ColourBar& bar, float value) {
    const float extent = bar.full_hi - bar.full_lo;
    const float at = extent > 0 ? (value - bar.full_lo) / extent : 0.5F;
    return box.low.x + box.width() * std::clamp(at, 0.0F, 1.0F);
}

float bar_value_at_x(Box box, const ColourBar& bar, float x) {
    return bar.full_lo +
        (bar.full_hi - bar.full_lo) * std::clamp((x - box.low.x) / std::max(1.0F, box.width()), 0.0F, 1.0F);
}

void draw_colour_bar(Box box, const ColourBar& bar) {
    if (box.width() < px(20)) return;
    const float top = box.low.y, histogram = bar_histogram(box);
    if (bar.layer != nullptr && histogram > 0)
        draw_histogram(
            {
                box.low, {box.high.x, top + histogram}
        },
            bar
        );
    box.low.y += histogram;
    draw_gradient(box, bar);
    if (bar.handles) {
        draw_handle(box, bar, bar.style.lo, top);
        draw_handle(box, bar, bar.style.hi, top);
    }
    if (std::isfinite(bar.marker)) {
        const float x = bar_x_at_value(box, bar, bar.marker);
        ImGui::GetWindowDrawList()->AddTriangleFilled(
            {x - px(4), box.low.y - px(7)},
            {x + px(4), box.low.y - px(7)},
            {x, box.low.y - px(1)},
            colour::kText
        );
    }
    const float y = box.low.y + px(kThickness + 8);
    const TextStyle dim{Face::small_numbers, colour::kDim};
    std::string low, high;
    for (int digits = 3; digits > 0; --digits) {  // as many as a narrow bar has room for
        low = number(bar.full_lo, digits), high = number(bar.full_hi, digits);
        if (measure(dim.face, low).x + measure(dim.face, high).x + px(6) <= box.width()) break;
    }
    put({box.low.x, y}, dim, low);
    put_right({box.high.x, y}, dim, high);
    const float middle_value =
        bar.style.map == HeatMap::errors ? bar.style.neutral : (bar.full_lo + bar.full_hi) / 2;
    const std::string middle_text = number(middle_value, 3);
    const float x = bar_x_at_value(box, bar, middle_value), half = measure(dim.face, middle_text).x / 2;
    const float from = box.low.x + measure(dim.face, low).x + px(8) + half,
                to = box.high.x - measure(dim.face, high).x - px(8) - half;
    if (x >= from && x <= to)
        put_centred({x, y + line_height(dim.face) / 2}, {dim.face, colour::kFaint}, middle_text);
}

}  // namespace wl::app
