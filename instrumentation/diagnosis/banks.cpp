// Three runs at most: as the kernel is, with the best paddings, with the best swizzles.
#include "instrumentation/diagnosis/banks.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/sequence.h"

#include <algorithm>
#include <bit>
#include <set>

namespace wl::diagnosis {
namespace {

struct Counting {
    const Experiment& experiment;
    const execution::Executable& executable;
    const std::vector<int64_t>& blocks;
};
struct CountedRun {
    execution::RunResult result;
    execution::GlobalMemory memory;
};

CountedRun run_counting(const Counting& c, std::vector<RowMap> maps, const char* stage) {
    const Options& o = c.experiment.options;
    Prepared prepared = prepare(c.experiment);
    execution::RunOptions options;
    options.threads = o.threads, options.schedule_seed = o.schedule_seed;
    options.checks = {.races = false, .uninitialised = false, .uniform = false};
    options.marks = false, options.blocks = c.blocks;
    options.count_accesses = true, options.row_maps = std::move(maps);
    options.on_progress = [&o, stage](uint64_t done, uint64_t total) {
        return !o.on_progress ||
            o.on_progress({stage, total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total)});
    };
    CountedRun out;
    out.result = c.executable.run(prepared.launch, prepared.memory, options);
    if (out.result.cancelled) throw_cancelled();
    out.memory = std::move(prepared.memory);
    return out;
}

bool same_memory(const execution::GlobalMemory& a, const execution::GlobalMemory& b) {
    return std::equal(
        a.allocations.begin(),
        a.allocations.end(),
        b.allocations.begin(),
        b.allocations.end(),
        [](const execution::Allocation& x, const execution::Allocation& y) { return x.bytes == y.bytes; }
    );
}

// Instructions that touch the array, as far as the patterns and the witnesses tell.
std::set<uint32_t> sites_of(const analysis::SharedArray& array, const capture::AccessCounts& counts) {
    std::set<uint32_t> out;
    const auto add = [&](uint32_t site, const LaneAccesses& a) {
        for (uint32_t rest = a.mask; rest != 0; rest &= rest - 1)
            if (analysis::array_at({array}, a.at[static_cast<size_t>(std::countr_zero(rest))]) == 0)
                out.insert(site);
    };
    for (const capture::AccessPattern& p : counts.patterns) add(p.site, p.accesses);
    for (const capture::AccessSite& s : counts.sites)
        if (!s.global) add(s.site, s.witness.accesses);
    return out;
}

analysis::AccessTotal total_of(const capture::AccessCounts& counts, const std::set<uint32_t>& sites) {
    std::vector<capture::AccessSite> chosen;
    for (const capture::AccessSite& s : counts.sites)
        if (!s.global && sites.contains(s.site)) chosen.push_back(s);
    return analysis::total(chosen);
}

// Runs all paddings, or all swizzles, at once: the arrays lie apart.
void prove(
    const Counting& c,
    const CountedRun& first,
    const std::vector<analysis::Remedy>& remedies,
    BankReport& report
) {
    if (remedies.empty()) return;
    std::vector<RowMap> maps;
    for (const analysis::Remedy& r : remedies) {
        const auto more = analysis::maps_of(report.arrays[static_cast<size_t>(r.array)], r);
        maps.insert(maps.end(), more.begin(), more.end());
    }
    const CountedRun second = run_counting(c, std::move(maps), "verify");
    const bool same = same_memory(first.memory, second.memory);
    for (const analysis::Remedy& r : remedies) {
        const std::set<uint32_t> sites =
            sites_of(report.arrays[static_cast<size_t>(r.array)], first.result.accesses);
        const analysis::AccessTotal before = total_of(first.result.accesses, sites),
                                    after = total_of(second.result.accesses, sites);
        report.remedies.push_back({r, before.cost, after.cost, before.ideal, same});
    }
}

}  // namespace

BankReport count_banks(
    manifest::Problem problem, Options options, const std::vector<int64_t>& blocks, Remedies remedies
) {
    options.reference = false;
    BankReport report;
    const Experiment e = make_experiment(std::move(problem), options, report.about);
    const execution::Executor& executor = options.executor;
    if (!executor.can.count_accesses) throw Error(executor.name + " counts no accesses");
    const execution::Executable executable = executor.prepare(e.module, e.entry);
    describe_launch(e, executable, report.about);
    const Counting counting{e, executable, blocks};
    const CountedRun first = run_counting(counting, {}, "run");
    const capture::AccessCounts& counts = first.result.accesses;
    report.about.seconds.emplace_back("run", first.result.seconds);
    report.blocks = static_cast<int64_t>(first.result.blocks);
    report.arrays = analysis::shared_arrays(counts.regions);
    report.shared = analysis::worst_first(counts, false), report.global = analysis::worst_first(counts, true);
    report.shared_lines = analysis::by_line(report.about.sites, report.arrays, report.shared);
    report.global_lines = analysis::by_line(report.about.sites, report.arrays, report.global);
    report.uncounted = counts.uncounted, report.patterns_complete = counts.patterns_complete;
    if (remedies == Remedies::skip) return report;
    std::vector<analysis::Remedy> paddings, swizzles;
    for (const analysis::Remedy& r : analysis::find_remedies(report.arrays, counts.patterns))
        (r.padding != 0 ? paddings : swizzles).push_back(r);
    prove(counting, first, paddings, report);
    prove(counting, first, swizzles, report);
    std::stable_sort(report.remedies.begin(), report.remedies.end(), [](const auto& a, const auto& b) {
        return a.remedy.array != b.remedy.array ? a.remedy.array < b.remedy.array : a.after < b.after;
    });
    return report;
}

}  // namespace wl::diagnosis
