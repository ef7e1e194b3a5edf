// Shapes are tried from the smallest on: those that the kernel does not take show other faults, and cost
// little.
#include "instrumentation/diagnosis/search/smaller_shape.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <utility>

namespace wl::diagnosis {

namespace {

constexpr double kQuickEnough = 20'000;  // warp instructions of a trial: some ten milliseconds
constexpr double kMarkedly = 0.7;        // of the instructions before
constexpr std::array<int64_t, 5> kParts = {32, 16, 8, 4, 2};

std::set<execution::Incident::Kind> kinds_of(const std::vector<execution::Incident>& all) {
    std::set<execution::Incident::Kind> out;
    for (const execution::Incident& i : all)
        if (i.kind != execution::Incident::Kind::uniform_reduction) out.insert(i.kind);
    return out;
}

// A shape, and one block of it as it is.
struct Attempt {
    std::unique_ptr<Experiment> experiment;
    capture::Capture about;
    double cost = 0, all = 0;  // warp instructions of the block, and of as many as there are
};

int64_t blocks_of(const Experiment& e) { return count(manifest::launch_of(e.problem).grid); }

// What goes wrong is of the same kinds, and values are wrong where they were.
bool is_same(const Symptoms& s, const Trial& t) {
    const auto kinds = kinds_of(s.incidents), now = kinds_of(t.incidents);
    if (!t.unsupported.empty() || (s.first_bad >= 0) != (t.bad > 0)) return false;
    return std::includes(kinds.begin(), kinds.end(), now.begin(), now.end()) &&
        (s.first_bad >= 0 || !now.empty());
}

TrialOptions one_block(const Symptoms& s, const Experiment& e) {
    return {
        .blocks = {std::min(s.block, blocks_of(e) - 1)},
        .budget = s.budget,
        .races = s.experiment.options.races && !kinds_of(s.incidents).empty()};
}

// Nothing: it is no shape of the kernel, or shows another symptom.
std::optional<Attempt> attempt(const Symptoms& s, const std::vector<Value>& values) {
    const Experiment& e = s.experiment;
    manifest::BindOptions bind;
    for (const auto& [name, value] : values) bind.set.emplace_back(name, std::to_string(value));
    bind.faults = e.problem.faults, bind.seed = e.problem.seed, bind.python = e.problem.python;
    Options options = e.options;
    options.diagnose = false, options.record.clear(), options.recording = {}, options.debug = false;
    options.on_progress = nullptr;
    try {
        Attempt out;
        manifest::Problem problem = manifest::bind(e.problem.kernel, bind);
        if (problem.launches.size() != 1) return std::nullopt;
        out.experiment =
            std::make_unique<Experiment>(make_experiment(std::move(problem), options, out.about));
        if (!out.experiment->reference) return std::nullopt;
        Prover prover{*out.experiment};
        const Trial t = try_unedited(prover, one_block(s, *out.experiment));
        if (!is_same(s, t)) return std::nullopt;
        out.cost = static_cast<double>(t.warp_instructions);
        out.all = out.cost * static_cast<double>(blocks_of(*out.experiment));
        return out;
    } catch (const Error&) {
        return std::nullopt;  // no shape of this kernel
    } catch (const Unsupported&) { return std::nullopt; }
}

// The symptoms of all of it; null: it is another one.
std::unique_ptr<SmallerShape> made(const Symptoms& s, Attempt from) {
    auto out = std::make_unique<SmallerShape>();
    out->experiment = std::move(from.experiment);
    Options& options = out->experiment->options;
    options.on_progress = nullptr;
    out->capture = run(*out->experiment, std::move(from.about), &out->incidents);
    options = s.experiment.options;
    out->prover = std::make_unique<Prover>(*out->experiment);
    out->symptoms.emplace(symptoms_of(*out->prover, out->capture, out->incidents));
    return (s.first_bad >= 0) == (out->symptoms->first_bad >= 0) ? std::move(out) : nullptr;
}

std::string difference(const std::vector<Value>& was, const std::vector<Value>& now) {
    std::string out;
    for (size_t k = 0; k < was.size(); ++k)
        if (was[k] != now[k])
            out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", now[k].first, now[k].second);
    return out;
}

}  // namespace

bool is_plain_number(const std::string& text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

std::vector<Value> free_values(const manifest::Problem& p) {
    std::vector<Value> out;
    for (const auto& [name, text] : p.kernel.params) {
        const auto now = std::find_if(p.params.begin(), p.params.end(), [&, n = &name](const auto& each) {
            return each.first == *n;
        });
        if (!is_plain_number(text) || now == p.params.end() || now->second != std::floor(now->second))
            continue;
        out.emplace_back(name, static_cast<int64_t>(now->second));
    }
    return out;
}

std::unique_ptr<SmallerShape> smaller_shape(const Symptoms& s, SearchWork work) {
    if (!can_be_bound_anew(s.experiment) || trial_cost(s) <= kQuickEnough) return nullptr;
    const std::vector<Value> was = free_values(s.experiment.problem);
    std::vector<Value> values = was;
    // The longest extent is most of the work, and what is cut first makes the rest quick to try.
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return was[a].second > was[b].second;
    });
    std::optional<Attempt> best;
    double cost = trial_cost(s), all = counter(s.capture, "warp_instructions");
    for (const size_t k : order)
        for (const int64_t part : kParts) {
            const int64_t before = was[k].second;
            if (before < part || before % part != 0 || work.spent > work.limit) continue;
            values[k].second = before / part;
            std::optional<Attempt> smaller = attempt(s, values);
            const bool quicker = smaller && smaller->cost <= kMarkedly * cost;
            const bool fewer = smaller && smaller->cost <= cost && smaller->all <= kMarkedly * all;
            if (quicker || fewer) {
                cost = smaller->cost, all = smaller->all, best = std::move(smaller);
                break;
            }
            values[k].second = before;
        }
    if (!best) return nullptr;
    constexpr double kChecked = 300;  // of work, with all checks and records
    if (static_cast<double>(work.spent) + kChecked * all > static_cast<double>(work.all)) return nullptr;
    auto out = made(s, std::move(*best));
    if (out) out->name = difference(was, values);
    return out;
}

}  // namespace wl::diagnosis
