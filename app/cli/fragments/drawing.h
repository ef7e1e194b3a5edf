// An answer as a file: its suffix says in which form.
#pragma once

#include "app/draw/sheet.h"

#include <functional>
#include <string>

namespace wl::app {

struct Drawing {
    std::string text;
    std::function<std::string()> json;
    std::function<Sheet()> sheet;
};
// Throws Error where the suffix is not .svg, .png, .json or .txt, or the file cannot be written.
void write_drawing(const std::string& path, const Drawing& drawing);

}  // namespace wl::app
