// Changes of instructions, tried one after the other.
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/lab.h"
#include "instrumentation/diagnosis/search/search.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kDebugTimes = 8;  // instructions of a debug build beside those of an optimised one
constexpr size_t kAround = 64;       // candidates behind the first that mends that are tried as well
constexpr size_t kMostProven = 4;    // changes that are told

struct Programs {
    Lab lab;
    const Experiment& build;
    const std::vector<Candidate>& all;
    ptx::Module lean;  // without what is only read by people
    Clock::time_point deadline;
    std::atomic<size_t> next = 0, tried = 0;
    std::atomic<size_t> first = ~size_t{0};  // the first candidate that mends
    std::mutex lock = {};
    std::vector<size_t> hits = {};
};

bool is_late(const Programs& p) { return Clock::now() > p.deadline; }

Trial try_candidate(const Programs& p, Prover& prover, const Candidate& c, const TrialOptions& options) {
    ptx::Module changed = p.lean;
    Trial refused;
    if (const ptx::Edit edit = c.make(changed); !edit) {
        refused.unsupported = edit.refused;
        return refused;
    }
    return try_module(prover, changed, options);
}

// Until the end of this cost, or a little behind the first hit.
void work(Programs& p, size_t end) {
    Prover prover{p.build};
    for (;;) {
        const size_t k = p.next++;
        const size_t first = p.first;
        if (k >= end || is_late(p) || (first != ~size_t{0} && k > first + kAround)) return;
        ++p.tried;
        if (!mends(p.lab, try_candidate(p, prover, p.all[k], p.lab.block))) continue;
        const std::scoped_lock hold(p.lock);
        p.hits.push_back(k);
        p.first = std::min<size_t>(p.first, k);
    }
}

size_t end_of_price(const std::vector<Candidate>& all, size_t from) {
    size_t end = from;
    while (end < all.size() && price(all[end]) == price(all[from])) ++end;
    return end;
}

// Of PTX that names no lines its own.
capture::Where where_of(const Programs& p, const Candidate& c) {
    capture::Where where = where_in(p.build.module, c.location);
    if (c.location >= 0) return where;
    where.file = path_from_here(p.build.problem.kernel.source), where.line = static_cast<int>(c.ptx_line);
    return where;
}

// Not within the search's time: what is once found is looked at to the end.
void prove_hits(Programs& p, Prover& prover, SearchResult& out) {
    std::sort(p.hits.begin(), p.hits.end());
    for (const size_t k : p.hits) {
        const Candidate& c = p.all[k];
        const capture::Where where = where_of(p, c);
        const bool known = std::any_of(out.mended.begin(), out.mended.end(), [&](const Mended& m) {
            return m.where.line == where.line && m.where.file == where.file;
        });
        if (known || out.mended.size() == kMostProven) continue;
        auto proof = proof_of(p.lab, [&](const TrialOptions& o) { return try_candidate(p, prover, c, o); });
        if (!proof) continue;
        out.mended.push_back({c.rule, c.was, c.now, where, std::move(*proof), {}});
    }
    p.hits.clear(), p.first = ~size_t{0};
}

}  // namespace

SearchResult search_program(
    const Symptoms& s, const Experiment& build, const std::vector<Suspect>& suspects, double seconds
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
    const auto end = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
    Programs p{.lab = {s}, .build = build, .all = all, .lean = build.module, .deadline = end};
    p.lean.text.clear(), p.lean.sections.clear();
    Prover prover{build};
    out.unsupported = choose_trial(
        p.lab, [&](const TrialOptions& o) { return try_module(prover, p.lean, o); }, kDebugTimes
    );
    if (!out.unsupported.empty()) return out;
    for (size_t from = 0; from < all.size() && out.mended.empty() && !is_late(p);) {
        const size_t last = end_of_price(all, from);
        p.next = from;
        std::vector<std::jthread> others;
        for (int t = 1; t < threads_of(build.options); ++t) others.emplace_back([&] { work(p, last); });
        work(p, last);
        others.clear();
        prove_hits(p, prover, out);
        // Where what mends the block is not proven, the search goes on behind it.
        from = out.mended.empty() ? std::min<size_t>(p.next, last) : last;
    }
    out.tried = p.tried;
    return out;
}

}  // namespace wl::diagnosis
