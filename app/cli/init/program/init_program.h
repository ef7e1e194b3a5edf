// Manifests of the kernels that a program launches, by running it.
#pragma once

#include "app/cli/options.h"

namespace wl::app {

int init_program(const Command& command);

}  // namespace wl::app
