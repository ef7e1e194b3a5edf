// Changes of the source, compiled a batch at a time and tried.
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/rewrite/several/alike.h"
#include "instrumentation/diagnosis/search/angelic/angelic.h"
#include "instrumentation/diagnosis/search/angelic/where.h"
#include "instrumentation/diagnosis/search/fits.h"
#include "instrumentation/diagnosis/search/pairs.h"
#include "instrumentation/diagnosis/search/rivals.h"
#include "instrumentation/diagnosis/search/solve.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/source_trials.h"
#include "instrumentation/diagnosis/search/suspects/search_context.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;

Prove by_compiler(const SourceTrials& s) {
    return {
        [&](size_t k) { return where_in(s.unit, s.all[k].line); },
        [&](size_t k) { return proven_by_compiler(s, s.all[k]); }};
}

// Until all are tried: what does not compile with others comes last, on its own.
void try_all(SourceTrials& t, SearchResult& out) {
    CandidateQueue& h = t.queue;
    while (out.mended.empty() && !is_late(h)) {
        if (!try_batches(t)) return;
        take_proven(h, out);
        t.rivals = h.rivals;
    }
}

// What makes some of what is wrong right at one place, at all the places that read alike.
void try_alike(const SourceTrials& t, SearchResult& out) {
    constexpr int64_t kLeast = 100;  // as gains
    constexpr size_t kMost = 16;     // changes
    std::vector<size_t> helpful;
    for (size_t k = 0; k < t.all.size(); ++k)
        if (t.gains[k] >= kLeast) helpful.push_back(k);
    std::stable_sort(helpful.begin(), helpful.end(), [&](size_t a, size_t b) {
        return t.gains[a] > t.gains[b];
    });
    if (helpful.size() > kMost) helpful.resize(kMost);
    std::vector<Rewrite> all;
    for (const size_t k : helpful)
        for (Rewrite& r : rewrite::alike_of(t.source, t.all[k])) all.push_back(std::move(r));
    if (!all.empty()) try_others(t, all, out);
}

// A right program may do many times the work of a wrong one, as one that ends too early: what was cut short
// is tried once more with a longer budget, the likeliest first.
void try_longer(SourceTrials& t, uint64_t limit, SearchResult& out) {
    constexpr uint64_t kPart = 20;  // of the work that is left
    const std::vector<uint8_t> known = t.done;
    if (std::find(known.begin(), known.end(), kCutShort) == known.end()) return;
    std::vector<TrialSetup*> setups = {&t.queue.setup};
    if (t.proof) setups.push_back(&*t.proof);
    std::vector<uint64_t> budgets;
    for (const TrialSetup* setup : setups) budgets.push_back(setup->block.budget);
    const uint64_t was = t.queue.limit;
    for (const uint64_t times : {uint64_t{8}, uint64_t{64}}) {
        if (!out.mended.empty()) break;
        for (size_t k = 0; k < setups.size(); ++k) setups[k]->block.budget = times * budgets[k];
        const uint64_t spent = *t.queue.work;
        t.queue.limit = spent + (limit - std::min(spent, limit)) / kPart;
        for (uint8_t& done : t.done) done = done == kCutShort ? uint8_t{0} : std::max(done, kTried);
        try_all(t, out);
        std::replace(t.done.begin(), t.done.end(), uint8_t{0}, kCutShort);
    }
    for (size_t k = 0; k < known.size(); ++k)
        if (known[k] != kCutShort) t.done[k] = known[k];
    t.queue.limit = was;
    for (size_t k = 0; k < setups.size() && out.mended.empty(); ++k) setups[k]->block.budget = budgets[k];
}

