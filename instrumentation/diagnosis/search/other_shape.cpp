// The first shape of the manifest that is another one and not much more work.
#include "instrumentation/diagnosis/search/other_shape.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/prove/trial.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/rewrite/source.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/moved_apart.h"
#include "instrumentation/diagnosis/search/smaller_shape.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/trial_setup.h"
#include "instrumentation/emulator/program/program.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace wl::diagnosis {

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

constexpr double kMostTimes = 8;      // work beside that of the shape that is diagnosed
constexpr double kMostWork = 1.5e7;   // warp instructions, by the same numbers; blocks may take more each
constexpr double kMostFurther = 2e6;  // of the second shape of each kind and of those after it
constexpr size_t kMostShapes = 3;     // that the manifest names
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

// Of its launches, of which there may be more; nothing where one is of another kernel.
std::optional<std::vector<std::string>> entries_of(const Experiment& e, const manifest::Problem& other) {
    const std::vector<manifest::BoundLaunch>& known = e.problem.launches;
    std::vector<std::string> out;
    for (const manifest::BoundLaunch& launch : other.launches) {
        const auto same = std::find_if(known.begin(), known.end(), [&](const manifest::BoundLaunch& l) {
            return l.entry == launch.entry;
        });
        if (same == known.end()) return std::nullopt;
        out.push_back(e.entries[static_cast<size_t>(same - known.begin())]);
    }
    return out;
}

// False: it is the same shape, or has no reference.
bool add(
    const Experiment& of,
    const manifest::Kernel& kernel,
    std::vector<Shape>& all,
    manifest::BindOptions options,
    std::string name,
    bool guessed
) {
    const manifest::Problem& p = of.problem;
    options.faults = p.faults, options.seed = p.seed, options.python = p.python;
    manifest::Problem problem = manifest::bind(kernel, options);
    const std::optional<std::vector<std::string>> entries = entries_of(of, problem);
    const bool known = &kernel == &p.kernel &&
        (problem.params == p.params || std::any_of(all.begin(), all.end(), [&](const Shape& s) {
             return s.experiment->problem.params == problem.params;
         }));
    if (known || !entries) return false;
    MadeReference made = make_reference(problem);
    if (!made.reference) return false;
    auto e = std::make_unique<Experiment>(of);
    e->problem = std::move(problem), e->reference = std::move(made.reference);
    e->entries = *entries, e->entry = e->entries[e->problem.at];
    e->before = nullptr, e->unsettled = nullptr;
    auto prover = std::make_unique<Prover>(*e);
    all.push_back({std::move(e), std::move(prover), std::move(name), guessed});
    return true;
}

bool names(const std::string& text, const std::string& param) {
    const std::vector<std::string_view> words = rewrite::words_of(text);
    return std::find(words.begin(), words.end(), param) != words.end();
}

// In anything but what the argument is filled with.
bool sizes(const manifest::Argument& a, const std::string& param) {
    return names(a.value, param) ||
        std::any_of(a.shape.begin(), a.shape.end(), [&](const auto& text) { return names(text, param); }) ||
        std::any_of(a.fields.begin(), a.fields.end(), [&](const auto& field) { return sizes(field, param); });
}

// What inputs are drawn from is no size.
bool is_range(const manifest::Kernel& k, const std::string& param) {
    const auto draws = [&](const manifest::Argument& a) { return names(a.fill, param) && !sizes(a, param); };
    const auto any_sizes = [&](const std::vector<manifest::Argument>& all) {
        return std::any_of(all.begin(), all.end(), [&](const auto& a) { return sizes(a, param); });
    };
    const bool follows = std::any_of(k.params.begin(), k.params.end(), [&](const auto& other) {
        return names(other.second, param);
    });
    const bool defines =
        std::any_of(k.define.begin(), k.define.end(), [&](const auto& d) { return names(d.second, param); });
    return !follows && !defines && !any_sizes(k.args) && !any_sizes(k.symbols) &&
        std::any_of(k.args.begin(), k.args.end(), draws);
}

