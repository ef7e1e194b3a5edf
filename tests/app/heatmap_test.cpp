// Heatmaps drawn off screen by the real shader, their pixels read back: the colour of every cell is the
// palette's.
#include "app/draw/heat_pane.h"
#include "app/draw/palettes.h"
#include "app/shell/shell_offscreen.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace wl::app {
namespace {

constexpr int kSide = 512;  // pixels of the picture

struct Drawing {
    OffscreenShell shell{kSide, kSide, 1};
    HeatCanvas canvas;
    Plane values;
    Pyramid pyramid;
    uint64_t content = 0;

    void take(Matrix<float> matrix) {
        values = plane_of(std::move(matrix));
        pyramid = make_pyramid(values);
        ++content;
    }
    Image draw(
        const HeatStyle& style,
        const HeatView& view,
        const Plane* under = nullptr,
        const Pyramid* under_pyramid = nullptr
    ) {
        const HeatPicture picture{
            {&values, &pyramid,     content, under, under_pyramid},
            style, view, {0,  0},
            {kSide,       kSide                }
        };
        shell.draw([&] {
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({kSide, kSide});
            ImGui::Begin("heat", nullptr, ImGuiWindowFlags_NoDecoration);
            draw_heat(ui().heat, canvas, picture);
            ImGui::End();
        });
        return shell.pixels();
    }
};

Rgb pixel(const Image& image, int x, int y) {
    const size_t at =
        (static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x)) * 3;
    return {image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]};
}

// One step of the palette may separate the shader's rounding from ours.
void expect_near(Rgb got, Rgb expected, const std::string& where) {
    EXPECT_NEAR(got.r, expected.r, 6) << where;
    EXPECT_NEAR(got.g, expected.g, 6) << where;
    EXPECT_NEAR(got.b, expected.b, 6) << where;
}

Rgb expected_colour(const Palette& palette, const HeatStyle& style, float value) {
    return palette[palette_index(style, value)];
}

Matrix<float> positions(int rows, int cols) {
    auto matrix = make_matrix<float>(rows, cols);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) matrix(row, col) = static_cast<float>(row * 1000 + col);
    }
    return matrix;
}

TEST(Heatmap, EveryCellHasThePaletteColourOfItsOwnElement) {
    Drawing drawing;
    drawing.take(positions(16, 8));  // not square: exchanging rows and columns would show
    const HeatView view{.row = 0, .col = 0, .cell_width = 64, .cell_height = 32};
    for (const bool log : {false, true}) {
        const HeatStyle style{HeatMap::values, 0, 15007, 7500, log};
        const Image image = drawing.draw(style, view);
        for (int row = 0; row < 16; ++row) {
            for (int col = 0; col < 8; ++col) {
                const Rgb expected = expected_colour(viridis(), style, drawing.values(row, col));
                expect_near(
                    pixel(image, col * 64 + 32, row * 32 + 16),
                    expected,
                    std::to_string(row) + "," + std::to_string(col)
                );
            }
        }
    }
}

TEST(Heatmap, WhatAgreesIsNearBlackAndSignsHaveTheirOwnHue) {
    Drawing drawing;
    auto matrix = make_matrix<float>(1, 3);
    matrix.data = {-1, 0, 1};
    drawing.take(matrix);
    const Image image = drawing.draw(
        {HeatMap::errors, -1, 1, 0, false}, {.row = 0, .col = 0, .cell_width = 100, .cell_height = 100}
    );
    EXPECT_EQ(pixel(image, 50, 50), diverging().front());
    EXPECT_EQ(pixel(image, 250, 50), diverging().back());
    const Rgb middle = pixel(image, 150, 50);
    EXPECT_LT(middle.r + middle.g + middle.b, 120);
}

TEST(Heatmap, NaNIsMagentaAndInfinitiesCyanAndLime) {
    Drawing drawing;
    auto matrix = make_matrix<float>(1, 4);
    const float infinity = std::numeric_limits<float>::infinity();
    matrix.data = {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, absent()};
    drawing.take(matrix);
    for (const HeatMap map : {HeatMap::values, HeatMap::errors}) {
        const Image image =
            drawing.draw({map, 0, 1, 0, false}, {.row = 0, .col = 0, .cell_width = 100, .cell_height = 100});
        expect_near(pixel(image, 50, 50), kNotANumber, "NaN");
        expect_near(pixel(image, 150, 50), kPositiveInfinity, "+Inf");
        expect_near(pixel(image, 250, 50), kNegativeInfinity, "-Inf");
        const Rgb nothing = pixel(image, 350, 50);
        EXPECT_LT(nothing.r + nothing.g + nothing.b, 150) << "an absent element must not look like a NaN";
    }
}

