// What stands before a line of the source: its number, a breakpoint, a finding, who wrote the selected
// element, and the warps that stand there.
#pragma once

#include "app/draw/widgets.h"
#include "app/session/session.h"

#include <vector>

namespace wl::app {

constexpr float kGutter = 100, kWarpsEnd = 37;  // at scale 1: its width, and where the place of warps ends

struct LineLook {
    int line = 0;  // 1-based
    bool current = false, writer = false, call = false;
    const capture::Finding* finding = nullptr;
    const Breakpoint* breakpoint = nullptr;
    std::vector<const WarpRow*> warps;
};

void draw_background(const LineLook& look, Box box);
void draw_gutter(const LineLook& look, Box box, int selected_warp);

// The warps' own place in the gutter: the warp that a press leads to, the next after the selected one; -1:
// none.
int press_warps(const LineLook& look, Box line, int selected_warp);

}  // namespace wl::app
