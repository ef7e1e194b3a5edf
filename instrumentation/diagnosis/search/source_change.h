// One change of the source, on its own.
#pragma once

#include "instrumentation/compile/unit.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/search/search.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

// This text compiled as the kernel that was diagnosed. Throws Error where it does not compile.
ptx::Module changed_module(const Experiment& e, const std::string& text);

// The source with its own headers. Throws Error when it cannot be read.
compile::Unit unit_of(const Experiment& e);
// File and line of a line of the unit, and the other way round; nothing where it is of another file.
capture::Where where_in(const compile::Unit& unit, int line);
std::optional<int> line_in(const compile::Unit& unit, const std::string& file, int line);
// By location of the module; nothing where it is of another file.
std::vector<std::optional<int>> lines_of_locations(const ptx::Module& module, const compile::Unit& unit);

// `text`: the unit's, changed.
Mended mended_by(
    const compile::Unit& unit, const rewrite::Rewrite& change, std::string proof, std::string text
);

}  // namespace wl::diagnosis