// Colours of the pixels of one cell.
std::set<std::array<int, 3>> colours_in(const Image& image, int x, int y, int side) {
    std::set<std::array<int, 3>> found;
    for (int dy = 0; dy < side; ++dy)
        for (int dx = 0; dx < side; ++dx) {
            const Rgb c = pixel(image, x + dx, y + dy);
            found.insert({c.r, c.g, c.b});
        }
    return found;
}

TEST(Heatmap, ANaNIsStripedOverItsReference) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    auto matrix = make_matrix<float>(64, 64, nan);
    const Plane under = plane_of(make_matrix<float>(64, 64, 1));
    const Pyramid under_pyramid = make_pyramid(under);
    for (const double cell : {40.0, 0.5}) {  // elements, and blocks of them
        Drawing drawing;
        drawing.take(matrix);
        const Image image = drawing.draw(
            {HeatMap::values, 0, 1, 0, false},
            {.row = 0, .col = 0, .cell_width = cell, .cell_height = cell},
            &under,
            &under_pyramid
        );
        const auto found = colours_in(image, 4, 4, 16);
        EXPECT_EQ(found.size(), 2U) << cell;
        EXPECT_TRUE(found.contains({kNotANumber.r, kNotANumber.g, kNotANumber.b})) << cell;
    }
}

TEST(Heatmap, OverlaysStripeWhatIsClippedAndTellSigns) {
    Drawing drawing;
    auto matrix = make_matrix<float>(1, 3);
    matrix.data = {-3, 0, 3};
    drawing.take(matrix);
    const HeatView view{.row = 0, .col = 0, .cell_width = 100, .cell_height = 100};
    HeatStyle style{HeatMap::values, -1, 1, 0, false};
    style.overlay = Overlay::clipped;
    const Image clipped = drawing.draw(style, view);
    EXPECT_EQ(colours_in(clipped, 40, 40, 16).size(), 2U);
    EXPECT_EQ(colours_in(clipped, 140, 40, 16).size(), 1U);
    EXPECT_EQ(colours_in(clipped, 240, 40, 16).size(), 2U);
    EXPECT_NE(colours_in(clipped, 40, 40, 16), colours_in(clipped, 240, 40, 16)) << "below is not above";
    style.overlay = Overlay::signs;
    const Image signs = drawing.draw(style, view);
    expect_near(pixel(signs, 50, 50), diverging().front(), "negative");
    expect_near(pixel(signs, 250, 50), diverging().back(), "positive");
}

TEST(Heatmap, AMaskedElementIsHatchedAndNotLime) {
    Drawing drawing;
    auto matrix = make_matrix<float>(1, 1);
    matrix.data = {masked()};
    drawing.take(matrix);
    const Image image = drawing.draw(
        {HeatMap::values, 0, 1, 0, false}, {.row = 0, .col = 0, .cell_width = 100, .cell_height = 100}
    );
    const auto found = colours_in(image, 40, 40, 16);
    EXPECT_EQ(found.size(), 2U);
    EXPECT_FALSE(found.contains({kNegativeInfinity.r, kNegativeInfinity.g, kNegativeInfinity.b}));
}

TEST(Heatmap, OwnersAreHueByWarpAndNobodyIsHatched) {
    Drawing drawing;
    auto matrix = make_matrix<float>(1, 3);
    matrix.data = {2 * 32 + 5, 3 * 32 + 31, -1};
    drawing.take(matrix);
    const Image image = drawing.draw(
        {HeatMap::owners, 0, 1, 0, false}, {.row = 0, .col = 0, .cell_width = 100, .cell_height = 100}
    );
    EXPECT_EQ(pixel(image, 50, 50), owner_palette()[2 * 32 + 5]);
    EXPECT_EQ(pixel(image, 150, 50), owner_palette()[3 * 32 + 31]);
    bool dark = false, light = false;
    for (int x = 240; x < 260; ++x) {
        const Rgb c = pixel(image, x, 50);
        dark = dark || c.g < 30;
        light = light || c.g > 60;
    }
    EXPECT_TRUE(dark && light) << "stripes";
}

TEST(Heatmap, PanningAMatrixLargerThanItsTextureShowsTheRightElements) {
    Drawing drawing;
    drawing.take(positions(4000, 900));
    const HeatStyle style{HeatMap::values, 0, 4000 * 1000, 0, false};
    for (const double row : {0.0, 100.0, 700.0, 3990.0, 350.5, 0.0}) {
        const HeatView view{.row = row, .col = 512, .cell_width = 2, .cell_height = 2};
        const Image image = drawing.draw(style, view);
        for (const int y : {1, 9, 17}) {
            const int at = static_cast<int>(std::floor(row + (y + 0.5) / 2));
            expect_near(
                pixel(image, 101, y),
                expected_colour(viridis(), style, drawing.values(at, 562)),
                "row " + std::to_string(at)
            );
        }
    }
    EXPECT_LT(drawing.canvas.width * drawing.canvas.height, 4000 * 900)
        << "only a window of the matrix is on the GPU";
}

