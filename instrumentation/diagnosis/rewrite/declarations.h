// What read_source is made of: functions with their statements, and variables.
#pragma once

#include "instrumentation/diagnosis/rewrite/source.h"

#include <string>

namespace wl::diagnosis::rewrite {

void find_bodies(Source& source);
void find_variables(Source& source, const Defines& defines);

// Of a type's words; `auto` and templates' parameters are other.
ValueKind kind_of_type(const std::string& type);

}  // namespace wl::diagnosis::rewrite
