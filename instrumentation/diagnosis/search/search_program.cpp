// Changes of instructions, tried one after the other.
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/candidate_queue.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <memory>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kDebugTimes = 8;  // instructions of a debug build beside those of an optimised one
constexpr size_t kTriedAfter = 64;   // candidates after the first that mends that are tried as well

struct Programs {
    CandidateQueue queue;
    const Experiment& build;
    const std::vector<Candidate>& all;
    ptx::Module lean;  // without what is only read by people
};

Trial try_candidate(const Programs& p, Prover& prover, const Candidate& c, const TrialOptions& options) {
    ptx::Module changed = p.lean;
    Trial refused;
    if (const ptx::Edit edit = c.make(changed); !edit) {
        refused.unsupported = edit.refused;
        return refused;
    }
    return try_module(prover, changed, options);
}

// All of a cost, or a little more than the first that is proven.
void try_all(Programs& p, size_t from, size_t end) {
    const size_t kept = in_turn(p.queue, threads_of(p.build.options), end - from, [&] {
        const auto prover = std::make_shared<Prover>(p.build);
        return [&p, prover, from](size_t n) {
            const size_t k = from + n;
            if (!is_over(p.queue, k))
                judge(p.queue, k, try_candidate(p, *prover, p.all[k], p.queue.setup.block));
        };
    });
    forget(p.queue, [&](size_t k) { return k >= from + kept; });
    for (size_t k = from; k < from + kept && k <= last_needed(p.queue); ++k) ++p.queue.tried;
}

size_t end_of_price(const std::vector<Candidate>& all, size_t from) {
    size_t end = from;
    while (end < all.size() && score(all[end]) == score(all[from])) ++end;
    return end;
}

// Of PTX that names no lines its own.
capture::Where where_of(const Programs& p, const Candidate& c) {
    capture::Where where = where_in(p.build.module, c.location);
    if (c.location >= 0) return where;
    where.file = path_from_here(p.build.problem.kernel.source), where.line = static_cast<int>(c.ptx_line);
    return where;
}

Prove by_trial(Programs& p, Prover& prover) {
    const auto proven = [&](size_t k) -> std::optional<Mended> {
        const Candidate& c = p.all[k];
        auto proof =
            proof_of(p.queue.setup, [&](const TrialOptions& o) { return try_candidate(p, prover, c, o); });
        if (!proof) return std::nullopt;
        Mended out{c.rule, c.was, c.now, where_of(p, c), std::move(proof->text), {}, {}, {}, {}};
        out.lacks = std::move(proof->lacks), out.ran = proof->ran;
        return out;
    };
    return {[&](size_t k) { return where_of(p, p.all[k]); }, proven};
}

}  // namespace

SearchResult search_program(
    const Symptoms& s, const Experiment& build, const std::vector<Suspect>& suspects, SearchWork work
) {
    SearchResult out;
    const size_t entry = ptx::index_of(build.module, ptx::entry_of(build.module, build.entry));
    const manifest::BoundLaunch& launch = manifest::launch_of(build.problem);
    const std::vector<Candidate> all = candidates(
        build.module,
        ptx::reached_from(build.module, entry),
        {launch.block, launch.grid, numbers_in_play(build)},
        suspects
    );
    out.candidates = all.size();
    Programs p{
        .queue = {.setup = {s}, .work = &work.spent, .limit = work.limit, .tried_after = kTriedAfter},
        .build = build,
        .all = all,
        .lean = build.module
    };
    p.lean.text.clear(), p.lean.sections.clear();
    Prover prover{build};
    out.unsupported = choose_trial(
        p.queue.setup, [&](const TrialOptions& o) { return try_module(prover, p.lean, o); }, kDebugTimes
    );
    if (!out.unsupported.empty()) return out;
    p.queue.prove = by_trial(p, prover);
    for (size_t from = 0; from < all.size() && out.mended.empty() && !is_late(p.queue);) {
        const size_t last = end_of_price(all, from);
        try_all(p, from, last);
        take_proven(p.queue, out);
        from = last;
    }
    out.tried = p.queue.tried;
    return out;
}

}  // namespace wl::diagnosis
