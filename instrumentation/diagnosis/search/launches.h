// Of a sequence: which launches run the lines of a change.
#pragma once

#include "instrumentation/compile/unit.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/rules/rules.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct LaunchLines {
    size_t at = 0;              // the launch that is diagnosed
    std::set<int> before = {};  // lines of the unit that launches before it have code of
    static constexpr size_t kNone = ~size_t{0};
    // By index in Source::bodies the first launch up to `at` that runs it; kNone: none of them does.
    std::vector<size_t> first_of_body = {};
};
// Empty of a single launch.
LaunchLines launch_lines(const Experiment& e, const compile::Unit& unit, const rewrite::Source& source);

// The first launch that a change may concern, by the function that it stands in, kNone where that is run
// behind the diagnosed one alone; nothing where it is in no function, and concerns all.
std::optional<size_t> first_launch(
    const LaunchLines& lines, const rewrite::Source& source, const rewrite::Rewrite& change
);

// All launches of a sequence, run with the changed program.
struct Behind {
    std::string wrong;       // empty: nothing
    std::string lacks = {};  // what values far beyond the inputs' own refute; empty: nothing
    uint64_t warp_instructions = 0, as_it_is = 0;
    int64_t written = 0;  // elements that are compared
    int64_t launches = 0;
    bool no_fault_left = false;  // in any launch
};
// With the problem's own inputs, and with other draws of them as far as that is not too much. Nothing of a
// single launch, or on a device.
std::optional<Behind> behind_all(Prover& prover, const ptx::Module& changed);

}  // namespace wl::diagnosis
