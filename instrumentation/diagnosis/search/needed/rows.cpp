// A text that notes what is at hand, and its run.
#include "instrumentation/diagnosis/search/needed/rows.h"

#include "instrumentation/diagnosis/search/needed/hole_runs.h"

#include <optional>
#include <utility>

namespace wl::diagnosis {

namespace {

// Of what is at hand all that the compiler takes.
struct Noting {
    std::vector<std::string> texts;
    std::string ptx;
};
Noting noting(const SourceTrials& t, const Hole& hole, std::vector<std::string> at_hand, const Asked& asked) {
    constexpr int kMostRounds = 4;
    Noting out{std::move(at_hand), {}};
    const auto threads = static_cast<int64_t>(asked.group_of.size());
    for (int round = 0; round < kMostRounds && !out.texts.empty(); ++round) {
        compile::Whole whole =
            compile::compile_whole(t.quick, with_rows(t.source, hole, out.texts, threads, asked.turns));
        out.ptx = std::move(whole.ptx);
        if (!out.ptx.empty() || whole.refused.empty()) break;
        std::vector<std::string> left;
        for (size_t k = 0; k < out.texts.size(); ++k)
            if (!whole.refused.contains(k)) left.push_back(out.texts[k]);
        out.texts = std::move(left);
    }
    return out;
}

}  // namespace

Rows rows_at(
    const SourceTrials& t,
    Prover& prover,
    const Hole& hole,
    std::vector<std::string> at_hand,
    const Asked& asked
) {
    Noting noted = noting(t, hole, std::move(at_hand), asked);
    std::optional<Ready> ready = noted.ptx.empty() ? std::nullopt : make_ready(t, prover, noted.ptx);
    if (!ready) return {};
    const size_t threads = asked.group_of.size(), texts = noted.texts.size();
    TrialOptions o = ready->options;
    if (asked.whole) o.blocks.clear();
    o.rearrange = [&](execution::GlobalMemory& m) {
        execution::allocate(m, kRowOf, bytes_of(std::vector<int>(threads)));
        execution::allocate(m, kHoleTimes, bytes_of(std::vector<int>(threads)));
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
    Rows out{std::move(noted.texts), {}};
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
