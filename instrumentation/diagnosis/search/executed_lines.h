// Lines that blocks execute, as a watcher reports them.
#pragma once

#include "instrumentation/compile/unit.h"
#include "instrumentation/diagnosis/prove/prover.h"
#include "instrumentation/diagnosis/rewrite/source.h"
#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// What is watched: blocks, linear, all where none is named.
struct Watched {
    Prover& prover;
    const compile::Unit& unit;
    const rewrite::Source& source;
    const std::vector<int64_t>& blocks;
};

// Lines of the unit of which something is executed.
struct ExecutedLines {
    std::set<int> lines;                     // empty: not known
    std::set<std::pair<int, int>> accesses;  // of memory that others see: a line, and which one of it
    std::map<int, uint64_t> turns = {};  // of a loop, by the line it goes back to: the most one after another
    std::map<int, std::set<std::pair<int64_t, int>>> goers = {};  // of a loop: blocks and their warps
    uint64_t instructions = 0;                                    // of warps
};
// What a module was compiled of.
enum class Text : uint8_t { files, unit };

// Empty: not known.
ExecutedLines lines_executed(const Watched& watched, const ptx::Module& module, Text text);

}  // namespace wl::diagnosis
