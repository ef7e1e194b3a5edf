// The fragments of the matrix instruction at an instant, as `at --fragments` answers.
#pragma once

#include "instrumentation/fragments/live.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace wl::app {

std::string live_text(const fragments::Live& live);
nlohmann::ordered_json live_json(const fragments::Live& live);

}  // namespace wl::app