TEST(Heatmap, ZoomedOutEveryIsolatedBadElementReachesTheScreen) {
    Drawing drawing;
    constexpr int kExtent = 3000, kStep = 214;  // 14 x 14 bad elements
    auto matrix = make_matrix<float>(kExtent, kExtent);
    int bad = 0;
    for (int row = 17; row < kExtent; row += kStep) {
        for (int col = 31; col < kExtent; col += kStep, ++bad) matrix(row, col) = bad % 2 == 0 ? 1.0F : -1.0F;
    }
    drawing.take(std::move(matrix));
    for (const double cell : {kSide / 3000.0, 0.11, 0.165}) {
        const Image image = drawing.draw(
            {HeatMap::errors, -1, 1, 0, false}, {.row = 0, .col = 0, .cell_width = cell, .cell_height = cell}
        );
        int seen = 0, expected = 0;
        for (int row = 17; row < kExtent; row += kStep) {
            for (int col = 31; col < kExtent; col += kStep) {
                const int x = static_cast<int>(col * cell), y = static_cast<int>(row * cell);
                if (x + 2 >= kSide || y + 2 >= kSide) continue;
                ++expected;
                bool found = false;
                for (int dy = -2; dy <= 2; ++dy) {
                    for (int dx = -2; dx <= 2; ++dx) {
                        const Rgb c = pixel(image, std::max(0, x + dx), std::max(0, y + dy));
                        found = found || c == diverging().front() || c == diverging().back();
                    }
                }
                seen += found ? 1 : 0;
            }
        }
        EXPECT_GT(expected, 100);
        EXPECT_EQ(seen, expected) << "at " << cell << " pixels an element";
    }
}

TEST(HeatView, ValuesUpToTheLargestFloatsHaveAColour) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    HeatStyle style;
    for (const bool log : {false, true}) {
        style.log = log, style.lo = -kLargest, style.hi = kLargest;
        for (const float value : {-kLargest, -1.0F, 0.0F, 1.0F, kLargest})
            EXPECT_LT(palette_index(style, value), static_cast<size_t>(kPaletteSize)) << value;
        EXPECT_LT(palette_index(style, -kLargest), palette_index(style, 0));
        EXPECT_LT(palette_index(style, 0), palette_index(style, kLargest));
    }
}

TEST(HeatView, ElementsAndPixelsConvertBackAndForth) {
    HeatView view{.row = 12.25, .col = 1000, .cell_width = 7, .cell_height = 3};
    const ImVec2 origin(100, 50);
    for (const Element at : {
             Element{13, 1001},
             Element{40, 1033}
    }) {
        const ImVec2 centre(x_at_col(view, origin, at.col + 0.5), y_at_row(view, origin, at.row + 0.5));
        EXPECT_EQ(element_at_pixel(view, origin, centre), at);
        zoom_at(view, origin, centre, 1.7);
        EXPECT_EQ(element_at_pixel(view, origin, centre), at) << "zooming keeps the element under the mouse";
    }
}

// The output of a kernel over a long vector: one row, of which one element is wrong.
TEST(HeatView, AVectorOfMillionsIsAStripAndItsWrongElementIsSeen) {
    constexpr int kLong = 3'200'000, kWrong = 2'488'864;
    const ImVec2 area(kSide, kSide);
    const HeatView view = fit_view(1, kLong, area);
    EXPECT_NEAR(view.cell_height, 0.25 * kSide, 1e-9);
    EXPECT_NEAR(view.cell_width * kLong, kSide, 1e-6);
    Matrix<float> matrix = make_matrix<float>(1, kLong);
    matrix.data[kWrong] = 1;
    Drawing drawing;
    drawing.take(std::move(matrix));
    const HeatStyle style{HeatMap::values, 0, 1, 0, false};
    const Image image = drawing.draw(style, view);
    // A pixel shows the block that its middle lies in.
    const auto brightness = [&](int x) {
        const Rgb shown = pixel(image, x, kSide / 8);
        return shown.r + shown.g;
    };
    const int at = static_cast<int>(kWrong * view.cell_width);
    EXPECT_GT(std::max({brightness(at - 1), brightness(at), brightness(at + 1)}), brightness(10) + 200);
    HeatView zoomed = view;
    zoom_at(zoomed, {0, 0}, {100, 10}, 2);
    EXPECT_NEAR(zoomed.cell_width, 2 * view.cell_width, 1e-12) << "no jump";
    EXPECT_EQ(zoomed.cell_height, view.cell_height);
    EXPECT_NEAR(col_at_x(zoomed, {0, 0}, 100), col_at_x(view, {0, 0}, 100), 1e-3);
    for (int i = 0; i < 60; ++i) zoom_at(zoomed, {0, 0}, {100, 10}, 2);
    EXPECT_EQ(zoomed.cell_width, 400) << "it can be looked at element by element";
}

}  // namespace
}  // namespace wl::app
