// Problems, references and memory that are made once and used by every trial.
#include "instrumentation/diagnosis/prove/prover.h"

#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/prove/other_data.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/manifest/params.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace wl::diagnosis {

namespace {

constexpr size_t kMostRemembered = size_t{1} << 24;  // elements: 13 bytes each

using Key = std::tuple<std::string, std::vector<int64_t>, int, int, int, int>;

struct Remembered {
    std::mutex mutex;
    std::map<Key, analysis::ReferenceTile> windows;
    size_t elements = 0;
};

bool is_written(const execution::Allocation& m) {
    return m.written.empty() || std::find(m.written.begin(), m.written.end(), 1) != m.written.end();
}

struct Ran {
    execution::GlobalMemory memory;  // what the blocks wrote of the arrays that are asked for is flagged
    double cost = 0;                 // warp instructions
};
// Some blocks of the program as it is; none given: all.
Ran run_some(
    Prover& prover, const Prepared& prepared, const std::set<std::string>& names, std::vector<int64_t> blocks
) {
    constexpr uint64_t kBudget = uint64_t{1} << 20;  // warp instructions of a block: it may be endless
    Ran out{execution::copy_of(prepared.memory)};
    for (execution::Allocation& m : out.memory.allocations)
        if (names.contains(m.name)) m.written.assign(m.bytes.size(), 0);
    execution::RunOptions run;
    run.blocks = std::move(blocks), run.marks = false, run.threads = 1, run.budget = kBudget;
    run.checks = {.races = false, .uninitialised = false, .uniform = false};
    run.alone = true;
    out.cost = static_cast<double>(
        emulator::run(unedited_program(prover), prepared.launch, out.memory, run).warp_instructions
    );
    return out;
}

// Of outputs that launches before have written, those that a block alone leaves otherwise than all blocks do.
std::set<std::string> added_up(Prover& prover, const Prepared& prepared, const std::set<std::string>& names) {
    const auto blocks = static_cast<int64_t>(count(prepared.launch.grid));
    const Ran first = run_some(prover, prepared, names, {0});
    if (first.cost * static_cast<double>(blocks) > kMostTriedWhole) return {};
    const Ran all = run_some(prover, prepared, names, {});
    const Ran last = run_some(prover, prepared, names, {blocks - 1});
    std::set<std::string> out;
    for (const Ran* one : {&first, &last})
        for (const std::string& name : names) {
            const execution::Allocation &a = *execution::find_named(one->memory, name),
                                        &b = *execution::find_named(all.memory, name);
            for (size_t k = 0; k < a.bytes.size(); ++k)
                if (a.written[k] != 0 && a.bytes[k] != b.bytes[k]) out.insert(name);
        }
    return out;
}

// By the manifest, or by launches before and to be added to.
std::set<std::string> filled_outputs(Prover& prover, const manifest::Problem& p, const Prepared& prepared) {
    std::set<std::string> out, before;
    for (const manifest::BoundArgument* a : manifest::arrays(p)) {
        const execution::Allocation* m =
            a->output ? execution::find_named(prepared.memory, a->data.name) : nullptr;
        if (m == nullptr) continue;
        if (a->filled)
            out.insert(a->data.name);
        else if (p.at > 0 && is_written(*m))
            before.insert(a->data.name);
    }
    const Experiment& e = prover.experiment;
    const bool adds = !before.empty() && e.options.executor.can.bounds &&
        std::any_of(e.module.functions.begin(), e.module.functions.end(), adds_to_global);
    if (adds) out.merge(added_up(prover, prepared, before));
    return out;
}

}  // namespace

bool adds_to_global(const ptx::Function& function) {
    return std::any_of(function.code.begin(), function.code.end(), [](const ptx::Instruction& i) {
        return i.op != ptx::Op::mark && i.form != nullptr &&
            ptx::traits_of(i).memory == ptx::Memory::update && i.modifiers.space != ptx::Space::shared;
    });
}

bool has_own_limit(const manifest::Problem& p) {
    const std::vector<const manifest::BoundArgument*> all = manifest::arrays(p);
    return std::any_of(all.begin(), all.end(), [&](const manifest::BoundArgument* a) {
        return a->output && rule_of(p, a->data.name).tolerance.value_or(0) > 0;
    });
}

