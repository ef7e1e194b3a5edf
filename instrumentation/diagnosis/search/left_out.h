// A change that mends by going around what is wrong: what blocks executed before it, and nobody does behind
// it.
#pragma once

#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/search/executed_lines.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace wl::diagnosis {

// Of the program as it is; found out when first asked for.
struct Executed {
    std::optional<ExecutedLines> optimised = {}, debug = {};
    std::optional<ExecutedLines> whole_debug = {};  // by all blocks
    std::optional<ExecutedLines> whole = {};        // as it is compiled, by all blocks
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
// fewer instructions are executed in all. Of a sequence, of the launch that is diagnosed. Empty where that is
// not known, as on a device, or where they take too long.
std::vector<int> lines_left_out(const Watched& watched, const Changed& changed, Executed& executed);

// Lines of the unit. `left_to_one`: of loops that several blocks or warps shared, and one goes round alone
// now.
struct Avoided {
    std::vector<int> lines = {};
    bool left_to_one = false;
    bool does_more = false;  // a quarter more instructions: it may do something several times
};

// What a change that is right everywhere avoids: the first of these that names a line.
struct Shape;
struct OtherShape;
Avoided lines_avoided(const Watched& watched, const Changed& changed, Executed& executed, OtherShape& shape);

// Lines that the changed heads govern, where memory is touched: executed before, and by no block any more,
// neither here nor at any of the other shapes. After lines_left_out.
std::vector<int> lines_turned_off(
    const Watched& watched, const Changed& changed, Executed& executed, std::vector<Shape>& shapes
);

// The same of branches that have no line of their own (`while (is_empty(v)) v = box[d];`): lines that the
// change does not govern, of which a read or write was executed before, and is nowhere any more.
std::vector<int> branches_turned_off(
    const Watched& watched, const Changed& changed, Executed& executed, std::vector<Shape>& shapes
);

// Lines of loops that some thread went through several times, and that nobody goes through twice any more,
// neither here nor at any other shape, larger ones among them: what further turns did is left out
// (`w * 256 < WARPS` for `w < WARPS`). And of loops that several blocks or warps shared, and that one goes
// round more often now and the others no more (`n * gridDim.x` for `n / gridDim.x`, a block's share). Of
// sequences too.
Avoided loops_stopped(const Watched& watched, const Changed& changed, Executed& executed, OtherShape& shape);

}  // namespace wl::diagnosis
