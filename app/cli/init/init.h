// `warplens init`: a manifest and a reference to go on with, from a source or from PTX.
#pragma once

#include "app/cli/options.h"

namespace wl::app {

int verb_init(const Command& command);

}  // namespace wl::app