analysis::Reference remembering(analysis::Reference reference) {
    auto known = std::make_shared<Remembered>();
    reference.tile = [known, compute = std::move(reference.tile)](const analysis::Window& w) {
        const Key key{w.tensor, w.at, w.rows, w.cols, w.row_axis, w.col_axis};
        {
            const std::scoped_lock lock(known->mutex);
            const auto it = known->windows.find(key);
            if (it != known->windows.end()) return it->second;
        }
        analysis::ReferenceTile made = compute(w);
        const std::scoped_lock lock(known->mutex);
        const size_t size = made.value.data.size();
        if (known->elements + size <= kMostRemembered && known->windows.emplace(key, made).second)
            known->elements += size;
        return made;
    };
    return reference;
}

// A recorded launch has the inputs that it had.
manifest::Problem with_seed(const manifest::Problem& p, uint64_t seed) {
    if (manifest::is_recorded(p)) return p;
    manifest::BindOptions options;
    for (const auto& [name, value] : p.params) options.set.emplace_back(name, fmt::format("{}", value));
    options.faults = p.faults, options.inputs = p.inputs, options.seed = seed;
    options.python = p.python;
    options.launch = p.chosen || p.launches.size() > 1 ? std::to_string(p.at + 1) : "";
    return manifest::bind(p.kernel, options);
}

namespace {

struct Data {
    manifest::Problem problem;
    std::optional<analysis::Reference> reference;
    bool same = false;
};

// Of outputs that are compared, elements whose reference is infinite or NaN.
int64_t not_finite(const manifest::Problem& p, const analysis::Reference& reference) {
    constexpr int64_t kMost = int64_t{1} << 20;  // elements that are looked at
    int64_t out = 0, looked = 0;
    for (const manifest::BoundArgument* a : manifest::arrays(p)) {
        const manifest::OutputRule rule = a->output ? rule_of(p, a->data.name) : manifest::OutputRule{};
        const std::vector<int64_t>& shape = a->data.shape;
        if (!a->output || !rule.compare || shape.empty() || elements(shape) == 0) continue;
        analysis::Window w{rule.of, std::vector<int64_t>(shape.size()), 1, static_cast<int>(shape.back())};
        for (; looked < kMost; looked += shape.back()) {
            for (const double v : reference.tile(w).value.data) out += std::isfinite(v) ? 0 : 1;
            size_t axis = shape.size() - 1;
            while (axis > 0 && ++w.at[axis - 1] == shape[axis - 1]) w.at[--axis] = 0;
            if (axis == 0) break;
        }
    }
    return out;
}

// First with zeros, ties and extremes: of three draws one after the other one has no positive numbers, and
// one no negative ones. `again`: how often the reference refused it.
Mix mix_of(uint64_t seed, uint64_t again) {
    if (again > 1) return Mix::order;
    return again > 0 || seed % 3 == 0 ? Mix::turned : seed % 3 == 1 ? Mix::none_positive : Mix::none_negative;
}

// Drawn again where the reference refuses them, or is not finite where the file's is, as may be of data that
// are not what it takes.
std::optional<Data> redrawn(
    const Experiment& e, const manifest::Problem& problem, uint64_t seed, uint64_t which = kAllArrays
) {
    constexpr uint64_t kTimes = 4;
    using Kind = manifest::ReferenceRule::Kind;
    const Kind kind = problem.kernel.reference.kind;
    if (kind == Kind::npz || kind == Kind::recorded) return std::nullopt;
    for (uint64_t k = 0; k < kTimes; ++k) {
        Data out{problem, {}};
        const bool drawn = redraw(out.problem, kTimes * seed + k, mix_of(seed, k), which);
        if (!drawn || same_inputs(out.problem, problem)) return std::nullopt;
        out.reference = make_reference(out.problem).reference;
        if (!out.reference) continue;
        if (!e.reference || not_finite(out.problem, *out.reference) <= not_finite(problem, *e.reference))
            return out;
    }
    return std::nullopt;
}

Data data_of(const Experiment& e, uint64_t seed_offset);

// Of some much larger elements limits that were estimated from values around say nothing.
bool is_estimated(const manifest::Problem& p, const analysis::Reference& reference) {
    const std::vector<const manifest::BoundArgument*> all = manifest::arrays(p);
    return std::any_of(all.begin(), all.end(), [&](const manifest::BoundArgument* a) {
        const std::vector<int64_t>& shape = a->data.shape;
        if (!a->output || !is_float(a->data.dtype) || shape.empty() || elements(shape) == 0) return false;
        const manifest::OutputRule rule = rule_of(p, a->data.name);
        return rule.compare &&
            reference.tile({rule.of, std::vector<int64_t>(shape.size()), 1, static_cast<int>(shape.back())})
                .estimated;
    });
}

// Whose reference is finite where that of the draw without them is.
Data wild_data_of(const Experiment& e, uint64_t seed_offset) {
    Data out = data_of(e, seed_offset);
    const std::optional<analysis::Reference> before = std::exchange(out.reference, std::nullopt);
    const manifest::Problem plain = out.problem;
    using Kind = manifest::ReferenceRule::Kind;
    const Kind kind = out.problem.kernel.reference.kind;
    const bool all = enlarges_all(out.problem.seed);
    const bool changed = before && kind != Kind::npz && kind != Kind::recorded &&
        (all || !is_estimated(plain, *before)) && enlarge(out.problem, out.problem.seed);
    if (changed) out.reference = make_reference(out.problem).reference;
    out.same = !out.reference || not_finite(out.problem, *out.reference) > not_finite(plain, *before);
    return out;
}

Data data_of(const Experiment& e, uint64_t seed_offset) {
    if (seed_offset >> kOnlyShift != 0) {
        const uint64_t seed = e.problem.seed + (seed_offset & (only(1, 0) - 1));
        std::optional<Data> some = redrawn(e, e.problem, seed, seed_offset >> kOnlyShift);
        return some ? std::move(*some) : Data{e.problem, e.reference, true};
    }
    if (seed_offset >= kWild) return wild_data_of(e, seed_offset - kWild);
    if (seed_offset == 0) return {e.problem, e.reference};
    manifest::Problem problem = with_seed(e.problem, e.problem.seed + seed_offset);
    const bool same = same_inputs(problem, e.problem);
    if (same)
        if (std::optional<Data> other = redrawn(e, problem, problem.seed)) return std::move(*other);
    std::optional<analysis::Reference> reference = make_reference(problem).reference;
    return {std::move(problem), std::move(reference), same};
}

}  // namespace

