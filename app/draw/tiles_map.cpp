// The cells are a picture of the pixels that they cover.
#include "app/draw/tiles_map.h"

#include "app/draw/numbers.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace wl::app {

namespace {

constexpr float kLeast = 3, kMost = 9;  // pixels a cell at scale 1

struct Grid {
    Box box;
    float width = 1, height = 1;  // of a cell
    ImVec2 at(int row, int col) const {
        return {box.low.x + width * static_cast<float>(col), box.low.y + height * static_cast<float>(row)};
    }
};

ImU32 fill_of(const VerdictCell& cell) {
    if (cell.tile < 0) return 0;
    // What is right recedes.
    if (cell.mark == Mark::ok)
        return colour::blend(colour::with_alpha(colour::kGood, is_light() ? 120 : 84), colour::kPanel);
    return colour_of(cell.mark);
}

// One row of cells as a row of pixels; between cells that have room for it one of the ground.
std::vector<ImU32> pixels_of_row(const VerdictMap& map, const Grid& grid, int row) {
    std::vector<ImU32> pixels(static_cast<size_t>(grid.box.width()), colour::kPanel);
    const auto place = [&](int col) { return static_cast<size_t>(grid.width * static_cast<float>(col)); };
    const size_t gap = grid.width >= px(4) ? 1 : 0;
    for (int col = 0; col < map.cols; ++col) {
        const ImU32 fill = fill_of(map.at(row, col));
        const size_t end = std::min(place(col + 1), pixels.size());
        if (fill != 0)
            for (size_t x = place(col); x + gap < end; ++x) pixels[x] = fill;
    }
    if (grid.width >= px(kLeast))
        for (const int col : map.iteration_columns)
            if (col > 0) pixels[place(col) - 1] = colour::kPanel;
    return pixels;
}

// As one picture: thousands of rectangles cost a rasteriser without a GPU as much as half of the window.
void draw_cells(TexelGrid& picture, const VerdictMap& map, const Grid& grid) {
    const auto height = static_cast<int>(grid.box.height());
    const int gap = grid.height >= px(4) ? 1 : 0;
    std::vector<ImU32> pixels;
    for (int row = 0; row < map.rows; ++row) {
        const std::vector<ImU32> line = pixels_of_row(map, grid, row);
        const auto place = [&](int at) { return static_cast<int>(grid.height * static_cast<float>(at)); };
        const int end = std::min(place(row + 1), height);
        for (int y = place(row); y < end - gap; ++y) pixels.insert(pixels.end(), line.begin(), line.end());
        if (gap == 1) pixels.insert(pixels.end(), line.size(), colour::kPanel);
    }
    draw_texels(picture, std::move(pixels), static_cast<int>(grid.box.width()), grid.box);
}

void frame(const VerdictMap& map, const Grid& grid, int tile, ImU32 ink) {
    if (tile < 0 || map.row_of[static_cast<size_t>(tile)] < 0) return;
    const int row = map.row_of[static_cast<size_t>(tile)], col = map.col_of[static_cast<size_t>(tile)];
    const ImVec2 low = grid.at(row, col), high = grid.at(row + 1, col + 1);
    ImGui::GetWindowDrawList()->AddRect(
        {low.x - 2, low.y - 2}, {high.x + 1, high.y + 1}, ink, 0, 0, px(1.5F)
    );
}

// What lies under the mouse in words.
void draw_tooltip(const Session& session, const VerdictCell& cell) {
    const capture::Tile& tile = session.capture.tiles[static_cast<size_t>(cell.tile)];
    std::string text = session.capture.probes[static_cast<size_t>(tile.probe)].name + ", " +
        block_text(session.capture, tile.block) + ", iteration " + std::to_string(tile.iteration);
    if (tile.verdict == capture::Verdict::bad)
        text += "\n" + count_text(tile.bad) + " of " + count_text(tile.compared) + " elements wrong";
    if (cell.tiles > 1)
        text +=
            "\nthe worst of " + count_text(cell.tiles) + " tiles here, " + count_text(cell.bad) + " wrong";
    if (cell.tile == session.first_bad) text += "\nthe first wrong tile";
    tooltip(text);
}

}  // namespace

ImU32 colour_of(Mark mark) {
    switch (mark) {
        case Mark::ok: return colour::kGood;
        case Mark::wrong: return colour::kBad;
        case Mark::non_finite: return colour::kNonFinite;
        case Mark::not_compared: return colour::kStrongLine;
    }
    return colour::kStrongLine;
}

float draw_map(
    TilesMap& map, const Session& session, Selection& selection, Box box, std::string_view filter
) {
    const float pad = px(size::kPad), label = px(18);
    const Box inside{
        {box.low.x + pad,  box.low.y + label},
        {box.high.x - pad, box.high.y       }
    };
    if (inside.width() < px(40) || inside.height() < px(12)) return box.low.y;
    const int rows = static_cast<int>(inside.height() / px(kLeast)),
              cols = static_cast<int>(inside.width() / px(kLeast));
    const bool same =
        map.capture == session.captures && map.filter == filter && map.rows == rows && map.cols == cols;
    if (!same) {
        map.map = verdict_map(session.capture, filter, rows, cols);
        map.capture = session.captures, map.filter = filter, map.rows = rows, map.cols = cols;
    }
    const VerdictMap& verdicts = map.map;
    if (verdicts.cells.empty()) return box.low.y;
    Grid grid{inside, inside.width() / static_cast<float>(verdicts.cols), 0};
    grid.width = std::min(grid.width, px(kMost));
    grid.height = std::min(inside.height() / static_cast<float>(verdicts.rows), px(kMost));
    grid.box.low = {std::floor(inside.low.x), std::floor(inside.low.y)};
    const ImVec2 end = grid.at(verdicts.rows, verdicts.cols);
    grid.box.high = {std::floor(end.x), std::floor(end.y)};
    const std::string words = count_text(verdicts.blocks) + (verdicts.blocks == 1 ? " block" : " blocks") +
        " down, " + std::to_string(verdicts.iteration_columns.size()) +
        (verdicts.iteration_columns.size() == 1 ? " iteration" : " iterations") + " across";
    put_clipped({inside.low.x, box.low.y}, inside.width(), {Face::small_words, colour::kFaint}, words);
    const bool clicked = press(grid.box, "tiles/map");
    draw_cells(map.picture, verdicts, grid);
    frame(verdicts, grid, session.first_bad, colour::kBright);
    frame(verdicts, grid, selection.tile, colour::kSelection);
    if (ImGui::IsItemHovered()) {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        const int row =
            std::clamp(static_cast<int>((mouse.y - grid.box.low.y) / grid.height), 0, verdicts.rows - 1);
        const int col =
            std::clamp(static_cast<int>((mouse.x - grid.box.low.x) / grid.width), 0, verdicts.cols - 1);
        const VerdictCell& cell = verdicts.at(row, col);
        if (cell.tile >= 0) {
            draw_tooltip(session, cell);
            if (clicked) select_tile(session, selection, cell.tile);
        }
    }
    return grid.box.high.y + px(8);
}

}  // namespace wl::app
