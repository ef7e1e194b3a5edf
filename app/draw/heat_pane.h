// One heatmap with its rulers, marks, numbers and colour bar: what the window and the pictures of the command
// line share.
#pragma once

#include "app/draw/heat.h"
#include "app/draw/widgets.h"
#include "app/session/tile_view.h"

namespace wl::app {

struct HeatPane {
    const TileView* tile = nullptr;
    const Layer* layer = nullptr;
    HeatStyle style;
    uint64_t content = 0;
    HeatView view;
    Element selected, hovered;
};

struct PaneBoxes {
    Box columns, rows;  // rulers above and to the left
    Box heat;
    Box bar;  // colour bar with its labels
};
PaneBoxes pane_boxes(Box pane);

void draw_pane(HeatRenderer& renderer, HeatCanvas& canvas, const HeatPane& pane, const PaneBoxes& boxes);

// Colour bar over [full_lo, full_hi] with handles at the ends of the palette and a marker at one value (NaN:
// none).
struct ColourBar {
    HeatStyle style;
    float full_lo = 0, full_hi = 1;
    float marker = 0;
    bool handles = false;
    const Layer* layer = nullptr;  // whose values stand above the bar as a histogram; null: none do
};
constexpr float kBarHeight = 38, kHistogramHeight = 26;  // pixels at scale 1; with the gaps
float bar_histogram(Box box);  // its height in a bar's box: 0 where there is no room
void draw_colour_bar(Box box, const ColourBar& bar);
float bar_x_at_value(Box box, const ColourBar& bar, float value);
float bar_value_at_x(Box box, const ColourBar& bar, float x);

// The heatmap's marks alone, for views without rulers: selection, hovered element, rings.
void draw_marks(const HeatPane& pane, Box heat);

ImU32 heat_colour(const HeatStyle& style, float value);
constexpr float kNumbersFrom = 24;  // pixels a cell; ui: the cross-hair lines go then

}  // namespace wl::app
