// What names mean at an instant.
#pragma once

#include "instrumentation/travel/route.h"
#include "instrumentation/watch/watch.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace wl::travel {

// Names as the running activation means them: its source variables that live here, registers ("%f12"),
// threadIdx.x and the like, lane, warp. Refers to the route: use it before the next journey.
watch::Environment environment_here(const Route& route);

// Does a source variable have a value where the route stands?
enum class Life : uint8_t { lives, not_live, optimised_out, no_variable };
Life life_of(const Route& route, const std::string& name);
std::string_view text_of(Life life);  // "not live here"; empty where it lives

// Where the value of a name comes from: "source variable in %f3", "PTX register, made at v2c_3.cu:118".
std::string origin_of(const Route& route, const std::string& name);

}  // namespace wl::travel
