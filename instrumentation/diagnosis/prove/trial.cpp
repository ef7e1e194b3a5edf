// Running a changed program and judging it.
#include "instrumentation/diagnosis/prove/trial.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/prove/judge.h"
#include "instrumentation/emulator/fp64/fp64.h"
#include "instrumentation/emulator/observe/part_exited.h"
#include "instrumentation/emulator/poison/poison.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace wl::diagnosis {

namespace {

using Kind = execution::Incident::Kind;

// A reduction over equal values is a hint, not a fault; everything else says that the program is wrong.
bool is_fault(const execution::Incident& i) { return i.kind != Kind::uniform_reduction; }

bool are_all(int64_t ended, const Prepared& prepared, const TrialOptions& options) {
    const auto wanted = options.blocks.empty() ? count(prepared.launch.grid) : options.blocks.size();
    return static_cast<uint64_t>(ended) == wanted;
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
    return are_all(trace.blocks, prepared, options);
}

bool run_in_fp64(
    const ptx::Module& module,
    const emulator::Program& program,
    Prepared& prepared,
    const TrialOptions& options
) {
    emulator::Fp64Options fp64;
    fp64.blocks = options.blocks, fp64.schedule_seed = options.schedule_seed, fp64.unrounded = *options.fp64;
    const emulator::Fp64Trace trace =
        emulator::trace_fp64({module, program, prepared.launch, prepared.memory}, fp64);
    return are_all(trace.blocks, prepared, options);
}

double bytes_of(const execution::GlobalMemory& memory) {
    double out = 0;
    for (const execution::Allocation& a : memory.allocations) out += static_cast<double>(a.bytes.size());
    return out;
}

struct Between {
    size_t first = 0, end = 0;  // launches
};
// Launches from `before.launches`' first on; false: one of them does not come to its end. `checked`: where
// all checks are made, what they say and what was executed.
bool run_launches(
    Lowered& changed,
    const std::vector<std::string>& entries,
    const Before& before,
    const Between& which,
    execution::GlobalMemory& memory,
    Trial* checked = nullptr
) {
    for (size_t k = which.first; k < which.end; ++k) {
        execution::RunOptions run;
        run.budget = before.budgets[k - which.first], run.threads = 1, run.marks = false;
        run.checks = {.races = checked != nullptr, .uninitialised = checked != nullptr, .uniform = false};
        execution::RunResult ran =
            emulator::run(program_of(changed, entries[k]), before.launches[k - which.first], memory, run);
        emulator::drop_part_exited(ran.incidents);
        if (checked != nullptr) {
            checked->incidents.insert(checked->incidents.end(), ran.incidents.begin(), ran.incidents.end());
            checked->warp_instructions += ran.warp_instructions;
        }
        if (ends_early(ran.incidents)) return false;
    }
    return true;
}

// The inputs as the launch finds them. Of a sequence launches before it run the changed program; false: one
// of them does not come to its end.
bool prepare_trial(
    Prover& prover, const Inputs& inputs, Lowered* changed, const TrialOptions& o, Prepared& out
) {
    const size_t at = inputs.problem.at;
    const bool own = changed == nullptr || o.from >= at;
    const Before* before = own ? nullptr : &before_launch(prover, o.seed_offset, o.from);
    out = {execution::copy_of(own ? inputs.prepared.memory : before->memory), inputs.prepared.launch};
    if (o.rearrange) o.rearrange(out.memory);
    if (own) return true;
    return run_launches(
        *changed, o.entries.empty() ? prover.experiment.entries : o.entries, *before, {o.from, at}, out.memory
    );
}

// Runs it over the inputs, tile by tile, and judges what it left.
struct Run {
    const execution::Listing& listing;
    std::function<execution::RunResult(Prepared&, const execution::RunOptions&)> run;
    Lowered* lowered = nullptr;  // null: on a device
};

Trial judged(Prover& prover, const Run& program, const TrialOptions& options) {
    Trial out;
    const Inputs& inputs = inputs_of(prover, options.seed_offset);
    Prepared prepared;
    if (!prepare_trial(prover, inputs, program.lowered, options, prepared)) {
        out.finished = false;
        return out;
    }
    // Behind all blocks what nobody wrote is the fill, which is compared as well.
    const std::vector<std::string> filled =
        options.blocks.empty() ? std::vector<std::string>{} : watch_outputs(inputs.problem, prepared.memory);
    capture::Capture scratch;
    Observer observer{
        .problem = inputs.problem,
        .listing = program.listing,
        .reference = inputs.reference ? &*inputs.reference : nullptr,
        .keep = false,
        .capture = scratch};
    execution::RunOptions run;
    run.blocks = options.blocks, run.budget = options.budget;
    // A build that optimises less hides which memory is shared, and seems to poll what others write.
    run.alone = !tries_on_device(prover.experiment) && !unedited_program(prover).waits_for_blocks;
    run.threads = options.blocks.size() == 1 ? 1 : prover.experiment.options.threads;
    run.marks = options.marks, run.schedule_seed = options.schedule_seed;
    run.checks = {.races = options.races, .uninitialised = options.races, .uniform = false};
    run.on_tile = [&](execution::TileSnapshot&& s) { add_tile(observer, std::move(s)); };
    execution::RunResult result = program.run(prepared, run);
    if (!options.part_exits) emulator::drop_part_exited(result.incidents);
    out.incidents = std::move(result.incidents), out.warp_instructions = result.warp_instructions;
    const std::vector<Kind>& harmless = prover.experiment.options.harmless;
    std::erase_if(out.incidents, [&](const execution::Incident& i) {
        const bool known = std::find(harmless.begin(), harmless.end(), i.kind) != harmless.end();
        return reads_fill(i, filled) || (known && is_followed(i));
    });
    out.finished = !ends_early(out.incidents);
    for (const capture::Tile& t : scratch.tiles) {
        out.compared += t.compared;
        (t.verdict == capture::Verdict::undecided ? out.undecided : out.bad) += t.bad;
    }
    judge_outputs(inputs, prepared.memory, options, out);
    if (options.on_end) options.on_end(prepared.memory);
    constexpr double kElement = 90, kByte = 0.7;  // of search-work.json
    count_work(kElement * static_cast<double>(out.compared) + kByte * bytes_of(inputs.prepared.memory));
    check_stop();  // what ended early says nothing
    return out;
}

// Registers that nobody wrote and that matter: no check of a run tells of them.
void add_poisoned_registers(
    Prover& prover,
    const Lowered& changed,
    const emulator::Program& program,
    const TrialOptions& o,
    Trial& out
) {
    const Inputs& inputs = inputs_of(prover, o.seed_offset);
    Prepared prepared{execution::copy_of(inputs.prepared.memory), inputs.prepared.launch};
    if (o.rearrange) o.rearrange(prepared.memory);
    emulator::PoisonOptions options;
    options.blocks = o.blocks, options.schedule_seed = o.schedule_seed;
    emulator::PoisonTrace trace =
        emulator::trace_poison({changed.module, program, prepared.launch, prepared.memory}, options);
    std::erase_if(trace.incidents, [](const execution::Incident& i) {
        return i.kind != Kind::uninitialised_read || i.first.memory != "register";
    });
    std::move(trace.incidents.begin(), trace.incidents.end(), std::back_inserter(out.incidents));
}

Trial refused(std::string why) {
    Trial out;
    out.unsupported = std::move(why), out.finished = false;
    return out;
}

Trial too_late() { return refused("the time of --search was up"); }

Trial run_trial(Prover& prover, Lowered& changed, const TrialOptions& options) {
    if (prover.time_is_up) return too_late();
    const ptx::Module& module = changed.module;
    const emulator::Program& program =
        program_of(changed, options.entry.empty() ? prover.experiment.entry : options.entry);
    if (options.zero_unwritten || options.fp64) {
        Trial out;
        const Inputs& inputs = inputs_of(prover, options.seed_offset);
        Prepared prepared{execution::copy_of(inputs.prepared.memory), inputs.prepared.launch};
        if (options.rearrange) options.rearrange(prepared.memory);
        if (options.fp64 && !options.blocks.empty()) watch_outputs(inputs.problem, prepared.memory);
        out.finished = options.fp64 ? run_in_fp64(module, program, prepared, options)
                                    : run_with_zeros(module, program, prepared, options);
        judge_outputs(inputs, prepared.memory, options, out);
        return out;
    }
    const auto run = [&](Prepared& prepared, const execution::RunOptions& o) {
        return emulator::run(program, prepared.launch, prepared.memory, o);
    };
    Trial out = judged(prover, {emulator::listing(program), run, &changed}, options);
    const std::string& entry = options.entry.empty() ? prover.experiment.entry : options.entry;
    const bool follows = options.races && mended(out) && options.from >= prover.experiment.problem.at;
    if (follows && emulator::may_read_uninitialised(module, entry))
        add_poisoned_registers(prover, changed, program, options, out);
    return out;
}

}  // namespace

