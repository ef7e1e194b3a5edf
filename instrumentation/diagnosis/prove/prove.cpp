// Hypotheses and orders, tried.
#include "instrumentation/diagnosis/prove/prove.h"

#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/prove/draws.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kOrders = 4;  // legal orders tried; in 0 each warp runs on until it must wait

constexpr uint64_t kProvenOrders = 8;  // as many have to come right for a proof
constexpr double kProofWork = 4e7;     // warp instructions of a launch whose blocks are all run for a proof

TrialOptions options_of(const Symptoms& s, const Hypothesis& h) {
    TrialOptions o{.blocks = {}, .budget = s.budget};
    if (!needs_all_blocks(s)) o.blocks = {s.block};
    o.marks = !h.zero_unwritten && !h.fp64, o.zero_unwritten = h.zero_unwritten, o.fp64 = h.fp64;
    o.rearrange = h.rearrange;
    return o;
}

Trial run(const Symptoms& s, const Hypothesis& h, const TrialOptions& o) {
    return h.program ? try_module(s.prover, *h.program, o) : try_unedited(s.prover, o);
}

int64_t blocks_of(const Symptoms& s) {
    return static_cast<int64_t>(count(manifest::launch_of(s.experiment.problem).grid));
}

bool is_same_data(const Symptoms& s) {
    return inputs_of(s.prover, draws_of(s.prover, 1, 0).front()).same_data;
}

// On other draws of the inputs; false: one of them is not right, which `other` is of then.
bool holds_on_draws(const Symptoms& s, const Hypothesis& h, Verdict& v) {
    TrialOptions o = options_of(s, h);
    for (const uint64_t seed : draws_of(s.prover, 1, static_cast<double>(v.here.warp_instructions))) {
        o.seed_offset = seed;
        Trial t = run(s, h, o);
        // A bound may say nothing there.
        if (v.ran.draws > 0 && t.compared == 0 && is_clean(t)) continue;
        if (!mended(t)) {
            v.other = std::move(t);
            return false;
        }
        ++v.ran.draws, v.drawn += t.compared;
        if (v.ran.draws == 1) v.other = std::move(t);
    }
    return true;
}

// What does not hold, and a proof takes; empty: all of it does.
std::string refuted(const Symptoms& s, const Hypothesis& h, Verdict& v) {
    if (!holds_on_draws(s, h, v))
        return fmt::format(", but {} of {} with another seed", v.other.bad, v.other.compared);
    if (is_same_data(s)) return "; no other data could be made, the inputs are the same with every seed";
    if (tries_on_device(s.experiment)) return {};
    TrialOptions o = options_of(s, h);
    o.races = false;
    for (o.schedule_seed = 1; o.schedule_seed <= kProvenOrders; ++o.schedule_seed)
        if (const Trial t = run(s, h, o); !t.finished || t.bad > 0 || t.compared == 0)
            return fmt::format(
                "; with schedule {}, another order of warps, {} of {}", o.schedule_seed, t.bad, t.compared
            );
    v.ran.schedules += static_cast<int64_t>(kProvenOrders);
    if (o.blocks.empty()) return {};
    if (counter(s.capture, "warp_instructions") > kProofWork) return "; the other blocks did not run";
    o.blocks.clear(), o.races = true, o.schedule_seed = 0;
    const Trial all = run(s, h, o);
    v.ran.blocks = blocks_of(s);
    return mended(all)
        ? std::string()
        : fmt::format("; of all blocks {} of {} are, or accesses are at fault", all.bad, all.compared);
}

}  // namespace

// By atomics, to what is there already.
bool is_added_up(const Symptoms& s) {
    const std::set<std::string>& filled = inputs_of(s.prover, 0).filled;
    return !filled.empty() && std::any_of(s.functions.begin(), s.functions.end(), [&](size_t f) {
        return adds_to_global(s.experiment.module.functions[f]);
    });
}

bool needs_all_blocks(const Symptoms& s) {
    if (tries_on_device(s.experiment)) return true;
    return is_added_up(s) && counter(s.capture, "warp_instructions") < kMostTriedWhole;
}

std::vector<execution::Incident::Kind> new_faults(const Symptoms& s, const Trial& trial) {
    std::vector<execution::Incident::Kind> out;
    for (const execution::Incident& i : trial.incidents) {
        const bool known = std::any_of(s.incidents.begin(), s.incidents.end(), [&](const auto& k) {
            return k.kind == i.kind;
        });
        if (!known && std::find(out.begin(), out.end(), i.kind) == out.end()) out.push_back(i.kind);
    }
    return out;
}

Verdict prove(const Symptoms& s, const Hypothesis& hypothesis) {
    Verdict out;
    out.block = s.block;
    TrialOptions options = options_of(s, hypothesis);
    out.here = run(s, hypothesis, options);
    out.new_faults = new_faults(s, out.here);
    out.mends = mended(out.here);
    if (!out.mends) return out;
    out.ran.schedules = out.ran.sizes = 1, out.ran.blocks = options.blocks.empty() ? blocks_of(s) : 1;
    const std::string why_not = refuted(s, hypothesis, out);
    out.proven = why_not.empty();
    out.text = fmt::format(
        "{}0 of {} elements of {} are outside their bounds",
        measured_words(s.experiment),
        out.here.compared,
        needs_all_blocks(s) ? "all blocks" : "block " + block_text(s.capture, s.block)
    );
    if (mended(out.other) && !is_same_data(s))
        out.text += fmt::format(
            ", and 0 of {} with {}",
            out.drawn,
            out.ran.draws == 1 ? "another seed" : fmt::format("{} other seeds", out.ran.draws)
        );
    out.text += why_not;
    out.ran.draws = is_same_data(s) ? 1 : out.ran.draws + 1;
    return out;
}

Orders try_orders(const Symptoms& s, bool all_blocks) {
    Orders out;
    TrialOptions o{.blocks = {}, .budget = s.budget, .races = false, .marks = false};
    if (!all_blocks && !needs_all_blocks(s)) o.blocks = {s.block};
    if (!o.blocks.empty() && is_added_up(s)) return out;
    for (o.schedule_seed = 0; o.schedule_seed < kOrders; ++o.schedule_seed) {
        Trial t = try_unedited(s.prover, o);
        if (!t.finished || t.compared == 0) continue;
        ++(t.bad == 0 ? out.right : out.wrong);
        if (t.bad > out.worst.bad) out.worst = std::move(t), out.worst_order = o.schedule_seed;
    }
    return out;
}

}  // namespace wl::diagnosis
