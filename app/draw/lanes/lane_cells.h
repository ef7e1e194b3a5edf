// A row of 32 lanes as a small heatmap: lanes beside each other that hold the same are one cell.
#pragma once

#include "app/draw/widgets.h"
#include "app/worker/lane_report.h"

#include <string>

namespace wl::app {

constexpr float kLaneRow = 22;  // height at scale 1

struct LaneColumns {
    float left = 0, width = 0;  // of one
    float x(int lane) const;
};

struct LanesShown {
    const LaneRow& row;
    uint32_t lanes = 0;   // active
    int chosen = -1;      // lane; -1: none
    std::string control;  // its name for scripts
    std::string title;    // of its tooltips: "acc of warp 3"
};
// The lane that was clicked; -1: none was.
int draw_lane_row(const LanesShown& shown, const LaneColumns& columns, float y);

// The rule of lane numbers above the rows.
void draw_lane_numbers(const LaneColumns& columns, float y, int chosen);

}  // namespace wl::app
