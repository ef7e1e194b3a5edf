// On which side of a second limit something lies, and which of two arrays is on which side.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_sides(Writer& w);

}  // namespace wl::diagnosis::rewrite
