// A drawing as plain cells and words: written as SVG for slides, or painted as pixels.
#pragma once

#include "app/draw/palettes.h"

#include <string>
#include <vector>

namespace wl::app {

struct SheetPoint {
    float x = 0, y = 0;
};

struct SheetCell {
    float x = 0, y = 0, width = 0, height = 0;
    Rgb fill;
    std::string text;  // in its middle, dark or light as the fill asks for
};

enum class Anchor : uint8_t { left, middle, right };
struct SheetText {
    float x = 0, y = 0;  // of the middle of the line
    float size = 12;
    Anchor anchor = Anchor::left;
    bool strong = false;
    std::string text;
};

struct Sheet {
    float width = 0, height = 0;  // pixels
    std::vector<SheetCell> cells;
    std::vector<SheetText> texts;
};

constexpr Rgb kPaper = {255, 255, 255}, kInk = {28, 31, 36}, kPaleInk = {246, 247, 249};
bool wants_pale_ink(Rgb fill);

std::string svg_of(const Sheet& sheet);
void paint(const Sheet& sheet);  // into the current window, from the screen's corner on

}  // namespace wl::app
