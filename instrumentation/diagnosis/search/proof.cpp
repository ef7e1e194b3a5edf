// What a change has to come right in to be called proven.
#include "instrumentation/base/text.h"
#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/prove/draws.h"
#include "instrumentation/diagnosis/prove/other_data.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/trial_setup.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

constexpr double kProofWork = 4e7;   // warp instructions of a launch whose blocks are all run for a proof
constexpr uint64_t kOtherTimes = 4;  // what a block may take with other data beside these
constexpr uint64_t kOrders = 8;      // legal orders of warps and blocks in which what is proven comes right

double work_of_all(const TrialSetup& setup) {
    return setup.times * counter(setup.s.capture, "warp_instructions");
}

int64_t blocks_of(const TrialSetup& setup) {
    return static_cast<int64_t>(count(manifest::launch_of(setup.s.experiment.problem).grid));
}

// The same inputs, warps and blocks in other orders. A value that depends on the order is not right.
bool holds_in_orders(const TrialSetup& setup, const TrialOptions& of, const Try& change) {
    if (tries_on_device(setup.s.experiment)) return true;
    TrialOptions options = of;
    options.races = false;
    for (options.schedule_seed = 1; options.schedule_seed <= kOrders; ++options.schedule_seed)
        if (!comes_right(setup, change(options))) return false;
    return true;
}

const Trial& as_it_is(const TrialSetup& setup, const TrialOptions& options) {
    std::shared_ptr<const Trial>& known = setup.s.prover.as_it_is[options.seed_offset];
    if (!known) {
        const CountedWork once(nullptr);
        known = std::make_shared<const Trial>(try_unedited(setup.s.prover, options));
    }
    return *known;
}

// Of one block, or of all where that is no more work than all blocks once.
struct Drawn {
    int64_t draws = 0, compared = 0;
    bool whole = false, same = false;  // same: no other data could be made that belong together
    bool tells = false;                // the program as it is goes wrong on some of them
    std::string kept = {};             // arrays that stay as they are; empty: none
};
// Values of other data, and places in tables of hashes, may fit by chance: what fits one draw by it does not
// fit all. Nothing: one of them is not right.
std::optional<Drawn> with_seeds(
    const TrialSetup& setup, TrialOptions options, const Try& change, const std::vector<uint64_t>& seeds
) {
    Drawn out;
    out.whole = options.blocks.empty() || static_cast<double>(seeds.size()) * work_of_all(setup) <= kAllTried;
    out.same = inputs_of(setup.s.prover, seeds.front()).same_data;
    if (out.whole) options.blocks.clear(), options.without_filled = false;
    options.budget *= kOtherTimes;
    for (const uint64_t seed : seeds) {
        options.seed_offset = seed;
        const Trial t = change(options);
        const bool judged = seed == seeds.front() || judges_all(setup, t);
        if (judged ? !comes_right(setup, t) : t.bad > 0 || !is_clean(t)) return std::nullopt;
        if (judged) ++out.draws, out.compared += t.compared;
        out.tells = out.tells || !setup.ends || setup.at_end ||
            !is_right(as_it_is(setup, options), setup.blind ? 0 : t.outputs);
    }
    return out;
}

std::string kept_text(const Symptoms& s, uint64_t drawn) {
    const std::vector<std::string> all = fixed_arrays(s.experiment.problem);
    std::vector<std::string> kept;
    for (size_t k = 0; k < all.size(); ++k)
        if ((drawn >> k & 1) == 0) kept.push_back(all[k]);
    const std::string last = kept.back();
    kept.pop_back();
    return (kept.empty() ? "" : join(kept, ", ") + " and ") + last + (kept.empty() ? " stays" : " stay");
}

