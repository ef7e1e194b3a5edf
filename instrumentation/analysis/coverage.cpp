// One pass; last writers by site in a map, as programs have few stores.
#include "instrumentation/analysis/coverage.h"

#include <algorithm>
#include <map>
#include <set>

namespace wl::analysis {

namespace {

void count_at(std::vector<int64_t>& counts, int index) {
    const auto at = static_cast<size_t>(index);
    if (at >= counts.size()) counts.resize(at + 1);
    ++counts[at];
}

}  // namespace

Coverage coverage_of(
    const std::vector<int64_t>& shape, std::span<const Writer> writers, std::span<const uint8_t> held
) {
    Coverage out;
    out.elements = static_cast<int64_t>(writers.size());
    std::set<int64_t> blocks;
    std::map<uint32_t, int64_t> sites;
    std::vector<uint8_t> unwritten(writers.size()), repeated(writers.size());
    for (size_t i = 0; i < writers.size(); ++i) {
        const Writer& w = writers[i];
        if (w.stores == 0) {
            unwritten[i] = 1;
            ++(!held.empty() && held[i] != 0 ? out.stale : out.never);
            continue;
        }
        repeated[i] = w.stores > 1 ? 1 : 0;
        ++(w.stores > 1 ? out.many : out.once);
        if (w.stores > out.most_stores) out.most_stores = w.stores, out.most_stored = static_cast<int64_t>(i);
        blocks.insert(w.block);
        count_at(out.by_warp, w.warp);
        count_at(out.by_lane, w.lane);
        ++sites[w.site];
    }
    out.blocks = static_cast<int64_t>(blocks.size());
    out.by_site.assign(sites.begin(), sites.end());
    std::ranges::stable_sort(out.by_site, std::ranges::greater{}, &std::pair<uint32_t, int64_t>::second);
    out.unwritten = describe(shape, unwritten), out.repeated = describe(shape, repeated);
    return out;
}

}  // namespace wl::analysis
