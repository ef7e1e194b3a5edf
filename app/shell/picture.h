// One tile or one sheet as a PNG, drawn off screen by the code that draws the window.
#pragma once

#include "app/draw/sheet.h"
#include "instrumentation/capture/capture.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::app {

enum class View : uint8_t { got, reference, difference, relative, ratio, ulp, owner, coverage };
std::optional<View> view_from_name(std::string_view name);

// `tile`: index in Capture::tiles. Throws Error when the tile has no elements, the view needs a reference or
// writers that are missing, EGL is missing, or `png` cannot be written.
void write_tile_picture(const capture::Capture& capture, int tile, View view, const std::string& png);

// The same elements alone, a pixel or a square of pixels each, drawn without OpenGL.
struct PlainPicture {
    int width = 0, height = 0;  // pixels
    std::string png;            // the file's bytes
    float lo = 0, hi = 0;       // the values of the first colour and the last
    std::string bar;            // these colours and those between as a PNG, one row
};
// `side`: pixels that the longer side has about. Throws as write_tile_picture does, but for EGL and files.
PlainPicture plain_picture(const capture::Capture& capture, int tile, View view, int side);

// Throws Error when the sheet is too large for a picture, EGL is missing, or `png` cannot be written.
void write_sheet_picture(const Sheet& sheet, const std::string& png);

}  // namespace wl::app
