// What a change of the source is worth, compiled as the kernel was.
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/early_return.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/search/constant_reads.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/source_trials.h"

#include <fmt/format.h>

namespace wl::diagnosis {

std::optional<Mended> proven_by_compiler(const SourceTrials& t, const rewrite::Rewrite& change) {
    std::string text = rewritten(t.unit.text, change);
    const TrialSetup& given = t.proof ? *t.proof : t.queue.setup;
    try {
        const ptx::Module module = changed_module(t.whole.experiment, text);
        const bool no_return = !may_return_early(text);
        const Try changed_runs = [&](TrialOptions o) {
            o.part_exits = no_return;
            o.from = first_launch(t.launches, t.source, change).value_or(0);
            return try_module(given.s.prover, module, o);
        };
        const TrialSetup setup = given.told_at_end ? setup_for(given, changed_runs(given.block)) : given;
        auto proof = proof_of(setup, changed_runs);
        if (!proof) return std::nullopt;
        const std::optional<Behind> behind = behind_all(setup.s.prover, module);
        if (setup.blind && (!behind || !behind->wrong.empty() || behind->written == 0)) return std::nullopt;
        if (setup.blind)
            proof->text += fmt::format("; after all launches 0 of {} elements are wrong", behind->written);
        Mended out = mended_by(t.unit, change, std::move(proof->text), std::move(text));
        out.lacks = std::move(proof->lacks), out.ran = proof->ran, out.overfits_shape = proof->overfits_shape;
        if (const auto launch = first_launch(t.launches, t.source, change); launch && *launch < t.launches.at)
            out.where.launch = static_cast<int>(*launch) + 1;
        constexpr int kExpected = 30;  // a log prior
        out.warp_instructions = proof->warp_instructions, out.expected = change.bias >= kExpected;
        if (behind) out.written = behind->written, out.ran.launches = behind->launches;
        out.no_fault_left = behind && behind->wrong.empty() && behind->written > 0 && behind->no_fault_left;
        try_other_shape(*t.shape, out);
        if (behind) out.behind = behind->wrong, out.warp_instructions = behind->warp_instructions;
        if (behind && !behind->lacks.empty() && out.lacks.empty())
            out.lacks = behind->lacks, out.overfits_shape = true;
        const Watched watched{setup.s.prover, t.unit, t.source, setup.block.blocks};
        const Changed changed{change, out.source, module};
        const Avoided avoided = out.remains.empty() ? lines_avoided(watched, changed, *t.executed, *t.shape)
                                                    : Avoided{lines_left_out(watched, changed, *t.executed)};
        out.left_to_one = avoided.left_to_one;
        // Twice as often is right as well, and hardly what is meant.
        const bool longer = behind && out.warp_instructions / 5 > behind->as_it_is / 4;
        out.does_more = !out.expected && (avoided.does_more || longer);
        out.overfits_shape = out.overfits_shape || out.does_more;
        for (const int line : avoided.lines) out.left_out.push_back(where_in(t.unit, line).line);
        if (out.lacks.empty()) {
            out.lacks = constant_reads(watched, changed, setup.other_seed);
            out.overfits_shape = out.overfits_shape || !out.lacks.empty();
        }
        return out;
    } catch (const Error&) {
        return std::nullopt;  // the compiler that optimises refuses it
    }
}

std::optional<Mended> first_proven(
    SourceTrials& t, const std::function<bool(const rewrite::Rewrite&)>& is_wanted, size_t most
) {
    CandidateQueue& h = t.queue;
    const auto as_it_is = [&](const TrialOptions& o) { return try_unedited(h.setup.s.prover, o); };
    if (!choose_trial(h.setup, as_it_is, 1).empty()) return std::nullopt;
    for (size_t k = 0; k < t.all.size() && h.tried < most && !is_late(h); ++k) {
        if (!is_wanted(t.all[k])) continue;
        ++h.tried;
        if (auto mended = proven_by_compiler(t, t.all[k])) return mended;
    }
    return std::nullopt;
}

}  // namespace wl::diagnosis
