// Small changes of a program, each as a person would make it at one place of the source.
#pragma once

#include "instrumentation/base/dim3.h"
#include "instrumentation/ptx/edit/edit.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Candidate {
    const char* rule = "";  // what its mending proves
    int cost = 1;  // 1: a sign, a step of one, an axis; 2: another operand or number; 3: something put in
    std::string was, now;  // in words of the source: "<" and "<="; "K" and "N"; "16" and "17"
    std::function<ptx::Edit(ptx::Module&)> make;
    int32_t location = -1;   // of the user's line, in Module::locations; -1: the PTX names no lines
    uint32_t ptx_line = 0;   // in its text
    int suspicion_rank = 0;  // from the suspected lines: 0 on one, 1 a few lines off, 2 elsewhere
};

// What a kernel has at hand besides its own text: the extents of its launch, and other numbers in play.
struct InPlay {
    Dim3 block, grid;
    std::vector<int64_t> numbers;
};

// A line that is thought to be at fault.
struct Suspect {
    std::string file;
    int line = 0;
    int suspicion_rank = 0;  // 1: it decided where or whether, not what
};

// A simple change elsewhere is as likely as one that takes more on the suspected line itself.
inline int score(const Candidate& c) { return c.suspicion_rank + 2 * (c.cost - 1); }

// In the order in which they are worth trying: by score, of equal ones those of suspected lines first, then
// from the end of the code, where results are stored, to its begin. `module` is best a debug build, where an
// expression of the source is a few instructions and registers have the names of variables. `functions`:
// indices in Module::functions.
std::vector<Candidate> candidates(
    const ptx::Module& module,
    const std::vector<size_t>& functions,
    const InPlay& in_play,
    const std::vector<Suspect>& suspects
);

}  // namespace wl::diagnosis
