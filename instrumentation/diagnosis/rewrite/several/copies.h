// What the source says elsewhere of the same name: how it is set, and by what it is multiplied.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_copies(Writer& w);

}  // namespace wl::diagnosis::rewrite
