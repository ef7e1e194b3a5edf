// A row of 32 lanes as a small heatmap: lanes beside each other that hold the same are one cell.
#pragma once

#include "app/draw/widgets.h"
#include "app/worker/lane_report.h"

#include <string>

namespace wl::app {

constexpr float kLaneRow = 22;  // height at scale 1

// Where columns for all 32 would be too narrow to be read, lanes stand in two rows of 16, or in four of 8.
struct LaneColumns {
    float left = 0, width = 0;  // of one
    int per = 32;               // lanes a row
    float x(int lane) const;    // of its left edge
    float end(int lane) const;  // of its right one
    int rows() const { return 32 / per; }
};
constexpr float kLeastLane = 28;  // pixels at scale 1: a column holds "31" and most values
LaneColumns lane_columns(float left, float room);
// Of a variable: one that all lanes share takes one row.
float lane_row_height(const LaneRow& row, uint32_t lanes, const LaneColumns& columns);
float lane_rule_height(const LaneColumns& columns);

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
