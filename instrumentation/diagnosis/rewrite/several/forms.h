// Other forms of one formula: the other end, the other sign, the other order.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_forms(Writer& w);

}  // namespace wl::diagnosis::rewrite
