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

// What lines are told of: blocks, linear, all where none is named.
struct Watched {
    Prover& prover;
    const compile::Unit& unit;
    const rewrite::Source& source;
    const std::vector<int64_t>& blocks;
};

// Lines of the unit of which something is executed.
struct ExecutedLines {
    std::set<int> lines;        // empty: not known
    uint64_t instructions = 0;  // of warps
};
// Of the program as it is; found out when first asked for.
struct Executed {
    std::optional<ExecutedLines> optimised = {}, debug = {};
    std::optional<Experiment> debug_build = {};
};

// A changed program: its text, and what the compiler made of it.
struct Changed {
    const rewrite::Rewrite& change;
    const std::string& text;
    const ptx::Module& module;
};

// Lines of the unit that are executed no more; without those of the changed statements and of what they
// govern, and without heads of loops. A build that optimises may have no code of a line and do
// what it says: what it alone leaves out is told where something is stored there, or where memory is read and
// fewer instructions are executed in all. Empty where that is not known, as of a sequence of launches, on a
// device, or where they take too long.
std::vector<int> lines_left_out(const Watched& watched, const Changed& changed, Executed& executed);

// Lines that the changed heads govern, where memory is touched: executed before, and by no block any more,
// neither here nor at any of the other shapes. After lines_left_out.
struct Shape;
std::vector<int> lines_turned_off(
    const Watched& watched, const Changed& changed, Executed& executed, std::vector<Shape>& shapes
);

}  // namespace wl::diagnosis
