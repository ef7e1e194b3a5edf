// Pairs of changes in the order in which they are worth trying.
#include "instrumentation/diagnosis/search/pairs.h"

#include "instrumentation/diagnosis/search/source_change.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;

constexpr size_t kMostHelpful = 6;  // changes that all others are tried with
constexpr size_t kMostOfSlot = 2;   // of these, of one statement
constexpr size_t kMostAlike = 6;    // places of one change
constexpr size_t kTexts = 160;      // changes of one text
constexpr int64_t kLeastGain = 50;  // of 1000 wrong elements
constexpr size_t kTriedAfter = 16;  // pairs after the first that mends that are tried as well

// What makes the most elements right, one or two of a statement.
std::vector<size_t> helpful(const SourceTrials& t) {
    std::vector<size_t> all, out;
    for (size_t k = 0; k < t.all.size(); ++k)
        if (t.slot[k] >= 0 && t.gains[k] >= kLeastGain) all.push_back(k);
    std::stable_sort(all.begin(), all.end(), [&](size_t a, size_t b) { return t.gains[a] > t.gains[b]; });
    for (const size_t k : all) {
        const auto of_slot = static_cast<size_t>(std::count_if(out.begin(), out.end(), [&](size_t o) {
            return t.slot[o] == t.slot[k];
        }));
        if (of_slot < kMostOfSlot && out.size() < kMostHelpful) out.push_back(k);
    }
    return out;
}

using Batch = std::vector<Pair>;

// One change at two places, `kTexts` changes a text.
std::vector<Batch> alike(const SourceTrials& t) {
    std::map<std::tuple<std::string_view, std::string_view>, std::vector<size_t>> groups;
    for (size_t k = 0; k < t.all.size(); ++k)
        if (t.slot[k] >= 0 && !t.all[k].was.empty()) groups[{t.all[k].was, t.all[k].now}].push_back(k);
    std::vector<std::vector<size_t>> of_two;
    for (auto& [text, group] : groups)
        if (group.size() > 1) of_two.push_back(std::move(group));
    std::sort(of_two.begin(), of_two.end());  // the likeliest first
    std::vector<Batch> out(1);
    size_t changes = 0;
    for (std::vector<size_t>& group : of_two) {
        if (group.size() > kMostAlike) group.resize(kMostAlike);
        if (changes + group.size() > kTexts / 2) out.emplace_back(), changes = 0;
        changes += group.size();
        for (size_t a = 0; a < group.size(); ++a)
            for (size_t b = a + 1; b < group.size(); ++b)
                if (t.slot[group[a]] != t.slot[group[b]]) out.back().push_back({group[a], group[b]});
    }
    std::erase_if(out, [](const Batch& b) { return b.empty(); });
    return out;
}

std::vector<Batch> with_helpful(const SourceTrials& t, const std::vector<size_t>& helpful) {
    std::vector<Batch> out;
    if (helpful.empty()) return out;
    size_t changes = kTexts;
    for (size_t k = 0; k < t.all.size(); ++k) {
        if (t.slot[k] < 0) continue;
        if (changes++ == kTexts) out.emplace_back(), changes = 1;
        for (const size_t h : helpful)
            if (t.slot[h] != t.slot[k]) out.back().push_back({k, h});
    }
    std::erase_if(out, [](const Batch& b) { return b.empty(); });
    return out;
}

// Both as one; it is told by the place that the wrong values lead to.
Rewrite joined(const Rewrite& a, const Rewrite& b) {
    const bool second =
        std::tuple(b.suspicion_rank, -b.log_prior) < std::tuple(a.suspicion_rank, -a.log_prior);
    Rewrite out = second ? b : a;
    const Rewrite& other = second ? a : b;
    out.edits.insert(out.edits.end(), other.edits.begin(), other.edits.end());
    std::stable_sort(out.edits.begin(), out.edits.end(), [](const rewrite::Edit& x, const rewrite::Edit& y) {
        return x.begin < y.begin;
    });
    out.besides = {
        {other.was, other.now, other.line}
    };
    return out;
}

}  // namespace

void search_pairs(SourceTrials& t, SearchResult& out) {
    std::vector<Batch> batches = with_helpful(t, helpful(t)), same = alike(t);
    batches.insert(batches.begin() + (batches.empty() ? 0 : 1), same.begin(), same.end());
    std::vector<size_t> from;
    std::vector<Pair> pairs;
    for (const Batch& b : batches)
        from.push_back(pairs.size()), pairs.insert(pairs.end(), b.begin(), b.end());
    CandidateQueue& h = t.queue;
    const size_t tried_after = std::exchange(h.tried_after, kTriedAfter);
    const auto one = [&](size_t k) { return joined(t.all[pairs[k].first], t.all[pairs[k].second]); };
    Prove both{
        [&](size_t k) { return where_in(t.unit, one(k).line); },
        [&](size_t k) { return proven_by_compiler(t, one(k)); }};
    Prove alone = std::exchange(h.prove, std::move(both));
    std::vector<std::vector<size_t>> tried(batches.size());
    const size_t kept = in_turn(h, threads_of(t.e.options), batches.size(), [&] {
        const auto prover = std::make_shared<Prover>(t.e);
        return [&, prover](size_t n) {
            if (!is_over(h, from[n])) tried[n] = try_pairs(t, *prover, batches[n], from[n]);
        };
    });
    if (kept < batches.size()) forget(h, [&](size_t k) { return k >= from[kept]; });
    for (size_t n = 0; n < kept; ++n)
        for (const size_t k : tried[n]) h.tried += k <= last_needed(h) ? 1 : 0;
    take_proven(h, out);
    h.tried_after = tried_after, h.prove = std::move(alone);
}

}  // namespace wl::diagnosis
