// Control dependence by post-dominators.
#include "instrumentation/travel/control.h"

#include "instrumentation/ptx/blocks.h"

#include <algorithm>
#include <utility>

namespace wl::travel {

Control control_of(const ptx::Function& f) {
    Control c;
    ptx::Blocks g = ptx::blocks_of(f);
    c.block_of = std::move(g.of);
    const std::vector<uint32_t> nearest = ptx::post_dominators(g);
    c.deciders.resize(g.exit + 1);
    for (uint32_t b = 0; b < g.exit; ++b) {
        if (g.successors[b].size() < 2) continue;
        // What lies on one way from the branch, up to where all ways meet again.
        for (const uint32_t s : g.successors[b])
            for (uint32_t at = s; at != ptx::kNoBlock && at != nearest[b] && nearest[at] != at;
                 at = nearest[at])
                c.deciders[at].push_back(g.last[b]);
    }
    return c;
}

bool decides(const Control& c, uint32_t branch, uint32_t instruction) {
    const std::vector<uint32_t>& all = c.deciders[c.block_of[instruction]];
    return std::find(all.begin(), all.end(), branch) != all.end();
}

}  // namespace wl::travel