// One change; earlier than at the end two, where one alone makes most of what is wrong right.
void search(
    SourceTrials& t, const rewrite::SearchContext& context, uint64_t start, uint64_t limit, SearchResult& out
) {
    constexpr double kSolved = 0.3, kLikely = 0.6, kNeeded = 0.75, kWhere = 0.9;  // of the work
    constexpr uint64_t kSolvedBy = 6 * kWorkPerSecond;
    constexpr size_t kMostLikely = 6000;         // changes
    constexpr int64_t kMost = 500, kMuch = 200;  // as gains
    const auto end = [&](double part) {
        return start + static_cast<uint64_t>(part * static_cast<double>(limit - std::min(start, limit)));
    };
    t.queue.prove = by_compiler(t);
    t.queue.limit = std::min(end(kSolved), start + kSolvedBy);
    try_all(t, out);
    t.queue.limit = end(kLikely);
    if (out.mended.empty()) search_solved(t, out);
    if (out.mended.empty()) try_alike(t, out);
    t.upto = kMostLikely;
    try_all(t, out);
    if (out.mended.empty()) try_alike(t, out);
    if (t.queue.setup.ends && out.mended.empty()) try_longer(t, limit, out);
    t.queue.limit = end(kNeeded), t.upto = t.all.size();
    std::vector<Rewrite> last;
    if (out.mended.empty()) last = search_needed(t, context, out);
    t.queue.limit = end(kWhere);
    if (out.mended.empty()) search_where(t, context, out);
    t.queue.limit = limit;
    if (out.mended.empty() && !last.empty()) try_others(t, last, out);
    // What nobody wrote is made right by many pairs.
    const auto& seen = t.queue.setup.s.incidents;
    const bool pairs = std::none_of(seen.begin(), seen.end(), [](const execution::Incident& i) {
        return i.kind == execution::Incident::Kind::uninitialised_read;
    });
    const int64_t gain = t.gains.empty() ? 0 : *std::max_element(t.gains.begin(), t.gains.end());
    if (pairs && out.mended.empty() && gain >= kMuch) {
        if (gain < kMost) t.queue.limit = (*t.queue.work + limit) / 2;
        search_pairs(t, out);
        t.queue.limit = limit;
    }
    if (out.mended.empty()) try_all(t, out);
    if (pairs && out.mended.empty()) search_pairs(t, out);
}

// Of a program that comes to no end nobody knows how much work a right one is: short trials come first.
void search_endless(
    SourceTrials& t, const rewrite::SearchContext& context, uint64_t start, uint64_t limit, SearchResult& out
) {
    constexpr uint64_t kShort = 1 << 16;  // warp instructions of a block
    uint64_t& budget = t.queue.setup.block.budget;
    const uint64_t longest = std::exchange(budget, std::min(budget, kShort));
    search(t, context, start, limit, out);
    if (budget == longest || !out.mended.empty()) return;
    budget = longest;
    std::replace(t.done.begin(), t.done.end(), kCutShort, uint8_t{0});
    try_all(t, out);
}

constexpr int64_t kHelps = 900;  // of 1000 wrong elements: what makes fewer right misleads

// As the kernel is compiled, and with other inputs as well.
bool helps_on_other_data(const SourceTrials& t, const Rewrite& r) {
    const TrialSetup& setup = t.proof ? *t.proof : t.queue.setup;
    if (inputs_of(setup.s.prover, setup.other_seed).same_data) return false;
    try {
        const ptx::Module module = changed_module(t.whole.experiment, rewritten(t.unit.text, r));
        for (const uint64_t seed : {uint64_t{0}, setup.other_seed}) {
            TrialOptions options = setup.block;
            options.seed_offset = seed;
            const Trial as_it_is = try_unedited(setup.s.prover, options);
            if (gain_of(as_it_is, try_module(setup.s.prover, module, options)) < kHelps) return false;
        }
        return true;
    } catch (const Error&) { return false; }
}

std::optional<Helpful> most_helpful(const SourceTrials& t) {
    constexpr int64_t kAll = 1000;  // and it mends not: it writes more than it should
    size_t most = t.gains.size();
    for (size_t k = 0; k < t.gains.size(); ++k)
        if (t.gains[k] < kAll && t.gains[k] >= kHelps &&
            (most == t.gains.size() || t.gains[k] > t.gains[most]))
            most = k;
    if (most == t.gains.size()) return std::nullopt;
    const Rewrite& r = t.all[most];
    if (!helps_on_other_data(t, r)) return std::nullopt;
    return Helpful{r.was, r.now, where_in(t.unit, r.line), t.gains[most]};
}

// What nobody set is zero by chance in a build that optimises little.
void try_first_values(SourceTrials& t, SearchResult& out) {
    constexpr size_t kMost = 48;
    auto mended = first_proven(
        t, [](const Rewrite& r) { return r.family == rewrite::Family::initial; }, kMost
    );
    if (!mended) return;
    out.mended.push_back(std::move(*mended));
    out.unsupported.clear();
}

