// The files that travel inside the executable; the paths come from CMakeLists.txt.
#include "app/draw/embedded.h"

#include "instrumentation/base/embed.h"

namespace wl::app {

WL_EMBED(inter_regular, wl_inter_regular, WL_INTER_REGULAR)
WL_EMBED(inter_semibold, wl_inter_semibold, WL_INTER_SEMIBOLD)
WL_EMBED(jetbrains_mono, wl_jetbrains_mono, WL_JETBRAINS_MONO)
WL_EMBED(heat_vertex_shader, wl_heat_vert, WL_HEAT_VERT)
WL_EMBED(heat_fragment_shader, wl_heat_frag, WL_HEAT_FRAG)
WL_EMBED(icon_png, wl_icon, WL_ICON)

}  // namespace wl::app
