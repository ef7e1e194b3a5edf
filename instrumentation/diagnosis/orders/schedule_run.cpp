#include "instrumentation/diagnosis/orders/schedule_run.h"

#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wl::diagnosis {

namespace {

constexpr size_t kMostTileBytes = size_t{256} << 20;  // of schedule 0, kept to compare with

std::vector<const manifest::BoundArgument*> outputs_of(const manifest::Problem& problem) {
    std::vector<const manifest::BoundArgument*> out = manifest::arrays(problem);
    std::erase_if(out, [](const manifest::BoundArgument* a) { return !a->output; });
    return out;
}

// Roundings of n operations in either order, as good as independent: their sums lie some sqrt(n) roundoffs of
// the largest partial sum apart. Partial sums of an element are about as large as it is or as the others are.
bool is_rounding(
    DType type, const std::vector<std::byte>& before, const std::vector<std::byte>& after, double n
) {
    constexpr double kDeviations = 8;
    const size_t size = size_of(type), count = before.size() / size;
    double squares = 0;
    for (size_t k = 0; k < count; ++k) {
        const double a = to_double(type, before.data() + k * size);
        if (std::isfinite(a)) squares += a * a;
    }
    const double typical = std::sqrt(squares / static_cast<double>(std::max<size_t>(count, 1)));
    const double of_one = kDeviations * std::sqrt(n) * unit_roundoff(type);
    for (size_t k = 0; k < count; ++k) {
        const std::byte *was = before.data() + k * size, *is = after.data() + k * size;
        if (std::memcmp(was, is, size) == 0) continue;
        const double a = to_double(type, was), b = to_double(type, is);
        const double scale = std::max({std::fabs(a), std::fabs(b), typical});
        if (!(std::fabs(a - b) <= of_one * scale)) return false;
    }
    return true;
}

}  // namespace

Result run_schedule(const Explorer& x, const ScheduleRun& of) {
    const Experiment& e = x.experiment;
    Result out;
    Prepared prepared = prepare(e);
    execution::RunOptions options = run_options(e.options, "explore");
    options.schedule_seed = of.seed, options.exact_sums = of.exact_sums;
    options.marks = of.marks || emulator::marks(x.program).empty();  // as a run that records has it
    options.checks = {.races = false, .uninitialised = false, .uniform = false};
    size_t kept = 0;
    options.on_tile = [&](execution::TileSnapshot&& s) {
        kept += s.values.size();
        const TileKey key{s.mark, s.block, s.warp, s.iteration};
        if (kept <= kMostTileBytes) out.tiles.emplace(key, std::move(s));
    };
    const execution::RunResult result = emulator::run(x.program, prepared.launch, prepared.memory, options);
    if (result.cancelled) throw_cancelled();
    out.in_order = result.in_order;
    out.finished = !ends_early(result.incidents);
    manifest::Problem behind = e.problem;
    while (out.finished && ++behind.at < behind.launches.size()) run_plain(e, behind, prepared.memory);
    for (const manifest::BoundArgument* a : outputs_of(e.problem))
        out.outputs.push_back(array_of(prepared.memory, a->data.name));
    return out;
}

Change difference(DType type, const std::vector<std::byte>& before, const std::vector<std::byte>& after) {
    Change c;
    const size_t size = size_of(type);
    if (before.size() != after.size()) return c;
    c.elements = static_cast<int64_t>(before.size() / size);
    for (size_t k = 0; k < before.size() / size; ++k) {
        const std::byte *was = before.data() + k * size, *is = after.data() + k * size;
        if (std::memcmp(was, is, size) == 0) continue;
        const double a = to_double(type, was), b = to_double(type, is);
        if (c.changed++ == 0) c.first = static_cast<int64_t>(k), c.was = a, c.is = b;
        if (std::isfinite(a) && std::isfinite(b))
            c.largest = std::max(c.largest, std::fabs(a - b));
        else
            ++c.odd;
    }
    return c;
}

std::vector<Change> compare_outputs(const Explorer& x, const Result& base, const Result& other) {
    std::vector<Change> out;
    size_t k = 0;
    for (const manifest::BoundArgument* a : outputs_of(x.experiment.problem)) {
        Change c = difference(a->data.dtype, base.outputs[k], other.outputs[k]);
        ++k;
        if (c.changed == 0) continue;
        c.name = a->data.name;
        c.wanted = rule_of(x.experiment.problem, c.name).compare;
        out.push_back(std::move(c));
    }
    return out;
}

void judge_rounding(
    const Explorer& x, Plain& base, uint64_t seed, const Result& other, std::vector<Change>& changes
) {
    if (changes.empty() || (!x.contest.sums && !x.contest.sections)) return;
    std::optional<Result> exact;
    if (x.contest.sums) {
        if (!base.exact) base.exact = run_schedule(x, {.exact_sums = true});
        exact = run_schedule(x, {.seed = seed, .exact_sums = true});
    }
    const Result &one = exact ? *base.exact : base.result, &two = exact ? *exact : other;
    const manifest::BoundLaunch& launch = manifest::launch_of(x.experiment.problem);
    const double warps = static_cast<double>(count(launch.grid)) * std::ceil(count(launch.block) / 32.0);
    size_t k = 0;
    for (const manifest::BoundArgument* a : outputs_of(x.experiment.problem)) {
        const size_t at = k++;
        const DType type = a->data.dtype;
        const auto c = std::find_if(changes.begin(), changes.end(), [&](const Change& change) {
            return change.name == a->data.name;
        });
        if (c == changes.end() || !is_float(type)) continue;
        c->rounding = (exact && one.outputs[at] == two.outputs[at]) ||
            (x.contest.sections && is_rounding(type, one.outputs[at], two.outputs[at], warps));
    }
}

}  // namespace wl::diagnosis