const Inputs& inputs_of(Prover& prover, uint64_t seed_offset) {
    std::unique_ptr<Inputs>& known = prover.by_seed[seed_offset];
    if (known) return *known;
    const CountedWork once(nullptr);  // who comes first makes it for all
    const Experiment& e = prover.experiment;
    Data data = data_of(e, seed_offset);
    if (data.reference) data.reference = remembering(std::move(*data.reference));
    Prepared prepared = seed_offset == 0 ? prepare(e) : prepare(e, data.problem);
    std::set<std::string> filled =
        seed_offset == 0 ? filled_outputs(prover, data.problem, prepared) : inputs_of(prover, 0).filled;
    known = std::make_unique<Inputs>(Inputs{
        std::move(data.problem),
        std::move(data.reference),
        std::move(prepared),
        std::move(filled),
        e.unsettled,
        data.same});
    return *known;
}

const Before& before_launch(Prover& prover, uint64_t seed_offset, size_t launch) {
    constexpr uint64_t kTimes = 6, kSlack = 20'000;  // a build that optimises little takes more of them
    std::unique_ptr<Before>& known = prover.before[{seed_offset, launch}];
    if (known) return *known;
    const CountedWork once(nullptr);
    const Experiment& e = prover.experiment;
    manifest::Problem problem = inputs_of(prover, seed_offset).problem;
    const size_t end = problem.launches.size();
    execution::GlobalMemory memory = fresh_memory(problem);
    auto made = std::make_unique<Before>();
    for (problem.at = 0; problem.at < end; ++problem.at) {
        if (problem.at == launch) made->memory = execution::copy_of(memory);
        if (problem.at >= launch)
            made->launches.push_back(launch_in(problem, entry_of(e.module, e.entries[problem.at]), memory));
        const uint64_t taken = run_plain(e, problem, memory);
        const uint64_t blocks = std::max<uint64_t>(1, count(manifest::launch_of(problem).grid));
        if (problem.at >= launch) made->budgets.push_back(kTimes * taken / blocks + kSlack);
    }
    known = std::move(made);
    return *known;
}

const emulator::Program& unedited_program(Prover& prover) {
    const Experiment& e = prover.experiment;
    if (!prover.unedited) prover.unedited = emulator::lower(e.module, e.entry);
    return *prover.unedited;
}

}  // namespace wl::diagnosis
