// What the kernel got, never the reference.
#include "app/draw/export/tile_export.h"

#include "app/draw/export/pixels.h"
#include "app/draw/heat_pane.h"
#include "app/draw/numbers.h"
#include "app/draw/sheet.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/manifest/npy.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace wl::app {

namespace {

Rgb rgb_of(const HeatStyle& style, float value) {
    const ImU32 c = heat_colour(style, value);
    return {
        static_cast<uint8_t>(c & 0xff),
        static_cast<uint8_t>(c >> 8 & 0xff),
        static_cast<uint8_t>(c >> 16 & 0xff)};
}

Image image_of(const TileView& tile, const HeatStyle& style) {
    const Plane& values = tile.got.values;
    const int side = std::clamp(1024 / std::max(values.rows, values.cols), 1, 24);
    Image image{values.cols * side, values.rows * side, {}};
    image.rgb.resize(static_cast<size_t>(image.width) * static_cast<size_t>(image.height) * 3);
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            const Rgb c = rgb_of(style, values(y / side, x / side));
            const size_t at =
                (static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x)) * 3;
            image.rgb[at] = c.r, image.rgb[at + 1] = c.g, image.rgb[at + 2] = c.b;
        }
    return image;
}

Sheet sheet_of(const TileView& tile, const std::string& name, const HeatStyle& style) {
    constexpr int kMost = 256;
    const Plane& values = tile.got.values;
    if (values.rows > kMost || values.cols > kMost)
        throw Error(fmt::format(
            "{} has {} x {} elements, too many for an .svg; write a .png.", name, values.rows, values.cols
        ));
    const bool numbers = values.rows <= 64 && values.cols <= 64;
    const float width = numbers ? 44 : 8, height = numbers ? 20 : 8, top = 34;
    Sheet sheet;
    sheet.width = width * static_cast<float>(values.cols),
    sheet.height = top + height * static_cast<float>(values.rows);
    sheet.texts.push_back({6, top / 2, 15, Anchor::left, true, name});
    for (int row = 0; row < values.rows; ++row)
        for (int col = 0; col < values.cols; ++col) {
            const float v = values(row, col);
            sheet.cells.push_back(
                {width * static_cast<float>(col),
                 top + height * static_cast<float>(row),
                 width,
                 height,
                 rgb_of(style, v),
                 numbers ? cell_number(static_cast<double>(v), 6) : ""}
            );
        }
    return sheet;
}

Tensor tensor_of(const TileView& tile, const std::string& name) {
    return {
        name,
        tile.data.dtype,
        {tile.data.rows,        tile.data.cols     },
        {tile.data.raw.begin(), tile.data.raw.end()}
    };
}

}  // namespace

std::string csv_of(const TileView& tile) {
    std::string out;
    for (int row = 0; row < tile.data.rows; ++row)
        for (int col = 0; col < tile.data.cols; ++col)
            out += fmt::format("{:.9g}{}", tile.data.got(row, col), col + 1 < tile.data.cols ? ',' : '\n');
    return out;
}

void export_tile(
    const TileView& tile, const std::string& name, const HeatStyle& style, const std::string& path
) {
    const std::string suffix = std::filesystem::path(path).extension().string();
    if (suffix == ".png") return write_png(image_of(tile, style), path);
    if (suffix == ".svg") return write_text_file(path, svg_of(sheet_of(tile, name, style)));
    if (suffix == ".csv") return write_text_file(path, csv_of(tile));
    if (suffix == ".npy") return manifest::write_npy(path, tensor_of(tile, name));
    throw Error(path + ": a tile is written as .png, .svg, .csv or .npy.");
}

}  // namespace wl::app
