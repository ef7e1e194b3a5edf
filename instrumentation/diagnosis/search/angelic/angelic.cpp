// Sites, what they need, and what that may be.
#include "instrumentation/diagnosis/search/angelic/angelic.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/search/angelic/form.h"
#include "instrumentation/diagnosis/search/angelic/rows.h"
#include "instrumentation/diagnosis/search/angelic/solve_sites.h"
#include "instrumentation/diagnosis/search/angelic/sum_form.h"
#include "instrumentation/diagnosis/search/angelic/taken.h"
#include "instrumentation/diagnosis/search/solve.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <mutex>
#include <numeric>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;

constexpr size_t kMostHoles = 160;
constexpr size_t kMostNeeded = 12;  // sites that expressions are made for
constexpr size_t kMostSums = 8;
constexpr size_t kMostForms = 6;  // of one

using Opened = Taken<AngelicSite>;

// The first text is what stands there.
Rows rows_of(const SourceTrials& t, Prover& prover, const AngelicSite& site, const Asked& asked) {
    std::vector<std::string> at_hand = at_hand_of(t.source, site, kMostAtHand);
    const std::string one = at_hand.front();
    Rows out = rows_at(t, prover, site, std::move(at_hand), asked);
    return out.texts.empty() || out.texts.front() != one ? Rows{} : std::move(out);
}

// What is at hand at the site, at the first of the places that need something; these alone are kept.
std::vector<AtHandValues> values_at(
    const SourceTrials& t, Prover& prover, const AngelicSite& site, Needed& needed, const Launch& launch
) {
    constexpr size_t kMostPlaces = 256;
    if (needed.places.size() > kMostPlaces) needed.places.resize(kMostPlaces);
    Asked asked{std::vector<int>(static_cast<size_t>(launch.threads), -1), 0, kTurns, needed.whole};
    for (const Needed::Place& p : needed.places) {
        int& group = asked.group_of[static_cast<size_t>(p.thread)];
        if (group < 0) group = asked.groups++;
    }
    const Rows rows = rows_of(t, prover, site, asked);
    std::vector<AtHandValues> out;
    for (const std::string& text : rows.texts) out.push_back({text, {}});
    for (const Needed::Place& p : needed.places) {
        if (out.empty()) break;
        const auto group = static_cast<size_t>(asked.group_of[static_cast<size_t>(p.thread)]);
        if (rows.of[group].size() <= static_cast<size_t>(p.turn)) return {};
        const std::vector<double>& row = rows.of[group][static_cast<size_t>(p.turn)];
        for (size_t k = 0; k < out.size(); ++k) out[k].at.push_back(row[k]);
    }
    return out;
}

// As many groups as are few rows, and at least what tells chance.
std::vector<std::string> sums_at(
    const SourceTrials& t,
    Prover& prover,
    const AngelicSite& site,
    const SumNeeded& needed,
    const Launch& launch
) {
    constexpr int64_t kMost = 1536;  // rows; of fewer groups than say enough more
    Asked asked{std::vector<int>(static_cast<size_t>(launch.threads), -1), 0, kMostRows, needed.whole};
    SumWanted wanted;
    int64_t rows = 0;
    for (const SumNeeded::Group& g : needed.groups) {
        if (rows + g.rows > (wanted.more.size() < kEnoughSums ? int64_t{kMostRows} : kMost)) continue;
        for (const int64_t thread : g.threads) asked.group_of[static_cast<size_t>(thread)] = asked.groups;
        rows += g.rows, ++asked.groups;
        wanted.more.push_back(g.more), wanted.allowed.push_back(g.allowed);
    }
    if (wanted.more.size() < kEnoughSums) return {};
    const Rows at_hand = rows_of(t, prover, site, asked);
    for (size_t g = 0; g < at_hand.of.size(); ++g)
        for (const std::vector<double>& row : at_hand.of[g])
            wanted.allowed[g] += kRounding * std::fabs(row[0]);
    return summed(at_hand, wanted, kMostForms);
}

const char* rule_of(const std::string& form, const std::string& was) {
    if (form.find(" ? ") != form.npos) return "wrong_condition";
    if (form.starts_with(was + " * ") || form.starts_with(was + " / ") || form.ends_with(" * " + was))
        return "missing_rescale";
    if (form.starts_with(was + " + ") || form.starts_with(was + " - ") || form.ends_with(" + " + was))
        return "partial_reduction";
    return "wrong_operand";
}

// `one`: what stands there, as an operand.
Rewrite change_of(
    const SourceTrials& t, const AngelicSite& site, const std::string& text, const std::string& one
) {
    const size_t begin = t.source.at(site.first).begin, length = t.source.at(site.last).end - begin;
    const std::string was = t.source.words(site.first, site.last);
    Rewrite r{rule_of(text, one), 2, was, text, site.line, {{begin, length, "(" + text + ")"}}};
    r.suspicion_rank = site.suspicion_rank, r.family = rewrite::Family::terms;
    return r;
}

