// What read_source is made of: functions with their statements, and variables.
#pragma once

#include "instrumentation/diagnosis/rewrite/source.h"

#include <string>

namespace wl::diagnosis::rewrite {

void find_bodies(Source& source);
void find_variables(Source& source, const Defines& defines);
// `type a, *b[4]` between two tokens; known until `to`.
void declare_between(Source& source, int first, int limit, int to);

// What `using`, `typedef` and templates' arguments say of types; `entry`: "scan<float, 4>".
void find_aliases(Source& source, const std::string& entry);
// Of structs: variables that their own functions know.
void find_members(Source& source);
// Of variables that are structs or point to one: `p.n`, `p->n`.
void name_members(Source& source);
// `p.n` becomes one token; of brackets, functions and variables nothing is left.
void join_members(Source& source);

// Of a type's words or of what they stand for; what a template does not tell is other.
ValueKind kind_of_type(const Source& source, const std::string& type);

}  // namespace wl::diagnosis::rewrite
