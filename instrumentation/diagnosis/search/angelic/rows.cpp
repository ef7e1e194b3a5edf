// A text that notes what is at hand, and its run.
#include "instrumentation/diagnosis/search/angelic/rows.h"

#include "instrumentation/diagnosis/search/angelic/site_runs.h"
#include "instrumentation/diagnosis/search/angelic/taken.h"

#include <optional>
#include <utility>

namespace wl::diagnosis {

Rows rows_at(
    const SourceTrials& t,
    Prover& prover,
    const AngelicSite& site,
    std::vector<std::string> at_hand,
    const Asked& asked
) {
    constexpr int kMostRounds = 4;
    const size_t threads = asked.group_of.size();
    Taken<std::string> noted =
        taken<std::string>(t, std::move(at_hand), kMostRounds, [&](const std::vector<std::string>& all) {
            return with_rows(t.source, site, all, static_cast<int64_t>(threads), asked.turns);
        });
    std::optional<Ready> ready = noted.ptx.empty() ? std::nullopt : make_ready(t, prover, noted.ptx);
    if (!ready) return {};
    const size_t texts = noted.items.size();
    TrialOptions o = ready->options;
    if (asked.whole) o.blocks.clear();
    o.rearrange = [&](execution::GlobalMemory& m) {
        execution::allocate(m, kRowOf, bytes_of(std::vector<int>(threads)));
        execution::allocate(m, kSiteTimes, bytes_of(std::vector<int>(threads)));
        execution::allocate(m, kRowGroups, bytes_of(asked.group_of));
        execution::allocate(m, kRowCount, bytes_of<int>({0}));
        execution::allocate(m, kRowGroup, bytes_of(std::vector<int>(kMostRows)));
        execution::allocate(m, kRowValues, bytes_of(std::vector<float>(kMostRows * texts)));
    };
    int count = 0;
    std::vector<int> groups;
    std::vector<float> values;
    o.on_end = [&](const execution::GlobalMemory& m) {
        count = array_of<int>(m, kRowCount, 1).front();
        groups = array_of<int>(m, kRowGroup, kMostRows);
        values = array_of<float>(m, kRowValues, kMostRows * texts);
    };
    if (!ready->runs(o).finished || count > kMostRows) return {};
    Rows out{std::move(noted.items), {}};
    out.of.resize(static_cast<size_t>(asked.groups));
    for (size_t r = 0; r < static_cast<size_t>(count); ++r) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(r * texts);
        out.of[static_cast<size_t>(groups[r])].emplace_back(
            begin, begin + static_cast<std::ptrdiff_t>(texts)
        );
    }
    return out;
}

}  // namespace wl::diagnosis
