// A single pane with a title; its size follows the shape of the tile.
#include "app/shell/picture.h"

#include "app/draw/heat_pane.h"
#include "app/draw/numbers.h"
#include "app/session/session.h"
#include "app/session/tile_view.h"
#include "app/shell/plain.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/base/error.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace wl::app {

namespace {

constexpr std::array<std::pair<std::string_view, View>, 8> kViews = {
    {
     {"got", View::got},
     {"reference", View::reference},
     {"difference", View::difference},
     {"relative", View::relative},
     {"ratio", View::ratio},
     {"ulp", View::ulp},
     {"owner", View::owner},
     {"coverage", View::coverage},
     }
};

std::string_view name_of(View view) {
    return std::find_if(
               kViews.begin(), kViews.end(), [view](const auto& entry) { return entry.second == view; }
    )->first;
}

bool is_metric(View view) {
    return view == View::difference || view == View::relative || view == View::ratio || view == View::ulp;
}

void require(const TileView& tile, View view, const std::string& name) {
    const std::string head = "The picture of tile " + name + " cannot be drawn: ";
    if (!has_values(tile))
        throw Error(head + "only the verdict of its block was kept; choose a recorded block.");
    if ((is_metric(view) || view == View::reference) && !tile.data.references.empty() && !has_reference(tile))
        throw Error(head + "its reference has no bounds; choose --view got.");
    if ((is_metric(view) || view == View::reference) && !has_reference(tile))
        throw Error(head + "it has no reference; choose --view got.");
    if ((view == View::owner || view == View::coverage) && !has_owner(tile))
        throw Error(head + "its writers were not recorded; choose --view got.");
}

// Coverage: 1 where an element was written since the block started, 0 where it never was.
Layer coverage_of(const TileView& tile) {
    Layer layer = tile.owner;
    layer.values.read = [owner = tile.owner.values](int row, int col, int count, float* out) {
        owner.read(row, col, count, out);
        for (int i = 0; i < count; ++i) out[i] = out[i] < 0 ? 0.0F : 1.0F;
    };
    layer.pyramid = make_pyramid(layer.values);
    layer.lo = 0;
    layer.hi = 1;
    return layer;
}

const Layer& layer_of(const TileView& tile, View view) {
    switch (view) {
        case View::reference: return tile.reference;
        case View::difference: return tile.metric[static_cast<size_t>(analysis::Metric::difference)];
        case View::relative: return tile.metric[static_cast<size_t>(analysis::Metric::relative)];
        case View::ratio: return tile.metric[static_cast<size_t>(analysis::Metric::ratio)];
        case View::ulp: return tile.metric[static_cast<size_t>(analysis::Metric::ulp)];
        case View::owner: return tile.owner;
        default: return tile.got;
    }
}

HeatStyle style_of(const TileView& tile, const Layer& layer, View view) {
    if (view == View::owner) return {HeatMap::owners, 0, 1, 0, false};
    if (is_metric(view)) {
        const float neutral = view == View::ratio ? 1.0F : 0.0F,
                    least = view == View::difference ? static_cast<float>(tile.errors.bound) : 1e-6F;
        const float reach =
            std::max({std::abs(layer.lo - neutral), std::abs(layer.hi - neutral), least, 1e-30F});
        return {HeatMap::errors, neutral - reach, neutral + reach, neutral, false};
    }
    const float hi = layer.hi > layer.lo ? layer.hi : layer.lo + 1;
    return {HeatMap::values, layer.lo, hi, (layer.lo + hi) / 2, false};
}

// Pixels of the heat area: cells of a whole number of pixels where the tile is small.
ImVec2 heat_extent(int rows, int cols) {
    const float cell = std::clamp(std::floor(768.0F / static_cast<float>(std::max(rows, cols))), 1.0F, 40.0F);
    const float width = std::clamp(cell * static_cast<float>(cols), 420.0F, 1400.0F),
                height = std::clamp(cell * static_cast<float>(rows), 120.0F, 1400.0F);
    return {width, height};
}

struct Title {
    std::string name, place, note;
};
Title title_of(const capture::Capture& capture, const TileView& tile, View view) {
    const capture::Tile& of = capture.tiles[static_cast<size_t>(tile.tile)];
    const capture::Probe& probe = capture.probes[static_cast<size_t>(of.probe)];
    std::string kernel = capture.launch.kernel;
    for (const std::string& fault : capture.launch.faults) kernel.append(" + ").append(fault);
    std::string place = kernel + ", " + block_text(capture, of.block);
    if (of.block >= 0) place += ", iteration " + std::to_string(of.iteration);
    place += ", " + shape_text(probe, tile.data.rows, tile.data.cols);
    const std::string note = has_reference(tile) ? count_text(tile.wrong_count) + " wrong" : "";
    return {probe.name + ": " + std::string(name_of(view)), place, note};
}

void draw_picture(
    const capture::Capture& capture, const TileView& tile, View view, HeatCanvas& canvas, ImVec2 screen
) {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(screen);
    ImGui::Begin("picture", nullptr, ImGuiWindowFlags_NoDecoration);
    const Title title = title_of(capture, tile, view);
    const float pad = px(size::kPad);
    put({pad, px(10)}, {Face::strong, colour::kBright}, title.name);
    put_right(
        {screen.x - pad, px(12)},
        {Face::small_numbers, tile.wrong_count > 0 ? colour::kBad : colour::kGood},
        title.note
    );
    put_clipped({pad, px(31)}, screen.x - 2 * pad, {Face::small_words, colour::kDim}, title.place);
    const Layer covered = view == View::coverage ? coverage_of(tile) : Layer{};
    HeatPane pane;
    pane.tile = &tile;
    pane.layer = view == View::coverage ? &covered : &layer_of(tile, view);
    pane.style = style_of(tile, *pane.layer, view);
    pane.content = tile.content;
    const PaneBoxes boxes = pane_boxes({
        {0, px(56)},
        screen
    });
    pane.view = fit_view(tile.data.rows, tile.data.cols, {boxes.heat.width(), boxes.heat.height()});
    pane.view.col = std::min(pane.view.col, 0.0);
    draw_pane(ui().heat, canvas, pane, boxes);
    if (view == View::owner) {
        float x = boxes.bar.low.x;
        for (int warp = 0; warp < static_cast<int>(tile.ownership.by_warp.size()); ++warp) {
            if (tile.ownership.by_warp[static_cast<size_t>(warp)] == 0) continue;
            swatch({x, boxes.bar.low.y + px(2)}, px(10), colour::of(warp_colour(warp)));
            x = put({x + px(14), boxes.bar.low.y - px(1)},
                    {Face::small_numbers, colour::kDim},
                    "w" + std::to_string(warp)) +
                px(12);
        }
    } else {
        draw_colour_bar(boxes.bar, {pane.style, pane.style.lo, pane.style.hi, absent(), false});
    }
    ImGui::End();
}

}  // namespace

