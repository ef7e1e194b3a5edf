// Changes that mend, run against each other.
#include "instrumentation/diagnosis/search/rivals.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

namespace wl::diagnosis {

namespace {

constexpr size_t kMostOfFirst = 3;    // further changes of the line that is reported first,
constexpr size_t kMostOfLine = 2;     // and of each other one
constexpr uint64_t kBlockTimes = 16;  // warp instructions that a block may take
constexpr double kMostWork = 4e6;     // warp instructions of a launch whose blocks are all run
constexpr std::array<uint64_t, 3> kSeeds = {1, kWild + 1, kWild + 2};

// What a change does on one set of inputs.
struct Outcome {
    bool right = false, ran = false;
    bool finite_alone = false;  // no limit says more of such values
    std::vector<Tensor> outputs = {};
};

struct Rival {
    Mended mended;
    std::vector<Outcome> outcomes = {};
    bool refuted = false;
};

// Nothing: it does not compile there.
std::optional<ptx::Module> module_of(const Experiment& e, const std::string& text) {
    try {
        return changed_module(e, text);
    } catch (const Error&) { return std::nullopt; } catch (const Unsupported&) {
        return std::nullopt;
    }
}

Outcome outcome_of(Prover& prover, const std::optional<ptx::Module>& module, TrialOptions options) {
    Outcome out;
    if (!module) return out;
    const manifest::Problem& p = prover.experiment.problem;
    options.races = true, options.entry = {};
    options.on_end = [&](const execution::GlobalMemory& memory) {
        for (const manifest::BoundArgument* a : manifest::arrays(p))
            if (const auto* m = a->output ? execution::find_named(memory, a->data.name) : nullptr)
                out.outputs.push_back({a->data.name, a->data.dtype, a->data.shape, m->bytes});
    };
    try {
        const Trial t = try_module(prover, *module, options);
        out.ran = t.unsupported.empty() && t.finished;
        out.finite_alone = options.seed_offset >= kWild && has_own_limit(p);
        out.right = out.finite_alone ? out.ran && t.bad_infinite == 0 : mended(t);
    } catch (const Error&) {
        return {};  // it does not run there
    } catch (const Unsupported&) { return {}; }
    return out;
}

bool is_same_line(const Mended& a, const Mended& b) {
    return a.where.line == b.where.line && a.where.file == b.where.file;
}

bool is_close(double a, double b) {
    constexpr double kRounding = 1e-3;
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
    return a == b || std::fabs(a - b) <= kRounding * std::max(std::fabs(a), std::fabs(b));
}

bool is_same(const Tensor& a, const Tensor& b) {
    if (a.bytes == b.bytes) return true;
    if (!is_float(a.dtype) || a.bytes.size() != b.bytes.size()) return false;
    for (int64_t k = 0; k < elements(a.shape); ++k)
        if (!is_close(at(a, k), at(b, k))) return false;
    return true;
}

bool is_same(const Outcome& a, const Outcome& b) {
    if (a.right && b.right && !a.finite_alone) return true;
    return a.ran == b.ran && a.outputs.size() == b.outputs.size() &&
        std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), [](const auto& x, const auto& y) {
               return is_same(x, y);
           });
}

// At one line what differs at a size alone: with other values two ways of saying the same round differently.
bool is_same(const Rival& a, const Rival& b) {
    const auto from = static_cast<std::ptrdiff_t>(is_same_line(a.mended, b.mended) ? kSeeds.size() : 0);
    return std::equal(
        a.outcomes.begin() + from,
        a.outcomes.end(),
        b.outcomes.begin() + from,
        b.outcomes.end(),
        [](const Outcome& x, const Outcome& y) { return is_same(x, y); }
    );
}

