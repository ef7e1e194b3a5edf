// A change mends when the block that is wrong comes right; it is proven when other inputs do, too, and, where
// that is quick, all blocks.
#include "instrumentation/diagnosis/search/search.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/places.h"
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

constexpr uint64_t kDebugTimes = 8;  // instructions of a debug build beside those of an optimised one
constexpr uint64_t kSlack = 20000;   // warp instructions a block may take beyond twice the unedited run's
constexpr double kQuick = 2e6;       // warp instructions of a launch whose blocks are all tried
constexpr size_t kAround = 64;       // candidates behind the first that mends that are tried as well
constexpr size_t kMostProven = 4;    // changes that are told

struct Lab {
    const Symptoms& s;
    const Experiment& build;
    const std::vector<Candidate>& all;
    ptx::Module lean;  // without what is only read by people
    Clock::time_point deadline;
    TrialOptions block = {};  // the wrong one, or all
    int64_t least = 0;        // elements that a right program writes in the block, at least
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
        if (!is_right(try_candidate(lab, prover, lab.all[k], lab.block), lab.least)) continue;
        const std::scoped_lock hold(lab.lock);
        lab.hits.push_back(k);
        lab.first = std::min<size_t>(lab.first, k);
    }
}

int64_t compared_outputs(const capture::Capture& c) {
    int64_t out = 0;
    for (const capture::Output& o : c.outputs) out += o.of.compared;
    return out;
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
    const bool one = !lab.block.blocks.empty();
    std::string text = fmt::format(
        "0 of {} elements of {} are outside their bounds, and 0 of {} with another seed",
        here.compared,
        one ? "block " + block_text(lab.s.capture, lab.s.block) : "all blocks",
        other.compared
    );
    if (!one || counter(lab.s.capture, "warp_instructions") > kQuick) return text;
    TrialOptions whole = lab.block;
    whole.blocks.clear();
    const Trial all = try_candidate(lab, prover, c, whole);
    const bool sequence = manifest::is_sequence(lab.build.problem);  // whose other launches write, too
    if (!is_right(all, sequence ? 1 : compared_outputs(lab.s.capture))) return std::nullopt;
    return fmt::format("{}; of all blocks 0 of {}", text, all.compared);
}

// What every change is tried on: the wrong block alone, without checks where it goes wrong without them; all
// blocks where it does not. Empty, or why nothing shows the symptom.
std::string choose_trial(Lab& lab, Prover& prover) {
    const bool small = counter(lab.s.capture, "warp_instructions") < kQuick;
    std::string unsupported;
    const auto shows = [&](TrialOptions options, int64_t least) {
        options.budget = kDebugTimes * lab.s.budget;
        const Trial t = try_module(prover, lab.lean, options);
        unsupported = t.unsupported;
        if (!unsupported.empty() || is_right(t, least)) return false;
        lab.block = options, lab.least = std::max(least, (t.compared + 1) / 2);
        if (t.finished) lab.block.budget = std::min(options.budget, 2 * t.warp_instructions + kSlack);
        return true;
    };
    TrialOptions one{.blocks = {lab.s.block}, .races = false}, all{.blocks = {}, .races = false};
    if (!needs_all_blocks(lab.s) && shows(one, 1)) return {};
    one.races = true;
    if (!needs_all_blocks(lab.s) && shows(one, 1)) return {};
    if (small && shows(all, compared_outputs(lab.s.capture))) return {};
    if (!unsupported.empty()) return unsupported;
    return small ? "this build of the program comes right" : "the block comes right when it is run alone";
}

size_t end_of_price(const std::vector<Candidate>& all, size_t from) {
    size_t end = from;
    while (end < all.size() && price(all[end]) == price(all[from])) ++end;
    return end;
}

InPlay in_play(const Experiment& e) {
    const manifest::BoundLaunch& launch = manifest::launch_of(e.problem);
    InPlay out{launch.block, launch.grid, {}};
    const auto add = [&](double value) {
        const auto whole = static_cast<int64_t>(value);
        const bool known = std::find(out.numbers.begin(), out.numbers.end(), whole) != out.numbers.end();
        if (value == static_cast<double>(whole) && whole > 1 && !known) out.numbers.push_back(whole);
    };
    for (const Dim3& d : {launch.block, launch.grid}) add(d.x), add(d.y), add(d.z);
    for (const auto& [name, value] : e.problem.params) add(value);
    constexpr size_t kMost = 8;
    if (out.numbers.size() > kMost) out.numbers.resize(kMost);
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

SearchResult search(
    const Symptoms& s, const Experiment& build, const std::vector<Suspect>& suspects, double seconds
) {
    SearchResult out;
    const size_t entry = ptx::index_of(build.module, ptx::entry_of(build.module, build.entry));
    const std::vector<Candidate> all =
        candidates(build.module, ptx::reached_from(build.module, entry), in_play(build), suspects);
    out.candidates = all.size();
    Lab lab{.s = s, .build = build, .all = all, .lean = build.module, .deadline = end_after(seconds)};
    lab.lean.text.clear(), lab.lean.sections.clear();
    Prover prover{build};
    out.unsupported = choose_trial(lab, prover);
    if (!out.unsupported.empty()) return out;
    const int threads = build.options.threads > 0
        ? build.options.threads
        : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    for (size_t from = 0; from < all.size() && out.mended.empty() && !is_late(lab);) {
        const size_t end = end_of_price(all, from);
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
