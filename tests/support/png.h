// A PNG file as pixels.
#pragma once

#include "app/draw/export/pixels.h"

#include <string>

namespace wl::test {

app::Image read_png(const std::string& path);  // empty when it cannot be read

}  // namespace wl::test
