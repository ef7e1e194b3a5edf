// The first shape of the manifest that is another one and not much more work.
#include "instrumentation/diagnosis/search/other_shape.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/trial.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/search/lab.h"
#include "instrumentation/diagnosis/search/smaller_shape.h"
#include "instrumentation/diagnosis/search/source_change.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace wl::diagnosis {

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

constexpr double kMostTimes = 8;      // work beside that of the shape that is diagnosed
constexpr double kMostWork = 1.5e7;   // warp instructions, by the same numbers; blocks may take more each
constexpr uint64_t kBlockTimes = 16;  // warp instructions that a block may take

// How many times the work, as far as plain numbers tell; 0: the same shape.
double times_of(const manifest::Problem& problem, const Values& values) {
    double out = 1;
    bool same = true;
    for (const auto& [name, text] : values) {
        const auto now = std::find_if(problem.params.begin(), problem.params.end(), [&](const auto& p) {
            return p.first == name;
        });
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (now == problem.params.end() || end != text.c_str() + text.size()) continue;
        same = same && value == now->second;
        if (value > 0 && now->second > 0) out *= value / now->second;
    }
    return same ? 0 : out;
}

void make_of(OtherShape& shape, manifest::BindOptions options, std::string name) {
    const manifest::Problem& p = shape.of.experiment.problem;
    options.faults = p.faults, options.seed = p.seed, options.python = p.python;
    manifest::Problem problem = manifest::bind(p.kernel, options);
    if (problem.params == p.params || problem.launches.size() != 1) return;
    MadeReference made = make_reference(problem);
    if (!made.reference) return;
    auto e = std::make_unique<Experiment>(shape.of.experiment);
    e->problem = std::move(problem), e->reference = std::move(made.reference);
    e->before = nullptr, e->unsettled = nullptr;
    shape.experiment = std::move(e);
    shape.prover = std::make_unique<Prover>(*shape.experiment);
    shape.name = std::move(name);
}

// Every parameter that follows from no other twice as large: what is a multiple of something stays one.
void guess(OtherShape& shape) {
    constexpr double kMostGuessed = 2e6;  // warp instructions, by plain numbers
    const manifest::Problem& p = shape.of.experiment.problem;
    double work = counter(shape.of.capture, "warp_instructions");
    manifest::BindOptions options;
    std::string name;
    for (const auto& [param, value] : free_values(p)) {
        options.set.emplace_back(param, std::to_string(2 * value));
        name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", param, 2 * value);
        work *= 2;
    }
    if (name.empty() || work > kMostGuessed) return;
    try {
        make_of(shape, std::move(options), std::move(name));
        shape.guessed = shape.experiment != nullptr;
    } catch (const Error&) {
        return;  // no shape of this kernel
    }
}

std::string outcome(const Trial& t) {
    if (!t.finished) return "it does not come to an end";
    if (t.bad == 0) return "accesses are at fault";
    return fmt::format("{} of {} elements are outside their bounds", t.bad, t.compared);
}

void choose(OtherShape& shape) {
    shape.asked = true;
    const Experiment& e = shape.of.experiment;
    if (!can_be_bound_anew(e)) return;
    const manifest::Kernel& kernel = e.problem.kernel;
    const double work = counter(shape.of.capture, "warp_instructions");
    std::vector<std::pair<std::string, Values>> all(kernel.presets.begin(), kernel.presets.end());
    all.emplace_back("", kernel.params);
    for (const auto& [name, values] : all) {
        const double times = times_of(e.problem, values);
        if (times == 0 || times > kMostTimes || times * work > kMostWork) continue;
        try {
            manifest::BindOptions options;
            options.preset = name;
            make_of(
                shape, std::move(options), name.empty() ? "the shape without a preset" : "preset " + name
            );
        } catch (const Error&) { continue; }
        if (shape.experiment) return;
    }
    guess(shape);
}

}  // namespace

void try_other_shape(OtherShape& shape, Mended& mended_here) {
    if (!shape.asked) choose(shape);
    if (!shape.experiment) return;
    try {
        const ptx::Module module = changed_module(*shape.experiment, mended_here.source);
        const Trial t =
            try_module(*shape.prover, module, {.blocks = {}, .budget = kBlockTimes * shape.of.budget});
        if (!t.unsupported.empty() || (t.compared == 0 && t.finished)) return;
        if (mended(t))
            mended_here.proof += fmt::format("; with {} 0 of {}", shape.name, t.compared);
        else if (shape.guessed)
            mended_here.frail = true;
        else
            mended_here.remains = fmt::format("with {} {}", shape.name, outcome(t));
    } catch (const Error&) {
        return;  // that shape does not run
    } catch (const Unsupported&) { return; }
}

}  // namespace wl::diagnosis