std::optional<View> view_from_name(std::string_view name) {
    for (const auto& [known, view] : kViews) {
        if (known == name) return view;
    }
    return std::nullopt;
}

void write_tile_picture(const capture::Capture& capture, int tile, View view, const std::string& png) {
    const TileView shown = make_tile_view(capture, tile, 1);
    if (shown.tile < 0 || tile >= static_cast<int>(capture.tiles.size()))
        throw Error("The capture has no tile number " + std::to_string(tile) + ".");
    require(
        shown, view, capture.probes[static_cast<size_t>(capture.tiles[static_cast<size_t>(tile)].probe)].name
    );
    constexpr float kScale = 1.25F;
    const ImVec2 heat = heat_extent(shown.data.rows, shown.data.cols);
    const auto width = static_cast<int>(heat.x + (34 + size::kPad) * kScale + 1),
               height = static_cast<int>(heat.y + (56 + 18 + 44) * kScale + 1);
    OffscreenShell shell(width, height, kScale);
    HeatCanvas canvas;
    const ImVec2 screen(static_cast<float>(width), static_cast<float>(height));
    for (int drawn = 0; drawn < 2; ++drawn)
        shell.draw([&] { draw_picture(capture, shown, view, canvas, screen); });
    write_png(shell.pixels(), png);
}

PlainPicture plain_picture(const capture::Capture& capture, int tile, View view, int side) {
    const TileView shown = make_tile_view(capture, tile, 1);
    require(
        shown, view, capture.probes[static_cast<size_t>(capture.tiles[static_cast<size_t>(tile)].probe)].name
    );
    const Layer covered = view == View::coverage ? coverage_of(shown) : Layer{};
    const Layer& layer = view == View::coverage ? covered : layer_of(shown, view);
    const HeatStyle style = style_of(shown, layer, view);
    const Image image = paint_plain(layer.values, style, side);
    const Palette& palette = palette_of(ramp_of(style));
    Image bar{static_cast<int>(palette.size()), 1, {}};
    for (const Rgb colour : palette) bar.rgb.insert(bar.rgb.end(), {colour.r, colour.g, colour.b});
    return {image.width, image.height, png_of(image), style.lo, style.hi, png_of(bar)};
}

void write_sheet_picture(const Sheet& sheet, const std::string& png) {
    constexpr float kMost = 16000;  // pixels that every driver draws
    if (sheet.width > kMost || sheet.height > kMost)
        throw Error("-o " + png + ": the drawing is too large for a PNG; write a .svg.");
    const auto width = static_cast<int>(sheet.width), height = static_cast<int>(sheet.height);
    OffscreenShell shell(width, height, 1);
    for (int drawn = 0; drawn < 2; ++drawn)
        shell.draw([&] {
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({sheet.width, sheet.height});
            ImGui::Begin("sheet", nullptr, ImGuiWindowFlags_NoDecoration);
            paint(sheet);
            ImGui::End();
        });
    write_png(shell.pixels(), png);
}

}  // namespace wl::app
