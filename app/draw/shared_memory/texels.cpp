// A texture that is read without filtering, as Dear ImGui draws images.
#include "app/draw/shared_memory/texels.h"

#include "app/draw/gl.h"

#include <utility>

namespace wl::app {

namespace {

void allocate(TexelGrid& grid) {
    if (grid.texture.id == 0) glGenTextures(1, &grid.texture.id);
    glBindTexture(GL_TEXTURE_2D, grid.texture.id);
    for (const unsigned filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
        glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
    for (const unsigned edge : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
        glTexParameteri(GL_TEXTURE_2D, edge, GL_CLAMP_TO_EDGE);
}

// Every nth row and column of more cells than a screen has pixels, and than a texture may have.
std::vector<ImU32> thinned(std::vector<ImU32> cells, int& columns) {
    constexpr int kMost = 4096;
    const int rows = static_cast<int>(cells.size()) / columns;
    const int down = 1 + (rows - 1) / kMost, across = 1 + (columns - 1) / kMost;
    if (down == 1 && across == 1) return cells;
    std::vector<ImU32> kept;
    for (int row = 0; row < rows; row += down)
        for (int col = 0; col < columns; col += across)
            kept.push_back(
                cells[static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(col)]
            );
    columns = 1 + (columns - 1) / across;
    return kept;
}

}  // namespace

void draw_texels(TexelGrid& grid, std::vector<ImU32> cells, int columns, Box box) {
    if (columns == 0 || cells.empty()) return;
    cells = thinned(std::move(cells), columns);
    const int rows = static_cast<int>(cells.size()) / columns;
    if (columns != grid.columns || rows != grid.rows || cells != grid.shown) {
        allocate(grid);
        grid.columns = columns, grid.rows = rows;
        grid.shown = std::move(cells);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        const ImU32* texels = grid.shown.data();
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, columns, rows, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    ImGui::GetWindowDrawList()->AddImage(grid.texture.id, box.low, box.high);
}

}  // namespace wl::app