void add_changes(
    const SourceTrials& t,
    Prover& prover,
    const AngelicSite& site,
    Needed& needed,
    const Launch& launch,
    std::vector<Rewrite>& out
) {
    std::vector<AtHandValues> at_hand = values_at(t, prover, site, needed, launch);
    if (at_hand.empty()) return;
    Wanted wanted;
    for (const Needed::Place& p : needed.places) {
        wanted.at.push_back(needed.scales ? 1 + p.by : p.was + p.by);
        wanted.allowed.push_back(p.allowed);
    }
    const std::string one = at_hand.front().text;
    // What it is multiplied by is made of anything but itself.
    if (needed.scales) at_hand.erase(at_hand.begin());
    std::vector<std::string> forms = formed(at_hand, needed.scales ? at_hand.size() : 0, wanted, kMostForms);
    if (!needed.scales)
        for (std::string& form : chosen(at_hand, 0, wanted, kMostForms)) forms.push_back(std::move(form));
    for (const std::string& form : forms) {
        const bool single = form.find(' ') == form.npos;
        const std::string factor = single ? form : "(" + form + ")";
        const std::string text = needed.scales ? fmt::format("{} * {}", one, factor) : form;
        Rewrite r = change_of(t, site, text, one);
        if (needed.places.size() < kEnoughPlaces)
            r.remark = fmt::format(
                "It is the shortest of expressions with the one value that mends, {:.6g} in place of {:.6g}; "
                "another one with that value does as well.",
                needed.scales ? needed.places.front().was * (1 + needed.places.front().by)
                              : needed.places.front().was + needed.places.front().by,
                needed.places.front().was
            );
        out.push_back(std::move(r));
    }
}

// The same at a site, or at all places of a set.
void add_alike(
    const SourceTrials& t,
    const std::vector<AngelicSite>& sites,
    size_t number,
    const Alteration& a,
    std::vector<Rewrite>& out
) {
    const bool factor = a.sign == '*';
    Rewrite r{factor ? "constant_factor" : "partial_reduction", 2, "", "", 0, {}};
    for (size_t k = 0; k < sites.size(); ++k) {
        const AngelicSite& h = sites[k];
        const bool open =
            number < sites.size() ? k == number : h.set == static_cast<int>(number - sites.size());
        if (!open) continue;
        const std::string was = t.source.words(h.first, h.last);
        const std::string e = rewrite::in_brackets(t.source, h.first, h.last);
        const std::string now = factor && a.number < 0 ? "-" + e
            : factor                                   ? fmt::format("{:.1f}f * {}", a.number, e)
                                                       : fmt::format("{} {} {:.1f}f", was, a.sign, a.number);
        const size_t begin = t.source.at(h.first).begin;
        r.edits.push_back({begin, t.source.at(h.last).end - begin, "(" + now + ")"});
        if (r.was.empty())
            r.was = was, r.now = now, r.line = h.line, r.suspicion_rank = h.suspicion_rank;
        else
            r.besides.push_back({was, now, h.line});
    }
    std::sort(r.edits.begin(), r.edits.end(), [](const auto& x, const auto& y) { return x.begin < y.begin; });
    r.family = rewrite::Family::terms;
    out.push_back(std::move(r));
}

// What is found out with sites, of those that the compiler took.
struct Found {
    std::vector<Needed> needed;
    std::vector<SumNeeded> sums;
    std::vector<std::pair<size_t, Alteration>> alterations;  // by number
};

