// Components of vectors, and what lies behind the border of an image.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_components(Writer& w);
void add_borders(Writer& w);  // borders.cpp

}  // namespace wl::diagnosis::rewrite