// Other data, and sizes that nobody names.
void run_all(const SourceTrials& t, std::vector<Rival>& all) {
    const Symptoms& s = t.whole;
    const TrialSetup& setup = t.proof ? *t.proof : t.queue.setup;
    TrialOptions options = setup.block;
    options.budget *= kBlockTimes, options.without_filled = false;
    if (counter(s.capture, "warp_instructions") <= kMostWork) options.blocks.clear();
    for (Rival& r : all) {
        const std::optional<ptx::Module> module = module_of(s.experiment, r.mended.source);
        for (const uint64_t seed : kSeeds) {
            options.seed_offset = seed;
            r.outcomes.push_back(outcome_of(s.prover, module, options));
        }
        const auto run_there = [&](const Shape& shape) {
            r.outcomes.push_back(outcome_of(
                *shape.prover,
                module_of(*shape.experiment, r.mended.source),
                {.blocks = {}, .budget = kBlockTimes * s.budget}
            ));
        };
        for (const Shape& shape : t.shape->shapes)
            if (shape.guessed) run_there(shape);
        for (const auto& [name, made] : t.shape->moved)
            for (const Shape& shape : made) run_there(shape);
    }
}

// Where one is right the others have to be.
void refute(std::vector<Rival>& all) {
    for (size_t k = 0; k < all.front().outcomes.size(); ++k) {
        const bool taken = std::any_of(all.begin(), all.end(), [&](const Rival& r) {
            return !r.refuted && r.outcomes[k].right;
        });
        for (Rival& r : all) r.refuted = r.refuted || (taken && !r.outcomes[k].right);
    }
}

// Others of these lines, compiled and proven as the first ones were.
std::vector<Rival> rivals_of(SourceTrials& t, const SearchResult& out) {
    std::vector<Rival> all;
    for (const Mended& m : out.mended) all.push_back({m});
    const capture::Where& first = out.mended.front().where;
    std::map<std::pair<std::string, int>, size_t> more;  // by line
    for (const size_t change : t.rivals) {
        if (change >= t.all.size()) continue;
        const capture::Where where = where_in(t.unit, t.all[change].line);
        const bool is_first = where.line == first.line && where.file == first.file;
        size_t& of_line = more[{where.file, where.line}];
        if (of_line >= (is_first ? kMostOfFirst : kMostOfLine)) continue;
        std::optional<Mended> m = proven_by_compiler(t, t.all[change]);
        if (!m || !m->remains.empty() || !m->left_out.empty() || !m->behind.empty()) continue;
        all.push_back({std::move(*m)}), ++of_line;
    }
    return all;
}

std::string words_of(const Mended& m) {
    return m.was.empty() ? fmt::format("`{}` put in at {}", m.now, place(m.where))
        : m.now == ";"   ? fmt::format("`{}` left out at {}", m.was, place(m.where))
                         : fmt::format("`{}` in place of `{}` at {}", m.now, m.was, place(m.where));
}

}  // namespace

void weigh_rivals(SourceTrials& t, SearchResult& out) {
    const Experiment& e = t.whole.experiment;
    if (out.mended.empty() || tries_on_device(e) || manifest::is_sequence(e.problem)) return;
    const auto is_text = [](const Mended& m) { return !m.source.empty(); };
    if (!std::all_of(out.mended.begin(), out.mended.end(), is_text)) return;
    std::vector<Rival> all;
    try {
        all = rivals_of(t, out);
        if (all.size() < 2) return;
        run_all(t, all);
    } catch (const Stopped&) {
        if (stop_signal() != 0) throw;
        out.timed_out = true;  // what was found stands as it is
        return;
    }
    refute(all);
    std::erase_if(all, [](const Rival& r) { return r.refuted; });
    if (all.empty()) return;
    const Rival& first = all.front();
    const auto other =
        std::find_if(all.begin(), all.end(), [&](const Rival& r) { return !is_same(r, first); });
    const std::string lacks = other == all.end()
        ? ""
        : words_of(other->mended) + " mends it as well, and does something else with other data";
    out.mended.clear();
    for (Rival& r : all) {
        if (r.mended.lacks.empty()) r.mended.lacks = lacks;
        const bool told = std::any_of(out.mended.begin(), out.mended.end(), [&](const Mended& m) {
            return is_same_line(m, r.mended);
        });
        if (!told) out.mended.push_back(std::move(r.mended));
    }
}

}  // namespace wl::diagnosis
