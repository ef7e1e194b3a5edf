// Draws a matrix as a heatmap inside a Dear ImGui draw list, at the same cost for 64x64 and 16384x16384.
#pragma once

#include "app/draw/heat_view.h"
#include "app/draw/palettes.h"
#include "app/session/pyramid.h"

#include <imgui.h>

#include <array>
#include <cstdint>

namespace wl::app {

enum class HeatMap : uint8_t {
    values,
    errors,
    owners
};  // a ramp; a diverging one; one colour a (warp, lane)

// What is drawn in place of the palette's colour: stripes over values beyond its ends, or the sign alone.
enum class Overlay : uint8_t { none, clipped, signs };

struct HeatStyle {
    HeatMap map = HeatMap::values;
    float lo = 0, hi = 1;  // ends of the palette
    float neutral = 0;     // of a block of elements the one farther from this is shown
    bool log = false;      // symmetric logarithm
    int colours = 0;       // which ramp of its map
    Overlay overlay = Overlay::none;
};
constexpr int kValueRamps = 4, kErrorRamps = 2;
Ramp ramp_of(const HeatStyle& style);  // in the present theme

// A position in [0, 1] along the palette, as the shader computes it.
float palette_position(const HeatStyle& style, float value);
size_t palette_index(const HeatStyle& style, float value);  // of the colour that the shader picks

struct HeatLayer {
    const Plane* values = nullptr;
    const Pyramid* pyramid = nullptr;
    uint64_t content = 0;  // another number whenever the values are others
    // Of the same shape: what shows between the stripes of an element that is NaN; null: nothing.
    const Plane* under = nullptr;
    const Pyramid* under_pyramid = nullptr;
};

// An OpenGL texture; must go before its context does.
struct Texture {
    unsigned id = 0;
    Texture() = default;
    Texture(Texture&& other) noexcept : id(other.id) { other.id = 0; }
    Texture& operator=(Texture&& other) noexcept;
    Texture(const Texture&) = delete;
    Texture& operator=(const Texture&) = delete;
    ~Texture();
};

// The part of one matrix that lies on the GPU: what one view shows and 192 texels around it.
struct HeatCanvas {
    Texture texture;
    int width = 0, height = 0;  // texels allocated
    uint64_t content = 0;
    BlockWindow window;
    bool finite = false;  // all of it
};

struct HeatProgram {
    unsigned id = 0;
    int projection = -1, transfer = -1, neutral = -1, log_scale = -1, cell = -1, ground = -1;
};

// Shaders (linked on first use) and palettes; one a window.
struct HeatRenderer {
    std::array<HeatProgram, 256> programs;  // by combination of the defines of heat.frag
    std::array<Texture, kRamps> ramps;
    Texture owners;
    HeatRenderer() = default;
    HeatRenderer(const HeatRenderer&) = delete;
    HeatRenderer& operator=(const HeatRenderer&) = delete;
    ~HeatRenderer();
};

// One drawing: which numbers, in which colours, where.
struct HeatPicture {
    HeatLayer layer;
    HeatStyle style;
    HeatView view;
    ImVec2 origin, size;  // the area in pixels; nothing is drawn outside
    float opacity = 1;    // over what is there already
};
void draw_heat(HeatRenderer& renderer, HeatCanvas& canvas, const HeatPicture& picture);

}  // namespace wl::app