// Of some sites and sets, on what changes are tried on, or on all blocks.
Found found_in(
    SourceTrials& t, const Opened& text, const Launch& launch, const std::vector<size_t>& sites, bool whole
) {
    Found out;
    std::mutex lock;
    const auto look = [&](HoleBench& bench, size_t number) {
        constexpr size_t kOfOne = 2;  // half, and twice as much: others follow from what it needs
        const bool one = number < text.items.size();
        std::optional<Needed> needed;
        if (one) needed = needed_at(bench, number);
        std::optional<Alteration> alteration;
        if (!needed && (!one || bench.follow))
            alteration = alteration_of(bench, number, one ? kOfOne : kAlterations.size());
        std::optional<SumNeeded> sum;
        const bool by_block = needed && needed->alike == Alike::block;
        if (one && bench.follow && (bench.repeats || by_block || !needed)) sum = sum_needed_at(bench, number);
        const std::scoped_lock hold(lock);
        if (sum) sum->whole = whole, out.sums.push_back(std::move(*sum));
        if (alteration) out.alterations.emplace_back(number, *alteration);
        if (needed) needed->whole = whole, out.needed.push_back(std::move(*needed));
    };
    const auto look_at = [&](HoleBench& bench, size_t k) { look(bench, sites[k]); };
    const size_t kept = on_benches(t, {text.ptx, launch, whole, true}, sites.size(), look_at);
    const size_t end = kept < sites.size() ? sites[kept] : ~size_t{0};
    std::erase_if(out.needed, [&](const Needed& n) { return n.site >= end; });
    std::erase_if(out.sums, [&](const SumNeeded& n) { return n.site >= end; });
    std::erase_if(out.alterations, [&](const auto& a) { return a.first >= end; });
    const auto earlier = [](const auto& a, const auto& b) { return a.site < b.site; };
    std::sort(out.needed.begin(), out.needed.end(), earlier);
    std::sort(out.sums.begin(), out.sums.end(), earlier);
    std::sort(out.alterations.begin(), out.alterations.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    return out;
}

// More blocks, more places that an expression has to fit.
Found found(SourceTrials& t, const Opened& text, const Launch& launch) {
    int sets = 0;
    for (const AngelicSite& h : text.items) sets = std::max(sets, h.set + 1);
    std::vector<size_t> sites(text.items.size() + static_cast<size_t>(sets));
    std::iota(sites.begin(), sites.end(), 0);
    Found out = found_in(t, text, launch, sites, false);
    const bool one = !t.queue.setup.block.blocks.empty() && launch.threads > launch.block_threads;
    if (!one || counter(t.queue.setup.s.capture, "warp_instructions") >= kQuick) return out;
    sites.clear();
    for (const Needed& n : out.needed) sites.push_back(n.site);
    for (const SumNeeded& n : out.sums) sites.push_back(n.site);
    for (const auto& [number, alteration] : out.alterations) sites.push_back(number);
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    return sites.empty() ? out : found_in(t, text, launch, sites, true);
}

// Of each site what its values, and what its sums, may be made of; in the order of the sites.
std::vector<Rewrite> changes_of(
    SourceTrials& t, const std::vector<AngelicSite>& sites, Found& found, const Launch& launch
) {
    const size_t values = found.needed.size(), all = values + found.sums.size();
    std::vector<std::vector<Rewrite>> by_hole(all);
    const auto look = [&](Prover& prover, size_t k) {
        if (k < values) {
            add_changes(t, prover, sites[found.needed[k].site], found.needed[k], launch, by_hole[k]);
            return;
        }
        const SumNeeded& sum = found.sums[k - values];
        const AngelicSite& site = sites[sum.site];
        const std::string one = at_hand_of(t.source, site, 1).front();
        for (const std::string& text : sums_at(t, prover, site, sum, launch))
            by_hole[k].push_back(change_of(t, site, text, one));
    };
    by_hole.resize(in_turn(t.queue, threads_of(t.e.options), all, [&] {
        const auto prover = std::make_shared<Prover>(t.e);
        return [&, prover](size_t k) {
            try {
                look(*prover, k);
            } catch (const Error&) {  // as found_in
                by_hole[k].clear();
            } catch (const Unsupported&) { by_hole[k].clear(); }
        };
    }));
    std::vector<Rewrite> out;
    for (std::vector<Rewrite>& each : by_hole)
        out.insert(out.end(), std::make_move_iterator(each.begin()), std::make_move_iterator(each.end()));
    return out;
}

}  // namespace

std::vector<Rewrite> search_needed(
    SourceTrials& t, const rewrite::SearchContext& context, SearchResult& out
) {
    const Launch launch = launch_of(t);
    if (tries_on_device(t.e) || launch.threads > kMostThreads) return {};
    constexpr int kMostRounds = 6;
    const Opened text = taken<AngelicSite>(
        t,
        angelic_sites_of(t.source, context, kMostHoles),
        kMostRounds,
        [&](const std::vector<AngelicSite>& sites) {
            return with_angelic_sites(t.source, sites, launch.threads);
        }
    );
    if (text.ptx.empty()) return {};
    Found all = found(t, text, launch);
    if (all.needed.size() > kMostNeeded) all.needed.resize(kMostNeeded);
    if (all.sums.size() > kMostSums) all.sums.resize(kMostSums);
    std::vector<Rewrite> many = changes_of(t, text.items, all, launch), few;
    for (const auto& [number, alteration] : all.alterations)
        add_alike(t, text.items, number, alteration, many);
    const auto says_enough = [](const Rewrite& r) { return r.remark.empty(); };
    const auto behind = std::stable_partition(many.begin(), many.end(), says_enough);
    few.assign(std::make_move_iterator(behind), std::make_move_iterator(many.end()));
    many.erase(behind, many.end());
    const auto shorter = [](const Rewrite& a, const Rewrite& b) { return a.now.size() < b.now.size(); };
    std::stable_sort(many.begin(), many.end(), shorter), std::stable_sort(few.begin(), few.end(), shorter);
    if (!many.empty()) try_others(t, many, out);
    return few;
}

}  // namespace wl::diagnosis
