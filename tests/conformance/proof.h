// How each row of the table is known to be executed rightly.
#pragma once

#include "tests/conformance/grade.h"

namespace wl::conformance {

// Whether the row says that the emulator refuses it: a later GPU's, or of a family that is left out.
bool is_refused(const ptx::Form& form);

// docs/ptx.md, with the proofs that a folder of goldens and notes gives.
std::string document(const std::string& golden);

}  // namespace wl::conformance
