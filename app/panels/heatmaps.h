// The current tile three times: what the kernel got, the reference, and an error metric; linked.
#pragma once

#include "app/draw/heat_pane.h"
#include "app/panels/heat/tools.h"
#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"
#include "instrumentation/analysis/diff.h"

#include <array>
#include <utility>

namespace wl::app {

enum class Zoom : uint8_t { fit, one_to_one, cell, free };
// Of the two that stand against each other: a heatmap each with their difference, or one for both.
enum class Arrange : uint8_t { side, flip, split, blend };
enum class BarHandle : uint8_t { none, lo, hi };

struct HeatmapsPanel {
    analysis::Metric metric = analysis::Metric::difference;
    bool log = false;
    bool linked = true;   // the three views pan and zoom as one
    bool autofit = true;  // ranges follow the tile
    Zoom zoom = Zoom::fit;
    float lo = 0, hi = 1;           // values
    float error_extent = 1;         // the error palette spans neutral -+ this
    std::array<HeatView, 3> views;  // got, reference, error
    std::array<HeatCanvas, 3> canvases;
    uint64_t fitted = 0;  // TileView::content the ranges belong to
    Element centred;      // the selected element that was last brought into sight
    BarHandle dragged = BarHandle::none;
    HeatTools tools;
    bool swapped = false;  // got and reference have changed places
    bool flipped = false;  // the same, or the key that does it for now is held; not both
    Arrange arrange = Arrange::side;
    float split = 0.5F;  // where the slider stands, of the width
    float blend = 0.5F;  // how much of the second shines through
};
void draw(HeatmapsPanel& panel, const Session& session, Selection& selection, Commands& commands);

HeatStyle value_style(const HeatmapsPanel& panel);  // of got and reference

// ---- what the colours span (heatmaps_ranges.cpp)
// Least and largest finite element of got and reference; of one that has none the other's alone.
std::pair<float, float> values_between(const TileView& tile);
void fit_ranges(HeatmapsPanel& panel, const TileView& tile);
void fit_errors(HeatmapsPanel& panel, const TileView& tile);  // of the metric
void choose_metric(HeatmapsPanel& panel, const TileView& tile, int metric);

// Drawn by heatmaps_toolbar.cpp; returns the height it took (it folds into more rows where it is narrow).
float draw_toolbar(HeatmapsPanel& panel, const Session& session, Commands& commands, Box box);

// ---- the menu of an element (heatmaps_menu.cpp)
void open_cell_menu(const Session& session, Selection& selection, Element at);
void draw_cell_menu(const Session& session, const Selection& selection, Commands& commands);

// ---- both in one place (heatmaps_arranged.cpp)
void drag_split(HeatmapsPanel& panel, int cols, Box heat);  // before the heatmap takes the mouse
// Over the pane of the first, which `pane` describes, the second.
void draw_second(HeatmapsPanel& panel, const TileView& tile, HeatPane pane, const PaneBoxes& boxes);

}  // namespace wl::app
