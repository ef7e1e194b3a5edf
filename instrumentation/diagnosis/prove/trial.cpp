// Running a changed program and judging it.
#include "instrumentation/diagnosis/prove/trial.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/emulator/poison/poison.h"

#include <algorithm>
#include <cmath>

namespace wl::diagnosis {

namespace {

using Kind = emulator::Incident::Kind;

// A reduction over equal values is a hint, not a fault; everything else says that the program is wrong.
bool is_fault(const emulator::Incident& i) { return i.kind != Kind::uniform_reduction; }

bool is_written(const emulator::Allocation& a, size_t first, size_t size) {
    if (a.written.empty()) return true;
    const auto begin = a.written.begin() + static_cast<std::ptrdiff_t>(first);
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(size), [](uint8_t w) { return w != 0; });
}

// Only what the blocks wrote is judged: the other blocks did not run.
void judge_outputs(Observer& observer, const emulator::GlobalMemory& memory, Trial& out) {
    compare_outputs(observer, memory);
    for (const capture::Tile& tile : observer.capture.tiles) {
        if (tile.block != capture::kWholeLaunch) continue;
        const capture::Probe& probe = observer.capture.probes[static_cast<size_t>(tile.probe)];
        const auto allocation =
            std::find_if(memory.allocations.begin(), memory.allocations.end(), [&](const auto& m) {
                return m.name == probe.name;
            });
        const analysis::TileData data = analysis::load_tile(observer.capture, tile);
        const size_t size = size_of(probe.dtype);
        for (size_t i = 0; i < data.reference.data.size(); ++i) {
            if (std::isnan(data.reference.data[i]) || !is_written(*allocation, i * size, size)) continue;
            ++out.compared;
            const double difference = std::fabs(data.got.data[i] - data.reference.data[i]);
            if (std::isfinite(difference)) out.max_difference = std::max(out.max_difference, difference);
            if (analysis::is_bad(data.got.data[i], data.reference.data[i], data.bound.data[i])) ++out.bad;
        }
    }
}

// Blocks alone, one after the other. False: one of them did not come to its end.
bool run_with_zeros(
    const ptx::Module& module,
    const emulator::Program& program,
    Prepared& prepared,
    const TrialOptions& options
) {
    emulator::PoisonOptions poison;
    poison.blocks = options.blocks, poison.schedule_seed = options.schedule_seed, poison.as_zero = true;
    const emulator::PoisonTrace trace =
        emulator::trace_poison({module, program, prepared.launch, prepared.memory}, poison);
    const auto wanted = options.blocks.empty() ? count(prepared.launch.grid) : options.blocks.size();
    return static_cast<uint64_t>(trace.blocks) == wanted;
}

}  // namespace

manifest::Problem with_seed(const manifest::Problem& p, uint64_t seed) {
    manifest::BindOptions options;
    for (const auto& [name, value] : p.params) options.set.emplace_back(name, std::to_string(value));
    options.faults = p.faults, options.inputs = p.inputs, options.seed = seed;
    options.python = p.python;
    return manifest::bind(p.kernel, options);
}

bool mended(const Trial& t) {
    return t.unsupported.empty() && t.finished && t.compared > 0 && t.bad == 0 &&
        std::none_of(t.incidents.begin(), t.incidents.end(), is_fault);
}

Trial try_module(const Experiment& e, const ptx::Module& changed, const TrialOptions& options) {
    Trial out;
    const ptx::Function& entry = entry_of(changed, e.entry);
    std::optional<manifest::Problem> other;
    std::optional<analysis::Reference> other_reference;
    if (options.seed_offset != 0) {
        other = with_seed(e.problem, e.problem.seed + options.seed_offset);
        other_reference = make_reference(*other).reference;
    }
    const manifest::Problem& problem = other ? *other : e.problem;
    const std::optional<analysis::Reference>& reference = other ? other_reference : e.reference;
    capture::Capture scratch;
    emulator::RunOptions run;
    run.blocks = options.blocks, run.budget = options.budget, run.threads = e.options.threads;
    run.marks = options.marks, run.schedule_seed = options.schedule_seed;
    run.checks = {.races = options.races, .uninitialised = options.races, .uniform = false};
    try {
        const auto program = emulator::lower(changed, e.entry);
        Observer observer{
            .problem = problem,
            .listing = emulator::listing(*program),
            .reference = reference ? &*reference : nullptr,
            .keep = false,
            .capture = scratch};
        run.on_tile = [&](emulator::TileSnapshot&& s) { add_tile(observer, std::move(s)); };
        Prepared prepared = prepare_launch(problem, entry);
        if (options.rearrange) options.rearrange(prepared.memory);
        if (options.zero_unwritten) {
            out.finished = run_with_zeros(changed, *program, prepared, options);
            if (reference) judge_outputs(observer, prepared.memory, out);
            return out;
        }
        emulator::RunResult result = emulator::run(*program, prepared.launch, prepared.memory, run);
        out.incidents = std::move(result.incidents);
        out.finished = std::none_of(out.incidents.begin(), out.incidents.end(), [](const auto& i) {
            return i.kind == Kind::endless_loop || i.kind == Kind::deadlock || i.kind == Kind::endless_wait ||
                i.kind == Kind::trap || i.kind == Kind::assertion;
        });
        for (const capture::Tile& t : scratch.tiles) out.compared += t.compared, out.bad += t.bad;
        if (reference) judge_outputs(observer, prepared.memory, out);
    } catch (const Unsupported& u) { out.unsupported = u.what(); }
    return out;
}

}  // namespace wl::diagnosis
