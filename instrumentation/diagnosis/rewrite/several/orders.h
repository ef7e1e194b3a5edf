// Elements in another order than they lie in.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_orders(Writer& w);

}  // namespace wl::diagnosis::rewrite
