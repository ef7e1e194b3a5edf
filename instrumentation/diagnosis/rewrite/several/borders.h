// What lies behind the border of an image.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_borders(Writer& w);

}  // namespace wl::diagnosis::rewrite
