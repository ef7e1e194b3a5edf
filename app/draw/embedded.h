// Fonts, shaders and the icon that travel inside the executable (CMakeLists.txt names the files).
#pragma once

#include <string_view>

namespace wl::app {

std::string_view inter_regular();
std::string_view inter_semibold();
std::string_view jetbrains_mono();
std::string_view heat_vertex_shader();
std::string_view heat_fragment_shader();
std::string_view icon_png();

}  // namespace wl::app