// Where some arrays are made of others, as a tree over points is, drawn by themselves they do not belong to
// them any more, and a right program may go wrong. Then those alone are drawn that may be without the rest.
std::optional<Drawn> with_draws(const TrialSetup& setup, const TrialOptions& options, const Try& change) {
    const std::vector<uint64_t>& seeds =
        draws_of(setup.s.prover, setup.other_seed, setup.times * trial_cost(setup.s));
    std::optional<Drawn> all = with_seeds(setup, options, change, seeds);
    if (all || tries_on_device(setup.s.experiment)) return all;
    const uint64_t derived = derived_arrays(setup.s.prover);
    const size_t count = derived == 0 ? 0 : fixed_arrays(setup.s.experiment.problem).size();
    uint64_t apart = 0;
    for (size_t k = 0; k < count; ++k) {
        const uint64_t one = uint64_t{1} << k;
        if ((derived & one) != 0 || inputs_of(setup.s.prover, only(one, 1)).same_data) continue;
        TrialOptions alone = options;
        alone.seed_offset = only(one, 1), alone.budget *= kOtherTimes;
        if (comes_right(setup, change(alone))) apart |= one;
    }
    if (apart == 0) {
        // Of two that may be drawn one may well be apart from the rest, and a right change is right with it.
        if (derived == 0 || count - static_cast<size_t>(std::popcount(derived)) != 1) return std::nullopt;
        return Drawn{.same = true, .kept = kept_text(setup.s, ~derived)};
    }
    std::vector<uint64_t> some;
    for (uint64_t seed = 1; seed <= seeds.size(); ++seed)
        if (!inputs_of(setup.s.prover, only(apart, seed)).same_data) some.push_back(only(apart, seed));
    if (some.empty()) return std::nullopt;
    all = with_seeds(setup, options, change, some);
    if (all) all->kept = kept_text(setup.s, apart);
    return all;
}

// All blocks, as far as that is not too much; false: they do not come right.
bool add_all_blocks(const TrialSetup& setup, Proof& proof, const Try& change) {
    const double work = work_of_all(setup);
    if (setup.block.blocks.empty()) return true;
    if (work > kProofWork) {
        proof.lacks = "the other blocks did not run";
        return true;
    }
    TrialOptions whole = setup.block;
    whole.blocks.clear(), whole.races = true, whole.without_filled = false;
    const Trial all = change(whole);
    const bool right = work > kAllTried ? mended(all) : is_right(all, wanted_outputs(setup));
    if (!right || (work <= kAllTried && !holds_in_orders(setup, whole, change))) return false;
    proof.text += fmt::format("; of all blocks 0 of {}", all.compared);
    proof.ran.blocks = blocks_of(setup);
    return true;
}

double right_share(const Trial& t) {
    return t.compared == 0 ? 0 : 1 - static_cast<double>(t.bad) / static_cast<double>(t.compared);
}

bool has_new_kind(const Trial& t, const Trial& than) {
    return std::any_of(t.incidents.begin(), t.incidents.end(), [&](const execution::Incident& i) {
        return std::none_of(than.incidents.begin(), than.incidents.end(), [&](const auto& o) {
            return o.kind == i.kind;
        });
    });
}

// Values far beyond those that the inputs are drawn from count where the program as it is does no worse with
// them than without: then they are such as it takes, and only what fits the values by chance fails. Limits of
// the user's own say nothing of them, but that what is finite stays so.
void try_larger_values(const TrialSetup& setup, const Try& change, Proof& proof) {
    constexpr double kNoWorse = 0.9;
    const Experiment& e = setup.s.experiment;
    // What judges outputs alone keeps results in FP64, which have no limits to leave.
    if (tries_on_device(e) || manifest::is_sequence(e.problem) || setup.blind || !setup.block.marks) return;
    TrialOptions options = setup.block;
    options.races = true, options.budget *= kOtherTimes;
    const Trial here = as_it_is(setup, options);
    const bool finite_alone = has_own_limit(e.problem);
    for (const uint64_t seed : {setup.other_seed, setup.other_seed + 1}) {
        options.seed_offset = kWild + seed;
        if (right_share(here) == 0 || inputs_of(setup.s.prover, options.seed_offset).same_data) continue;
        const Trial t = change(options);
        if (finite_alone ? t.finished && t.bad_infinite == 0 : comes_right(setup, t)) continue;
        const Trial& there = as_it_is(setup, options);
        if (!there.finished || has_new_kind(there, here)) continue;
        if (finite_alone ? there.bad_infinite > 0 : right_share(there) < kNoWorse * right_share(here))
            continue;
        proof.overfits_shape = true;
        proof.lacks = "with values 16 times as large ";
        proof.lacks += !t.finished ? "it does not come to its end"
            : finite_alone ? fmt::format("{} of {} elements are not finite", t.bad_infinite, t.compared)
                           : fmt::format("{} of {} elements are outside their bounds", t.bad, t.compared);
        return;
    }
}

