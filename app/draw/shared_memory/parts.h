// What the grids of shared memory have in common. Internal to draw.
#pragma once

#include "app/draw/shared_memory/grids.h"
#include "instrumentation/base/bank_phases.h"

#include <imgui.h>

#include <bit>

namespace wl::app {

constexpr float kSharedHead = 18, kSharedRuler = 14, kSharedSide = 38;  // pixels at scale 1
constexpr float kMostSharedRow = 22;
constexpr colour::Ink kNeverInk = colour::kRaised;  // nobody wrote there

// Of `bytes` bytes from `at` on, which are an element of that type.
ImU32 shared_fill(const ShownShared& shown, uint32_t at, uint32_t bytes, DType dtype);
ImU32 shared_fill(const ShownShared& shown, const capture::SharedRun& run);  // not by value

void frame_around(ImVec2 low, ImVec2 high, ImU32 ink, float width);
bool is_mouse_in(ImVec2 low, ImVec2 high);  // of this window

// Lanes with the phase that serves each.
struct ServedLanes {
    LaneAccesses accesses;
    Phases phases;
};
ServedLanes served(const LaneAccesses& accesses);
// Of the shown request; after the change where there is one.
ServedLanes served_in(const ShownShared& shown);

template <class F>
void each_lane(const ServedLanes& l, const F& f) {
    for (size_t k = 0; k < l.phases.count; ++k)
        for (uint32_t rest = l.phases.lanes[k]; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            f(lane, k, l.accesses.at[static_cast<size_t>(lane)]);
        }
}

// A lane's part of a grid, with its number where there is room.
void draw_served_lane(ImVec2 low, ImVec2 high, int lane, size_t phase);

}  // namespace wl::app