// Every parameter that follows from no other made another: larger ones first.
void guess(const OtherShape& shape, std::vector<Shape>& out, double most, int64_t (*other)(int64_t)) {
    const manifest::Problem& p = shape.of.experiment.problem;
    double work = counter(shape.of.capture, "warp_instructions");
    manifest::BindOptions options;
    std::string name;
    for (const auto& [param, value] : free_values(p)) {
        const int64_t now = value > 0 ? other(value) : value;
        if (is_range(p.kernel, param)) continue;
        options.set.emplace_back(param, std::to_string(now));
        name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", param, now);
        work *= value > 0 ? static_cast<double>(now) / static_cast<double>(value) : 1;
    }
    if (name.empty() || work > most) return;
    try {
        add(shape.of.experiment, p.kernel, out, std::move(options), std::move(name), true);
    } catch (const Error&) {
        return;  // no shape of this kernel
    }
}

// Of all outputs that are compared.
int64_t elements_of(const manifest::Problem& p) {
    int64_t out = 0;
    for (const manifest::BoundArgument* a : manifest::arrays(p))
        if (a->output && rule_of(p, a->data.name).compare) out += elements(a->data.shape);
    return out;
}

// Where the diagnosed shape has no element that nobody should write, another one has none either.
int64_t lacking(const OtherShape& all, const Shape& shape, const Mended& here, const Trial& t) {
    int64_t told = here.written;
    for (const capture::Output& o : all.of.capture.outputs)
        if (here.written == 0) told += o.of.compared + (o.of.wanted ? o.of.unwritten : 0);
    if (told != elements_of(all.of.experiment.problem)) return 0;
    return std::max<int64_t>(elements_of(shape.experiment->problem) - t.outputs - t.unjudged, 0);
}

std::string outcome(const Trial& t, int64_t lacks) {
    if (!t.finished) return "it does not come to an end";
    if (t.bad == 0 && lacks > 0) return fmt::format("{} elements are never written", lacks);
    if (t.bad == 0) return "accesses are at fault";
    return fmt::format("{} of {} elements are outside their bounds", t.bad, t.compared);
}

struct RunAt {
    ptx::Module module;
    Trial trial;
};
RunAt run_at(const OtherShape& all, const Shape& shape, const std::string& text) {
    const Experiment& e = *shape.experiment;
    RunAt out{changed_module(e, text), {}};
    out.trial = manifest::is_sequence(e.problem)
        ? try_sequence(*shape.prover, out.module)
        : try_module(*shape.prover, out.module, {.blocks = {}, .budget = kBlockTimes * all.of.budget});
    return out;
}

// Kinds of faults with their lines of the unit. `own`: the module was compiled of the unit's own text.
std::set<std::pair<execution::Incident::Kind, int>> faults_of(
    const ptx::Module& module,
    const ptx::Function& entry,
    const std::vector<execution::Incident>& incidents,
    const compile::Unit& unit,
    bool own
) {
    std::set<std::pair<execution::Incident::Kind, int>> out;
    for (const execution::Incident& i : incidents) {
        const capture::Where at = where_of(module, entry, i.first.site);
        const std::optional<int> line = own ? at.line : line_in(unit, at.file, at.line);
        if (line && *line > 0) out.emplace(i.kind, *line);
    }
    return out;
}

// Of reads of what nobody wrote the memory: "tables", "global queue".
std::set<std::string> unwritten_memory(
    const ptx::Module& module, const std::string& entry, const std::vector<execution::Incident>& incidents
) {
    std::set<std::string> out;
    std::shared_ptr<const emulator::Program> program;
    for (const execution::Incident& i : incidents) {
        if (i.kind != execution::Incident::Kind::uninitialised_read || i.first.memory == "register") continue;
        if (i.first.memory != "shared") out.insert(i.first.memory);
        if (i.first.memory != "shared") continue;
        if (!program) program = emulator::lower(module, entry);
        for (const emulator::SharedVariable& v : program->shared_variables)
            if (i.first.address >= v.offset && i.first.address - v.offset < v.bytes) out.insert(v.name);
    }
    return out;
}

