// A change that mends by going around what is wrong: what blocks executed before it, and nobody does behind
// it.
#pragma once

#include "instrumentation/compile/unit.h"
#include "instrumentation/diagnosis/prove/prover.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace wl::diagnosis {

// Of the program as it is; found out when first asked for.
struct Executed {
    bool asked = false;
    std::set<int> lines = {};
};

// What a module was compiled of: the files of the unit, or its text, which holds the headers.
enum class Text : uint8_t { files, unit };

// Lines of the unit of which the blocks execute something, linear, all where none is named; empty: not known,
// as of a sequence of launches, on a device, or where they take too long.
std::set<int> lines_executed(
    Prover& prover,
    const ptx::Module& module,
    const compile::Unit& unit,
    Text text,
    const std::vector<int64_t>& blocks
);

// Lines that are executed no more; without those of the changed statements and of what they govern, and
// without heads of loops. Empty where that is not known.
std::vector<int> lines_left_out(
    const rewrite::Source& source,
    const rewrite::Rewrite& change,
    const std::set<int>& before,
    const std::set<int>& behind
);

}  // namespace wl::diagnosis
