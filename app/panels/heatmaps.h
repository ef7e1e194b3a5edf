// The current tile three times: what the kernel got, the reference, and an error metric; linked.
#pragma once

#include "app/draw/heat_pane.h"
#include "app/session/selection.h"
#include "app/session/session.h"
#include "instrumentation/analysis/diff.h"

#include <array>

namespace wl::app {

enum class Zoom : uint8_t { fit, one_to_one, cell, free };
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
    bool flipped = false;  // the key is held: got and reference have changed places
};
void draw(HeatmapsPanel& panel, const Session& session, Selection& selection);

void fit_ranges(HeatmapsPanel& panel, const TileView& tile);

// Drawn by heatmaps_toolbar.cpp; returns the height it took (it folds into more rows where it is narrow).
float draw_toolbar(HeatmapsPanel& panel, const TileView& tile, Box box);

}  // namespace wl::app
