// `warplens tiles --json`: one object a probe.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>

namespace wl::app {

std::string tiles_json(const capture::Capture& capture);

}  // namespace wl::app
