// A change mends when the block that is wrong comes right; it is proven when other inputs do, too, and, where
// that is quick, all blocks.
#include "instrumentation/diagnosis/search/search.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/execution/reach.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace wl::diagnosis {

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kSlack = 20000;  // warp instructions a block may take beyond twice the unedited run's
constexpr double kQuick = 2e6;      // warp instructions of a launch whose blocks are all tried
constexpr size_t kAround = 64;      // candidates behind the first that mends that are tried as well
constexpr size_t kMostProven = 4;   // changes that are told

struct Lab {
    const Symptoms& s;
    const Experiment& build;
    const std::vector<Candidate>& all;
    ptx::Module lean;  // without what is only read by people
    Clock::time_point deadline;
    TrialOptions block = {};  // the wrong block, without checks
    Trial unedited = {};
    std::atomic<size_t> next = 0, tried = 0;
    std::atomic<size_t> first = ~size_t{0};  // the first candidate that mends
    std::mutex lock = {};
    std::vector<size_t> hits = {};
};

Clock::time_point end_after(double seconds) {
    return Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
}

bool is_late(const Lab& lab) { return Clock::now() > lab.deadline; }

// As right as the program may be that has this many elements to write; an edit that writes less mends
// nothing.
bool is_right(const Trial& t, int64_t least) { return mended(t) && t.compared >= least; }

Trial try_candidate(Lab& lab, Prover& prover, const Candidate& c, const TrialOptions& options) {
    ptx::Module changed = lab.lean;
    Trial refused;
    if (const ptx::Edit edit = c.make(changed); !edit) {
        refused.unsupported = edit.refused;
        return refused;
    }
    return try_module(prover, changed, options);
}

// Until the end of this cost, or a little behind the first hit.
void work(Lab& lab, size_t end) {
    Prover prover{lab.build};
    for (;;) {
        const size_t k = lab.next++;
        const size_t first = lab.first;
        if (k >= end || is_late(lab) || (first != ~size_t{0} && k > first + kAround)) return;
        ++lab.tried;
        if (!is_right(try_candidate(lab, prover, lab.all[k], lab.block), (lab.unedited.compared + 1) / 2))
            continue;
        const std::scoped_lock hold(lab.lock);
        lab.hits.push_back(k);
        lab.first = std::min<size_t>(lab.first, k);
    }
}

// Not within the search's time: what is once found is looked at to the end.
std::optional<std::string> proof_of(Lab& lab, Prover& prover, const Candidate& c) {
    TrialOptions checked = lab.block;
    checked.races = true;
    const Trial here = try_candidate(lab, prover, c, checked);
    if (!mended(here)) return std::nullopt;
    checked.seed_offset = 1;
    const Trial other = try_candidate(lab, prover, c, checked);
    if (!mended(other)) return std::nullopt;
    std::string text = fmt::format(
        "0 of {} elements of block {} are outside their bounds, and 0 of {} with another seed",
        here.compared,
        block_text(lab.s.capture, lab.s.block),
        other.compared
    );
    if (counter(lab.s.capture, "warp_instructions") > kQuick) return text;
    TrialOptions whole = lab.block;
    whole.blocks.clear();
    const Trial before = try_module(prover, lab.lean, whole), all = try_candidate(lab, prover, c, whole);
    if (!is_right(all, before.compared)) return std::nullopt;
    return fmt::format("{}; of all blocks 0 of {}", text, all.compared);
}

size_t end_of_cost(const std::vector<Candidate>& all, size_t from) {
    size_t end = from;
    while (end < all.size() && all[end].cost == all[from].cost) ++end;
    return end;
}

Extents extents_of(const Experiment& e) {
    const manifest::BoundLaunch& launch = manifest::launch_of(e.problem);
    Extents out;
    const auto add = [&](double value) {
        const auto whole = static_cast<int64_t>(value);
        if (value == static_cast<double>(whole) && whole > 1 &&
            std::find(out.begin(), out.end(), whole) == out.end())
            out.push_back(whole);
    };
    for (const Dim3& d : {launch.block, launch.grid}) add(d.x), add(d.y), add(d.z);
    for (const auto& [name, value] : e.problem.params) add(value);
    constexpr size_t kMost = 8;
    if (out.size() > kMost) out.resize(kMost);
    return out;
}

std::vector<size_t> functions_of(const ptx::Module& m, const std::string& entry) {
    const auto first = static_cast<int>(&ptx::entry_of(m, entry) - m.functions.data());
    std::vector<size_t> out;
    for (const int f : execution::reachable_functions(m, first)) out.push_back(static_cast<size_t>(f));
    return out;
}

void prove_hits(Lab& lab, Prover& prover, SearchResult& out) {
    std::sort(lab.hits.begin(), lab.hits.end());
    for (const size_t k : lab.hits) {
        const Candidate& c = lab.all[k];
        const bool same_line = std::any_of(out.mended.begin(), out.mended.end(), [&](const Mended& m) {
            return ptx::same_line(lab.build.module, m.candidate.location, c.location);
        });
        if (same_line || out.mended.size() == kMostProven) continue;
        if (auto proof = proof_of(lab, prover, c)) out.mended.push_back({c, std::move(*proof)});
    }
    lab.hits.clear(), lab.first = ~size_t{0};
}

}  // namespace

SearchResult search(const Symptoms& s, const Experiment& build, double seconds) {
    SearchResult out;
    out.debug = build.options.debug;
    const std::vector<Candidate> all =
        candidates(build.module, functions_of(build.module, build.entry), extents_of(build));
    out.candidates = all.size();
    Lab lab{.s = s, .build = build, .all = all, .lean = build.module, .deadline = end_after(seconds)};
    lab.lean.text.clear(), lab.lean.sections.clear();
    if (!needs_all_blocks(s)) lab.block.blocks = {s.block};
    lab.block.races = false;
    Prover prover{build};
    lab.unedited = try_module(prover, lab.lean, lab.block);
    if (!lab.unedited.unsupported.empty() || lab.unedited.compared == 0) {
        out.unsupported = lab.unedited.unsupported.empty() ? "the block writes nothing that is compared"
                                                           : lab.unedited.unsupported;
        return out;
    }
    lab.block.budget = 2 * lab.unedited.warp_instructions + kSlack;
    const int threads = build.options.threads > 0
        ? build.options.threads
        : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    for (size_t from = 0; from < all.size() && out.mended.empty() && !is_late(lab);) {
        const size_t end = end_of_cost(all, from);
        lab.next = from;
        std::vector<std::jthread> others;
        for (int t = 1; t < threads; ++t) others.emplace_back([&] { work(lab, end); });
        work(lab, end);
        others.clear();
        prove_hits(lab, prover, out);
        // Where what mends the block is not proven, the search goes on behind it.
        from = out.mended.empty() ? std::min<size_t>(lab.next, end) : end;
    }
    out.tried = lab.tried;
    return out;
}

}  // namespace wl::diagnosis