bool is_clean(const Trial& t) {
    return t.unsupported.empty() && t.finished &&
        std::none_of(t.incidents.begin(), t.incidents.end(), is_fault);
}

bool writes_as_much(const Trial& t, const std::vector<int64_t>& of_output) {
    return of_output.empty() ||
        std::equal(
               t.of_output.begin(),
               t.of_output.end(),
               of_output.begin(),
               of_output.end(),
               [](int64_t now, int64_t least) { return now >= least; }
        );
}

bool mended(const Trial& t) { return is_clean(t) && t.compared > 0 && t.bad == 0; }

bool tries_on_device(const Experiment& e) { return !e.options.executor.can.bounds; }

std::string measured_words(const Experiment& e) {
    return tries_on_device(e) ? "measured on " + e.options.executor.name + ": " : "";
}

Trial try_executable(Prover& prover, const execution::Executable& program, const TrialOptions& options) {
    if (prover.time_is_up) return too_late();
    if (options.zero_unwritten || options.fp64 || options.schedule_seed != 0)
        return refused("it takes the emulator, which lacks an instruction of the kernel");
    const auto run = [&](Prepared& prepared, const execution::RunOptions& o) {
        return program.run(prepared.launch, prepared.memory, o);
    };
    TrialOptions all = options;
    all.blocks.clear(), all.marks = false;  // wrong outputs say enough, and without tiles it is quicker
    Trial out = judged(prover, {*program.listing, run}, all);
    if (!options.marks || out.bad > 0 || !out.finished) return out;
    all.marks = true;
    return judged(prover, {*program.listing, run}, all);
}

