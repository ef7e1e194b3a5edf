// Manifests, changed as TOML: keys, numbers, expressions, nesting; and spelled otherwise.
#pragma once

#include "fuzz/mutant.h"

namespace wl::fuzz {

Mutant make_manifest(uint64_t number);
// What a changed manifest may do: be refused with a sentence, or run to a verdict within its budget. What it
// may not: run to other findings or outputs where only its spelling was changed (comments, blanks, quotes,
// the order of tables).
Tried try_manifest(const Mutant& mutant);

}  // namespace wl::fuzz
