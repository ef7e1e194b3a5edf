// Hypotheses and orders, tried.
#include "instrumentation/diagnosis/prove/prove.h"

#include "instrumentation/diagnosis/prove/elsewhere.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kOrders = 4;  // legal orders tried; in 0 each warp runs on until it must wait

Trial run(const Symptoms& s, const Hypothesis& h, uint64_t seed_offset) {
    TrialOptions o{.blocks = {}, .budget = s.budget};
    if (!needs_all_blocks(s)) o.blocks = {s.block};
    o.marks = !h.zero_unwritten && !h.fp64, o.zero_unwritten = h.zero_unwritten, o.fp64 = h.fp64;
    o.rearrange = h.rearrange, o.seed_offset = seed_offset;
    return h.program ? try_module(s.prover, *h.program, o) : try_unedited(s.prover, o);
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
    out.here = run(s, hypothesis, 0);
    out.new_faults = new_faults(s, out.here);
    out.mends = mended(out.here);
    if (!out.mends) return out;
    out.other = run(s, hypothesis, 1);
    out.proven = mended(out.other);
    out.text = fmt::format(
        "{}0 of {} elements of {} are outside their bounds",
        measured_words(s.experiment),
        out.here.compared,
        needs_all_blocks(s) ? "all blocks" : "block " + block_text(s.capture, s.block)
    );
    out.text += out.proven
        ? fmt::format(", and 0 of {} with another seed", out.other.compared)
        : fmt::format(", but {} of {} with another seed", out.other.bad, out.other.compared);
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