Trial try_module(Prover& prover, const ptx::Module& changed, const TrialOptions& options) {
    const Experiment& e = prover.experiment;
    const std::string& entry = options.entry.empty() ? e.entry : options.entry;
    try {
        if (tries_on_device(e))
            return try_executable(prover, e.options.executor.prepare(changed, entry), options);
        Lowered lowered{changed};
        return run_trial(prover, lowered, options);
    } catch (const Unsupported& u) { return refused(u.what()); }
}

const emulator::Program& program_of(Lowered& lowered, const std::string& entry) {
    std::shared_ptr<const emulator::Program>& known = lowered.by_entry[entry];
    if (!known) known = emulator::lower(lowered.module, entry);
    return *known;
}

Trial try_program(Prover& prover, Lowered& changed, const TrialOptions& options) {
    return run_trial(prover, changed, options);
}

Trial try_sequence(Prover& prover, const ptx::Module& changed, const TrialOptions& how) {
    if (prover.time_is_up) return too_late();
    Trial out;
    const Before& before = before_launch(prover, how.seed_offset, 0);
    execution::GlobalMemory memory = execution::copy_of(before.memory);
    if (how.rearrange) how.rearrange(memory);
    Lowered lowered{changed};
    const std::vector<std::string>& entries = how.entries.empty() ? prover.experiment.entries : how.entries;
    Trial* const checked = how.races ? &out : nullptr;
    out.finished = run_launches(lowered, entries, before, {0, before.launches.size()}, memory, checked);
    TrialOptions options;
    options.at_end = true;
    judge_outputs(inputs_of(prover, how.seed_offset), memory, options, out);
    return out;
}

const Trial& try_unedited_sequence(Prover& prover) {
    if (!prover.sequence) {
        const CountedWork once(nullptr);  // who asks first has it made for all
        prover.sequence = std::make_shared<const Trial>(try_sequence(prover, prover.experiment.module));
    }
    return *prover.sequence;
}

Trial try_unedited(Prover& prover, const TrialOptions& options) {
    const Experiment& e = prover.experiment;
    if (tries_on_device(e)) return try_module(prover, e.module, options);
    unedited_program(prover);
    Lowered lowered{e.module, {{e.entry, prover.unedited}}};
    return run_trial(prover, lowered, options);
}

}  // namespace wl::diagnosis
