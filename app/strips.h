// Panels that a workspace does not need all the time, as names along its edges: the mouse over a name opens
// the panel over the others for as long as it stays there, a click until the next one.
#pragma once

#include "app/draw/widgets.h"

#include <span>
#include <string>

namespace wl::app {

struct Strips {
    std::string open;     // title; empty: none is
    bool pinned = false;  // by a click: it stays when the mouse leaves
};

enum class Side : uint8_t { left, right };
struct Folded {
    const char* title;
    Side side;
    bool wide;  // it needs more than a column
};

float strip_width();
// The names along both edges of `area`, and what the mouse does with them.
void draw_strips(Strips& strips, std::span<const Folded> folded, Box area);
// Where the open panel of that name lies, over what is between the strips.
Box box_of(const Folded& folded, Box area);

}  // namespace wl::app
