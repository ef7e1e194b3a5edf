// Each kind of inputs is bound once, and every change runs on it.
#include "instrumentation/diagnosis/search/other_inputs.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/trial.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/search/lab.h"
#include "instrumentation/diagnosis/search/source_change.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace wl::diagnosis {

namespace {

constexpr double kMostWork = 2e6;  // warp instructions of a launch that runs once for each change and kind
constexpr std::array kKinds = {"coordinates", "one-hot"};

// Nothing: the kernel takes no such inputs, or the reference none.
std::optional<Experiment> with_inputs(const Experiment& e, const char* kind) {
    manifest::BindOptions options;
    for (const auto& [name, value] : e.problem.params)
        options.set.emplace_back(name, fmt::format("{}", value));
    options.faults = e.problem.faults, options.seed = e.problem.seed, options.python = e.problem.python;
    options.inputs = kind;
    manifest::Problem problem = manifest::bind(e.problem.kernel, options);
    MadeReference made = make_reference(problem);
    if (!made.reference) return std::nullopt;
    Experiment out = e;
    out.problem = std::move(problem), out.reference = std::move(made.reference);
    out.before = nullptr, out.unsettled = nullptr;
    return out;
}

Trial trial_of(Prover& prover, const Mended& m, uint64_t budget) {
    try {
        const ptx::Module module = changed_module(prover.experiment, m.source);
        return try_module(prover, module, {.blocks = {}, .budget = budget, .races = false});
    } catch (const Error& error) {
        Trial out;
        out.unsupported = error.what();
        return out;
    }
}

void compare(const Symptoms& s, const char* kind, std::vector<Mended>& all) {
    std::optional<Experiment> e = with_inputs(s.experiment, kind);
    if (!e) return;
    Prover prover{*e};
    std::vector<Trial> trials;
    for (const Mended& m : all) trials.push_back(trial_of(prover, m, 2 * s.budget));
    const auto right = std::count_if(trials.begin(), trials.end(), [](const Trial& t) { return mended(t); });
    if (right == 0 || right == static_cast<std::ptrdiff_t>(all.size())) return;
    for (size_t k = 0; k < all.size(); ++k) {
        const Trial& t = trials[k];
        if (mended(t))
            all[k].proof += fmt::format("; with {} inputs 0 of {}", kind, t.compared);
        else if (all[k].remains.empty() && t.unsupported.empty() && t.bad > 0)
            all[k].remains = fmt::format(
                "with {} inputs {} of {} elements are outside their bounds", kind, t.bad, t.compared
            );
    }
}

}  // namespace

void tell_apart_by_inputs(const Symptoms& s, double seconds, std::vector<Mended>& all) {
    const auto start = Clock::now();
    const bool is_quick = counter(s.capture, "warp_instructions") <= kMostWork;
    if (all.size() < 2 || !is_quick || !can_be_bound_anew(s.experiment)) return;
    for (const char* kind : kKinds) {
        if (Clock::now() > end_after(start, seconds)) break;
        try {
            compare(s, kind, all);
        } catch (const Error&) {
            continue;  // fills that it does not take
        } catch (const Unsupported&) { return; }
    }
    std::stable_partition(all.begin(), all.end(), [](const Mended& m) { return m.remains.empty(); });
}

}  // namespace wl::diagnosis