// What was to be mended is there again, at a line or of memory where it was: that is no fault of the shape.
bool is_left(const OtherShape& all, const Shape& shape, const RunAt& at) {
    const Experiment &own = all.of.experiment, &e = *shape.experiment;
    const compile::Unit unit = unit_of(own);
    const auto before = faults_of(own.module, all.of.entry, all.of.incidents, unit, false);
    const auto now = faults_of(at.module, entry_of(at.module, e.entry), at.trial.incidents, unit, true);
    if (std::any_of(now.begin(), now.end(), [&](const auto& f) { return before.contains(f); })) return true;
    const std::set<std::string> unwritten = unwritten_memory(own.module, own.entry, all.of.incidents),
                                still = unwritten_memory(at.module, e.entry, at.trial.incidents);
    return std::any_of(still.begin(), still.end(), [&](const auto& m) { return unwritten.contains(m); });
}

const Trial& as_it_is(const OtherShape& all, Shape& shape) {
    if (!shape.as_it_is) {
        const CountedWork once(nullptr);
        const std::string text = unit_of(all.of.experiment).text;
        shape.as_it_is = std::make_shared<const Trial>(run_at(all, shape, text).trial);
    }
    return *shape.as_it_is;
}

const Trial& as_it_is(OtherShape& all) {
    if (!all.here) {
        const CountedWork once(nullptr);
        const TrialOptions options{.blocks = {}, .budget = kBlockTimes * all.of.budget};
        all.here = std::make_shared<const Trial>(
            manifest::is_sequence(all.of.experiment.problem) ? try_unedited_sequence(all.of.prover)
                                                             : try_unedited(all.of.prover, options)
        );
    }
    return *all.here;
}

// A few elements that are as far off without the edit: a tolerance is made for the author's sizes, and the
// edit has no part in them.
bool is_as_wrong(const Trial& as_it_is, const Trial& t) {
    constexpr int64_t kFew = 100;  // one of so many
    return t.bad == as_it_is.bad && t.max_bad == as_it_is.max_bad &&
        t.bad_infinite == as_it_is.bad_infinite && kFew * t.bad <= t.compared;
}

// The program as it is ends there, and no fault of another kind has come.
bool is_run(OtherShape& all, Shape& shape) {
    try {
        const Trial& t = as_it_is(all, shape);
        return t.unsupported.empty() && t.compared > 0 && runs_as(t, as_it_is(all));
    } catch (const Error&) {  // it does not compile there
        return false;
    } catch (const Unsupported&) { return false; }
}

void choose(OtherShape& shape) {
    shape.asked = true;
    const Experiment& e = shape.of.experiment;
    if (manifest::is_recorded(e.problem) || !e.problem.inputs.empty() || tries_on_device(e)) return;
    const manifest::Kernel& kernel = e.problem.kernel;
    const double work = counter(shape.of.capture, "warp_instructions");
    std::vector<std::pair<std::string, Values>> all(kernel.presets.begin(), kernel.presets.end());
    all.emplace_back("", kernel.params);
    for (const auto& [name, values] : all) {
        const double times = times_of(e.problem, values);
        const double most = shape.shapes.empty() ? kMostWork : kMostFurther;
        if (times == 0 || times > kMostTimes || times * work > most) continue;
        try {
            manifest::BindOptions options;
            options.preset = name;
            add(e,
                kernel,
                shape.shapes,
                std::move(options),
                name.empty() ? "the shape without a preset" : "preset " + name,
                false);
        } catch (const Error&) { continue; }
        if (shape.shapes.size() >= kMostShapes) break;
    }
    constexpr double kMostGuessed = 8e6;  // warp instructions, by plain numbers
    // What is a multiple of something stays one; then what is none.
    guess(shape, shape.shapes, kMostGuessed, [](int64_t v) { return 2 * v; });
    guess(shape, shape.shapes, kMostFurther, [](int64_t v) { return (v + v / 2) | 1; });
    guess(shape, shape.shapes, kMostFurther, [](int64_t v) { return (v / 2 + v / 8) | 1; });
}