// Where a build that optimises little does not show it, one that does as the kernel's own; empty, or why
// neither does.
std::string open_shown(
    const Symptoms& tried_on, std::optional<OpenSource>& open, TrialSetup& setup, const compile::Quick* before
) {
    std::string why;
    using compile::Effort;
    const std::array<std::optional<Effort>, 3> efforts = {std::nullopt, Effort::more, Effort::full};
    for (const std::optional<Effort> effort : efforts) {
        std::optional<OpenSource> opened = open_source(tried_on, &why, before, effort);
        if (!opened) return why;
        open.emplace(std::move(*opened));
        why = choose_trial(
            setup,
            [&](const TrialOptions& o) {
                return try_variant(tried_on.experiment, tried_on.prover, open->quick.as_it_is.ptx, 0, o);
            },
            kQuickTimes
        );
        if (why.empty()) break;
    }
    return why;
}

}  // namespace

SearchResult search_source(
    const Symptoms& symptoms,
    const Symptoms& tried_on,
    const std::vector<Suspect>& suspects,
    SearchWork work,
    std::shared_ptr<const compile::Quick>& read
) {
    constexpr uint64_t kMuch = 10;  // percent of all the work
    SearchResult out;
    const uint64_t start = work.spent;
    std::optional<OpenSource> open;
    TrialSetup setup{tried_on};
    const std::string shows_not = open_shown(tried_on, open, setup, read.get());
    if (!open) {
        out.unsupported = shows_not;
        return out;
    }
    read = std::make_shared<const compile::Quick>(open->quick);
    if (100 * (work.spent - start) > kMuch * (work.all - std::min(start, work.all))) work.limit = work.all;
    rewrite::SearchContext context = search_context_of(symptoms, suspects, *open);
    add_fits(symptoms, open->unit, context);
    std::vector<Rewrite> all = rewrites(open->source, context);
    std::erase_if(all, [&](const Rewrite& r) {
        return first_launch(open->launches, open->source, r) == LaunchLines::kNone;
    });
    out.candidates = all.size();
    SourceTrials s = trials_of(symptoms, setup, *open, all, work);
    if (&tried_on != &symptoms) {
        s.proof.emplace(TrialSetup{symptoms});
        const auto as_it_is = [&](const TrialOptions& o) { return try_unedited(symptoms.prover, o); };
        out.unsupported = choose_trial(*s.proof, as_it_is, 1);
        if (!out.unsupported.empty()) return out;
    }
    out.unsupported = shows_not;
    if (out.unsupported.empty()) {
        choose_seed(s.proof ? *s.proof : s.queue.setup, [&](const TrialOptions& o) {
            return try_unedited(symptoms.prover, o);
        });
        try {
            (setup.ends ? search : search_endless)(s, context, start, work.limit, out);
        } catch (const Stopped&) {
            if (stop_signal() != 0) throw;
            take_proven(s.queue, out);
            out.timed_out = true;
        }
    } else {
        try_first_values(s, out);
    }
    add_tried(s, out);
    const size_t own = tried_of(s);
    out.made = out.tried > own ? out.tried - own : 0;
    weigh_rivals(s, out);
    if (out.mended.empty() && !out.timed_out) out.helpful = most_helpful(s);
    for (Mended& m : out.doubtful) {
        if (!out.mended.empty()) break;
        if (m.left_out.empty() && m.behind.empty())
            out.mended.push_back(std::move(m));
        else if (!out.context)
            out.context = std::move(m);
    }
    return out;
}

std::optional<Mended> mended_in_source(const Symptoms& s, const std::string& was, const std::string& now) {
    constexpr size_t kMost = 6;
    constexpr uint64_t kMostWork = 10 * kWorkPerSecond;
    Work spent = 0;
    const CountedWork counted(&spent);
    const std::optional<OpenSource> open = open_source(s);
    if (!open) return std::nullopt;
    const std::vector<Rewrite> all = rewrites(open->source, {{}, {}});
    SourceTrials t = trials_of(s, {s}, *open, all, {spent, kMostWork});
    return first_proven(
        t,
        [&](const Rewrite& r) { return (r.was == was && r.now == now) || (r.was == now && r.now == was); },
        kMost
    );
}

}  // namespace wl::diagnosis
