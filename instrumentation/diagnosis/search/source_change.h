// One change of the source, on its own.
#pragma once

#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/search/search.h"

#include <string>

namespace wl::diagnosis {

// This text compiled as the kernel that was diagnosed. Throws Error where it does not compile.
ptx::Module changed_module(const Experiment& e, const std::string& text);

capture::Where where_of(const Experiment& e, const rewrite::Rewrite& change);
Mended mended_by(const Experiment& e, const rewrite::Rewrite& change, std::string proof, std::string text);

}  // namespace wl::diagnosis