void try_one(OtherShape& all, Shape& shape, Mended& mended_here) {
    try {
        const RunAt at = run_at(all, shape, mended_here.source);
        const Trial& t = at.trial;
        if (!t.unsupported.empty() || (t.compared == 0 && t.finished)) return;
        const int64_t lacks = lacking(all, shape, mended_here, t);
        if (mended(t) && lacks == 0)
            mended_here.proof += fmt::format("; with {} 0 of {}", shape.name, t.compared),
                ++mended_here.ran.sizes;
        else if (shape.guessed && !mended(as_it_is(all, shape)) && !is_left(all, shape, at)) {
            if (shape.apart && is_as_wrong(as_it_is(all, shape), t)) return;
            const bool taken = shape.apart && does_no_worse(as_it_is(all, shape), as_it_is(all));
            mended_here.overfits_shape = mended_here.overfits_shape || taken || !shape.apart;
            if (taken && mended_here.lacks.empty())
                mended_here.lacks = fmt::format("with {} {}", shape.name, outcome(t, lacks));
        } else {
            mended_here.remains = fmt::format("with {} {}", shape.name, outcome(t, lacks));
        }
    } catch (const Error&) {
        return;  // that shape does not run
    } catch (const Unsupported&) { return; }
}

}  // namespace

const std::vector<Shape>& larger_shapes(OtherShape& shape) {
    if (shape.larger) return *shape.larger;
    std::vector<Shape>& out = shape.larger.emplace();
    const Experiment& e = shape.of.experiment;
    if (manifest::is_recorded(e.problem) || !e.problem.inputs.empty() || tries_on_device(e)) return out;
    const CountedWork once(nullptr);
    guess(shape, out, kMostFurther, [](int64_t v) { return 4 * v; });
    guess(shape, out, kMostFurther, [](int64_t v) { return 16 * v; });
    return out;
}

namespace {

// Null: the manifest, the reference or the program as it is does not take it, or it takes too long.
Shape* moved_shape(OtherShape& shape, const Moved& moved) {
    const auto [known, fresh] = shape.moved.try_emplace(moved.name);
    std::vector<Shape>& made = known->second;
    const double work = moved.times * counter(shape.of.capture, "warp_instructions");
    if (fresh && work <= kMostFurther) {
        const CountedWork once(nullptr);
        try {
            const Experiment& e = shape.of.experiment;
            if (add(e, moved.kernel, made, moved.options, moved.name, true)) made.back().apart = true;
            if (!made.empty() && !is_run(shape, made.back())) made.clear();
        } catch (const Error&) { made.clear(); }
    }
    return made.empty() ? nullptr : &made.front();
}

}  // namespace

void try_other_shape(OtherShape& shape, Mended& mended_here) {
    const Experiment& e = shape.of.experiment;
    if (!shape.asked) {
        const CountedWork once(nullptr);  // who comes first chooses for all
        choose(shape);
    }
    const auto goes_on = [&] { return mended_here.remains.empty() && mended_here.lacks.empty(); };
    for (Shape& one : shape.shapes)
        if (mended_here.remains.empty()) try_one(shape, one, mended_here);
    if (manifest::is_recorded(e.problem) || !e.problem.inputs.empty() || tries_on_device(e)) return;
    std::vector<std::string_view> words = rewrite::words_of(mended_here.now);
    for (const Besides& b : mended_here.besides)
        for (const std::string_view w : rewrite::words_of(b.now)) words.push_back(w);
    for (const Moved& moved : moved_apart(e.problem, words))
        if (Shape* const one = goes_on() ? moved_shape(shape, moved) : nullptr)
            try_one(shape, *one, mended_here);
}

}  // namespace wl::diagnosis
