#include "instrumentation/diagnosis/rules/held_up.h"

#include <algorithm>

namespace wl::diagnosis {

bool is_held_up(const std::vector<capture::Finding>& findings, size_t k, const std::string& rule) {
    const int by = findings[k].caused_by;
    return findings[k].rule == rule && by >= 0 && findings[static_cast<size_t>(by)].rule == "shuffle_misuse";
}

void join_to_shuffles(std::vector<capture::Finding>& findings) {
    for (capture::Finding& f : findings) {
        if (f.rule != "divergent_barrier" || f.other.line > 0) continue;
        const auto cause = std::find_if(findings.begin(), findings.end(), [&](const capture::Finding& c) {
            return c.rule == "shuffle_misuse" && c.where.block == f.where.block &&
                c.where.warp == f.where.warp && c.where.epoch == f.where.epoch &&
                c.where.lanes == f.where.lanes;
        });
        if (cause == findings.end()) continue;
        f.caused_by = static_cast<int>(cause - findings.begin());
        f.proof += "; the other lanes wait for these in the instruction above, whose member mask names them";
    }
}

}  // namespace wl::diagnosis