std::string seeds_text(const Drawn& drawn) {
    return fmt::format(
        ", and 0 of {} with {}{}",
        drawn.compared,
        drawn.draws == 1 ? "another seed" : fmt::format("{} other seeds", drawn.draws),
        drawn.kept.empty() ? "" : fmt::format(" ({} as given)", drawn.kept)
    );
}

}  // namespace

bool runs_as(const Trial& there, const Trial& here) { return there.finished && !has_new_kind(there, here); }

bool does_no_worse(const Trial& there, const Trial& here) {
    constexpr double kNoWorse = 0.9;
    return right_share(there) > 0 && runs_as(there, here) &&
        right_share(there) >= kNoWorse * right_share(here);
}

std::optional<Proof> proof_of(const TrialSetup& setup, const Try& change) {
    TrialOptions checked = setup.block;
    checked.races = true;
    const Trial here = change(checked);
    if (!mends(setup, here)) return std::nullopt;
    const std::optional<Drawn> drawn = with_draws(setup, checked, change);
    if (!drawn || !holds_in_orders(setup, checked, change)) return std::nullopt;
    Proof out{"no fault of the launch is left, nor with another seed", here.warp_instructions};
    if (drawn->same)
        out.lacks = drawn->kept.empty()
            ? "no other data could be made: the inputs are the same with every seed"
            : fmt::format(
                  "no other data could be made: {} as given, and the rest may belong to it", drawn->kept
              );
    else if (!drawn->tells)
        out.lacks = "on other data the program as it is comes right as well";
    out.ran.draws = drawn->same ? 1 : 1 + drawn->draws;
    out.ran.blocks = setup.block.blocks.empty() ? blocks_of(setup) : 1;
    out.ran.schedules = tries_on_device(setup.s.experiment) ? 1 : 1 + static_cast<int64_t>(kOrders);
    out.ran.sizes = 1;
    if (setup.blind) return out;
    const bool one = !setup.block.blocks.empty();
    out.text = fmt::format(
        "{}0 of {} elements of {} are outside their bounds{}",
        measured_words(setup.s.experiment),
        here.compared,
        one ? "block " + block_text(setup.s.capture, setup.block.blocks.front()) : "all blocks",
        drawn->same ? std::string() : seeds_text(*drawn)
    );
    if (!add_all_blocks(setup, out, change)) return std::nullopt;
    if (here.undecided > 0 && out.lacks.empty())
        out.lacks = fmt::format(
            "{} elements lie outside a limit that is estimated, where nothing is decided", here.undecided
        );
    if (out.lacks.empty() && drawn->kept.empty()) try_larger_values(setup, change, out);
    return out;
}

capture::EvidenceKind kind_of(const Proof& proof) {
    return proof.lacks.empty() ? capture::EvidenceKind::proven : capture::EvidenceKind::mends;
}

std::string text_of(const Proof& proof) {
    return proof.lacks.empty() ? proof.text : proof.text + "; not proven: " + proof.lacks;
}

}  // namespace wl::diagnosis
