// What is asked of a heatmap beside its colours: a rectangle's statistics, profiles, overlays with their
// counts.
#pragma once

#include "app/draw/heat_pane.h"

#include <array>
#include <string>

namespace wl::app {

// Elements [row, row + rows) x [col, col + cols).
struct Region {
    int row = 0, col = 0, rows = 0, cols = 0;
    bool operator==(const Region&) const = default;
};
inline bool exists(const Region& region) { return region.rows > 0 && region.cols > 0; }
Region region_between(Element a, Element b, const TileSource& tile);  // both included, inside the tile

struct RegionFigures {
    double least = 0, mean = 0, largest = 0, deviation = 0;  // of finite elements
    int64_t finite = 0, nan = 0, inf = 0;
};
struct RegionReport {
    RegionFigures got, reference, difference;
    int64_t elements = 0, wrong = 0;
    int every = 1;  // rows: of a very large rectangle only every nth is read
};
RegionReport report_of(const TileView& tile, const Region& region);

// Elements of a plane, rows in lines: for a table, as CSV, or as a NumPy expression.
enum class CopyAs : uint8_t { text, csv, numpy };
std::string copy_text(const Plane& plane, const Region& region, CopyAs as);

// Finite elements beyond the ends of a palette. `exact`: counted, not taken from the layer's histogram.
struct Clipped {
    int64_t below = 0, above = 0;
    bool exact = true;
};
Clipped clipped_of(const Layer& layer, float lo, float hi);

struct HeatTools {
    int value_colours = 0, error_colours = 0;  // HeatStyle::colours
    Overlay overlay = Overlay::none;
    bool profiles = false;
    Element anchor;  // where a rectangle began
    Region region;
    uint64_t content = 0;  // TileView::content that the rectangle and its report belong to
    Region reported;
    RegionReport report;
    struct Counted {
        uint64_t content = 0;
        float lo = 0, hi = 0;
        Clipped clipped;
    };
    std::array<Counted, 3> counted;  // by pane
};

// Shift and a drag choose a rectangle; true: the mouse is taken. Call behind `press` of the heatmap.
bool drag_region(HeatTools& tools, const TileView& tile, const HeatView& view, Box heat);
void draw_region_frame(const HeatTools& tools, const HeatView& view, Box heat);
void draw_region_report(HeatTools& tools, const TileView& tile, Box within);

// The row and the column of the hovered, else of the selected element, over the edges of the heatmap.
void draw_profiles(const HeatPane& pane, Box heat);

void draw_overlay_counts(HeatTools& tools, const HeatPane& pane, int which, Box heat);

}  // namespace wl::app
