// A grid of coloured cells as one picture: a rectangle for each cell would cost a rasteriser without a GPU
// more than all the rest of the frame.
#pragma once

#include "app/draw/heat.h"
#include "app/draw/widgets.h"

#include <imgui.h>

#include <vector>

namespace wl::app {

struct TexelGrid {
    Texture texture;
    int columns = 0, rows = 0;
    std::vector<ImU32> shown;  // what lies on the GPU, row by row
};

// Stretches the cells over the box, each to a rectangle of one colour. Uploads only what is another picture.
void draw_texels(TexelGrid& grid, std::vector<ImU32> cells, int columns, Box box);

}  // namespace wl::app
