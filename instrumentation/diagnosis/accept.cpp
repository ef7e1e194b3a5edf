// One checked run, one counted run, one call of ptxas, and the objections that follow.
#include "instrumentation/diagnosis/accept.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/banks.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/manifest/expression.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {
namespace {

using capture::Verdict;

constexpr int64_t kCounted = 8;  // blocks: their accesses differ by mask and edge only

// Evenly from the first block to the last.
std::vector<int64_t> spread_blocks(Dim3 grid) {
    const auto blocks = static_cast<int64_t>(count(grid));
    std::vector<int64_t> out;
    const int64_t n = std::min(blocks, kCounted);
    for (int64_t i = 0; i < n; ++i) out.push_back(n == 1 ? 0 : i * (blocks - 1) / (n - 1));
    return out;
}

void judge_outputs(Acceptance& a) {
    if (!a.run.covered.reference_problem.empty())
        a.objections.push_back("no reference: " + a.run.covered.reference_problem);
    for (std::string& gap : analysis::gaps(a.run)) a.objections.push_back(std::move(gap));
    double worst = -1;
    for (const capture::Output& o : a.run.outputs) {
        a.nan += o.nan;
        if (o.verdict == Verdict::not_compared) continue;
        if (o.verdict == Verdict::bad && o.nan > 0)
            a.objections.push_back(fmt::format("{} has {} NaN", o.name, o.nan));
        if (o.verdict == Verdict::bad && (o.nan == 0 || o.max_difference > o.bound))
            a.objections.push_back(
                fmt::format("{} differs by up to {:.2g}, allowed {:.2g}", o.name, o.max_difference, o.bound)
            );
        const double excess = o.bound > 0 ? o.max_difference / o.bound : o.max_difference;
        if (excess > worst) worst = excess, a.max_difference = o.max_difference, a.allowed = o.bound;
    }
}

void judge_tiles(Acceptance& a) {
    for (const capture::Tile& t : a.run.tiles) {
        if (t.block == capture::kWholeLaunch || t.verdict == Verdict::not_compared) continue;
        ++a.tiles, a.bad_tiles += t.verdict == Verdict::bad ? 1 : 0;
    }
    a.first_bad = analysis::first_bad_tile(a.run);
    if (a.bad_tiles > 0)
        a.objections.push_back(fmt::format("{} of {} tiles are outside their bounds", a.bad_tiles, a.tiles));
}

void judge_findings(Acceptance& a) {
    const size_t n = a.run.findings.size();
    if (n > 0) a.objections.push_back(fmt::format("{} finding{}", n, n == 1 ? "" : "s"));
}

void judge_resources(Acceptance& a) {
    const auto registers = static_cast<uint64_t>(a.resources.registers.value_or(0));
    if (registers > a.limits.registers)
        a.objections.push_back(fmt::format("{} registers a thread, limit {}", registers, a.limits.registers));
    if (a.shared() > a.limits.shared)
        a.objections.push_back(fmt::format(
            "{:.1f} KB of shared memory a block, limit {:.1f}",
            static_cast<double>(a.shared()) / 1024,
            static_cast<double>(a.limits.shared) / 1024
        ));
}

// A kernel that does not end would not end while its accesses are counted either.
bool ends(const capture::Capture& c) {
    return std::none_of(c.findings.begin(), c.findings.end(), [](const capture::Finding& f) {
        return f.rule == "endless_loop" || f.rule == "deadlock";
    });
}

}  // namespace

Acceptance accept(const manifest::Problem& problem, const AcceptLimits& limits, const Options& options) {
    Acceptance a;
    a.limits = limits;
    a.run = run(problem, options);
    if (a.run.verdict == "unsupported") return a;
    a.resources = measure_resources(a.run);
    if (ends(a.run)) {
        const BankReport banks =
            count_banks(problem, options, spread_blocks(manifest::launch_of(problem).grid), Remedies::skip);
        a.shared_accesses = analysis::total(banks.shared), a.counted = banks.blocks;
    }
    judge_outputs(a), judge_tiles(a), judge_findings(a), judge_resources(a);
    return a;
}

}  // namespace wl::diagnosis
