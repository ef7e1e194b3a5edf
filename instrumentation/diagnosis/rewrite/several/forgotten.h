// What is declared, and what nobody asks for: a constant, a number, the other end of a range.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_forgotten(Writer& w);

}  // namespace wl::diagnosis::rewrite
