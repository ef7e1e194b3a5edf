// Secants, all groups at once: an element follows what its own writer has there.
#include "instrumentation/diagnosis/search/angelic/solve_sites.h"

#include <algorithm>
#include <cmath>

namespace wl::diagnosis {

namespace {

// Two differences of a group, what was left of its worst element with the first, and what a difference is
// worth to it.
struct Secant {
    double x0 = 0, x1 = 0, r0 = 0, slope = 0;
};

// The next difference of each group; false: an element does not follow. What an element is stored as jumps:
// of small steps the slope says nothing.
bool step(const HoleBench& b, const std::vector<Begin>& begin, const Outcome& o, std::vector<Secant>& all) {
    constexpr double kJumps = 16;
    for (size_t g = 0; g < begin.size(); ++g) {
        if (begin[g].pivot < 0) continue;
        const Element& e = b.elements[static_cast<size_t>(begin[g].pivot)];
        Secant& s = all[g];
        const double r = o.got[static_cast<size_t>(begin[g].pivot)] - e.reference;
        if (!std::isfinite(r)) return false;
        const bool wide = std::fabs(r - s.r0) > kJumps * e.step || s.slope == 0;
        const double slope = wide ? (r - s.r0) / (s.x1 - s.x0) : s.slope, next = s.x1 - r / slope;
        if (!std::isfinite(next)) return false;
        s = {s.x1, next, r, slope};
    }
    return true;
}

// As good as right: what is left is of how elements are stored.
bool is_right(const HoleBench& b, const Outcome& o) {
    for (size_t k = 0; k < b.elements.size(); ++k) {
        const Element& e = b.elements[k];
        if (!(std::fabs(o.got[k] - e.reference) <= e.limit + e.step)) return false;
    }
    return o.trial.incidents.empty();
}

double left_of(const HoleBench& b, const Outcome& o) {
    constexpr double kMost = 1e12, kLeast = 1e-30;
    double out = 0;
    for (size_t k = 0; k < b.elements.size(); ++k) {
        const Element& e = b.elements[k];
        const double off = std::fabs(o.got[k] - e.reference);
        if (!(off <= e.limit))
            out += std::isfinite(off) ? std::min(off / std::max(e.limit, kLeast), kMost) : kMost;
    }
    return out;
}

std::vector<float> spread(const Groups& g, const std::vector<Secant>& all) {
    std::vector<float> out(g.of_turn.size());
    for (size_t k = 0; k < out.size(); ++k)
        out[k] = static_cast<float>(all[static_cast<size_t>(g.of_turn[k])].x1);
    return out;
}

// Each group sees one value, once a thread: a factor of it is a difference.
bool is_uniform(const Groups& g, const std::vector<Begin>& begin, const Outcome& o) {
    for (size_t k = 0; k < g.of_turn.size(); ++k) {
        const Begin& of = begin[static_cast<size_t>(g.of_turn[k])];
        const int turn = static_cast<int>(k % kTurns), times = o.times[k / kTurns];
        if (of.pivot >= 0 && times > turn && (times > 1 || o.seen[k] != of.was)) return false;
    }
    return true;
}

// One difference for all, and what came of it.
struct Probe {
    bool scales = false;
    double by = 0;
    Outcome outcome;
};

// What is left may be as much as the rounding of a right program is: far less than it may be at most.
Needed needed_by(
    const HoleBench& b,
    const std::vector<Begin>& begin,
    const std::vector<Secant>& all,
    const Probe& probe,
    bool uniform
) {
    constexpr double kOfLimit = 0.0625;
    Needed out;
    out.scales = probe.scales && !uniform;
    std::vector<Needed::Place> needed, kept;
    for (size_t g = 0; g < begin.size(); ++g) {
        const Begin& of = begin[g];
        if (!of.counts() || of.turn < 0) continue;
        const bool right = of.pivot < 0;
        const auto k = static_cast<size_t>(right ? of.kept : of.pivot);
        const Element& e = b.elements[k];
        const double times = probe.scales && uniform ? of.was : 1, by = right ? 0 : times * all[g].x1;
        const double value = out.scales ? 1 + by : of.was + by;
        const double follows = right ? (probe.outcome.got[k] - e.got) / probe.by : all[g].slope;
        const double slope = std::fabs(follows / times), off = std::max(kOfLimit * e.limit, e.step);
        const double allowed = kRounding * std::fabs(value) + (slope > 0 ? off / slope : 0);
        (right ? kept : needed)
            .push_back({of.turn / kTurns, static_cast<int>(of.turn % kTurns), of.was, by, allowed});
    }
    // Of both kinds in turn: whoever takes some of them has both.
    for (size_t k = 0; k < std::max(needed.size(), kept.size()); ++k) {
        if (k < needed.size()) out.places.push_back(needed[k]);
        if (k < kept.size()) out.places.push_back(kept[k]);
    }
    return out;
}

// Does every wrong element follow what is there?
bool all_follow(const HoleBench& b, const Outcome& o) {
    for (size_t k = 0; k < b.elements.size(); ++k)
        if (b.elements[k].bad && (o.got[k] == b.elements[k].got || !std::isfinite(o.got[k]))) return false;
    return o.trial.finished;
}

// Could one difference a group mend all of its elements, as far as they follow in proportion?
bool may_mend(const HoleBench& b, const Groups& g, const Probe& probe) {
    constexpr double kApart = 2.5, kJumps = 8;
    struct Range {
        double least = 0, most = 0;
    };
    std::vector<std::optional<Range>> needs(static_cast<size_t>(g.count));
    const auto follows = [&](size_t k) { return probe.outcome.got[k] - b.elements[k].got; };
    for (size_t k = 0; k < b.elements.size(); ++k) {
        const Element& e = b.elements[k];
        if (!e.bad || g.of_element[k] < 0 || std::fabs(follows(k)) <= kJumps * e.step) continue;
        const double need = (e.reference - e.got) * probe.by / follows(k);
        auto& of = needs[static_cast<size_t>(g.of_element[k])];
        of = of ? Range{std::min(of->least, need), std::max(of->most, need)} : Range{need, need};
        if (of->least * of->most < 0) return false;
        if (std::max(std::fabs(of->least), std::fabs(of->most)) >
            kApart * std::min(std::fabs(of->least), std::fabs(of->most)))
            return false;
    }
    for (size_t k = 0; k < b.elements.size(); ++k) {
        const Element& e = b.elements[k];
        if (e.bad || g.of_element[k] < 0 || !needs[static_cast<size_t>(g.of_element[k])]) continue;
        const Range& need = *needs[static_cast<size_t>(g.of_element[k])];
        const double moved =
            std::fabs(follows(k) / probe.by) * std::min(std::fabs(need.least), std::fabs(need.most)) / kApart;
        if (moved > 2 * e.limit + kJumps * e.step) return false;
    }
    return true;
}

std::optional<Needed> solved(HoleBench& b, size_t site, const Groups& g, const Probe& probe) {
    constexpr int kMostSteps = 7, kBehind = 2;
    const std::vector<Begin> begin = begin_of(b, g, probe.outcome);
    if (begin.empty()) return std::nullopt;
    std::vector<Secant> all(begin.size());
    for (size_t k = 0; k < begin.size(); ++k) {
        if (begin[k].pivot < 0) continue;
        const Element& e = b.elements[static_cast<size_t>(begin[k].pivot)];
        all[k] = {0, probe.by, e.got - e.reference, 0};
    }
    if (!step(b, begin, probe.outcome, all)) return std::nullopt;
    double before = left_of(b, probe.outcome);
    int mended_at = -1;
    for (int n = 0; n < kMostSteps; ++n) {
        const Outcome o = run_with(b, static_cast<int>(site), probe.scales, spread(g, all));
        if (!o.trial.finished) return std::nullopt;
        const bool good = is_right(b, o);
        if (good && mended_at < 0) mended_at = n;
        const std::vector<Secant> at = all;
        const bool follows = step(b, begin, o, all);
        if (mended_at >= 0 && (!good || !follows || n - mended_at == kBehind || n + 1 == kMostSteps))
            return needed_by(b, begin, at, probe, is_uniform(g, begin, probe.outcome));
        if (mended_at >= 0) continue;
        if (!follows) return std::nullopt;
        const double left = left_of(b, o);
        constexpr double kSlower = 0.9;
        if (n > 0 && left > kSlower * before) return std::nullopt;
        before = left;
    }
    return std::nullopt;
}

bool sees_zero(const Outcome& o) {
    for (size_t t = 0; t < o.times.size(); ++t)
        for (int n = 0; n < std::min(o.times[t], kTurns); ++n)
            if (o.seen[t * kTurns + static_cast<size_t>(n)] == 0) return true;
    return false;
}

// By a part of what is there, or of what is there as a rule.
Probe probe_of(HoleBench& b, size_t site, bool scales, const std::vector<float>& seen) {
    Probe out{scales, kPart, {}};
    if (!scales) {
        std::vector<double> sizes;
        for (const float v : seen)
            if (v != 0 && std::isfinite(v)) sizes.push_back(std::fabs(static_cast<double>(v)));
        const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
        std::nth_element(sizes.begin(), middle, sizes.end());
        if (!sizes.empty()) out.by *= *middle;
    }
    const std::vector<float> by(static_cast<size_t>(b.threads) * kTurns, static_cast<float>(out.by));
    out.by = by.front();
    out.outcome = run_with(b, static_cast<int>(site), scales, by);
    return out;
}

}  // namespace

std::optional<Needed> needed_at(HoleBench& b, size_t site) {
    std::vector<float> seen;
    std::optional<Probe> last;
    b.follow = b.repeats = false;
    for (const bool scales : {true, false}) {
        Probe probe = probe_of(b, site, scales, seen);
        seen = b.seen = probe.outcome.seen;
        const std::vector<int>& times = probe.outcome.times;
        b.repeats = std::any_of(times.begin(), times.end(), [](int n) { return n > 1; });
        if (!all_follow(b, probe.outcome)) {
            // Who does not follow a part of what is there follows no other difference, unless that is zero.
            if (!sees_zero(probe.outcome)) return std::nullopt;
            continue;
        }
        b.follow = true;
        for (const Alike alike : {Alike::all, Alike::block, Alike::thread}) {
            const Groups g = groups_of(b, alike);
            if (!may_mend(b, g, probe)) continue;
            if (auto out = solved(b, site, g, probe)) {
                out->site = site, out->alike = alike;
                return out;
            }
        }
        const auto beside = groups_beside_shared(b, static_cast<int>(site), probe.by, scales);
        if (beside && may_mend(b, *beside, probe))
            if (auto out = solved(b, site, *beside, probe)) {
                out->site = site, out->alike = Alike::thread;
                return out;
            }
        last = std::move(probe);
    }
    if (!last) return std::nullopt;
    const std::optional<Groups> turns = groups_by_turn(b, static_cast<int>(site), last->outcome);
    if (!turns || !may_mend(b, *turns, *last)) return std::nullopt;
    auto out = solved(b, site, *turns, *last);
    if (out) out->site = site, out->alike = Alike::turn;
    return out;
}

namespace {

// Do all threads' turns of a group make one sum: does it come right with all that it lacks at its first turn?
bool is_added_up(HoleBench& b, const Groups& g, const Needed& n, const std::vector<double>& turns) {
    std::vector<float> by(static_cast<size_t>(b.threads) * kTurns);
    for (const Needed::Place& p : n.places) {
        const auto at = static_cast<size_t>(p.thread * kTurns);
        by[at] = static_cast<float>(p.by * turns[static_cast<size_t>(g.of_turn[at])]);
    }
    const Outcome o = run_with(b, static_cast<int>(n.site), false, std::move(by));
    return o.trial.finished && is_right(b, o);
}

std::optional<SumNeeded> sum_of(
    HoleBench& b, const Groups& g, const Needed& n, const std::vector<int>& times
) {
    std::vector<double> turns(static_cast<size_t>(g.count));
    for (size_t t = 0; t < times.size(); ++t) turns[static_cast<size_t>(g.of_turn[t * kTurns])] += times[t];
    if (!is_added_up(b, g, n, turns)) return std::nullopt;
    SumNeeded out{n.site, false, {}};
    std::vector<int> at(static_cast<size_t>(g.count), -1);
    for (const Needed::Place& p : n.places) {
        const auto group = static_cast<size_t>(g.of_turn[static_cast<size_t>(p.thread * kTurns)]);
        if (turns[group] < 2 || at[group] >= 0) continue;
        at[group] = static_cast<int>(out.groups.size());
        out.groups.push_back(
            {{}, static_cast<int64_t>(turns[group]), p.by * turns[group], p.allowed * turns[group]}
        );
    }
    for (size_t t = 0; t < times.size(); ++t) {
        const int group = at[static_cast<size_t>(g.of_turn[t * kTurns])];
        if (times[t] > 0 && group >= 0)
            out.groups[static_cast<size_t>(group)].threads.push_back(static_cast<int64_t>(t));
    }
    return out.groups.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

std::optional<SumNeeded> sum_needed_at(HoleBench& b, size_t site) {
    const Probe probe = probe_of(b, site, false, b.seen);
    if (!all_follow(b, probe.outcome)) return std::nullopt;
    std::vector<Groups> all = {groups_of(b, Alike::thread), groups_of(b, Alike::block)};
    if (auto g = groups_beside_shared(b, static_cast<int>(site), probe.by, false))
        all.push_back(std::move(*g));
    for (const Groups& g : all) {
        if (!may_mend(b, g, probe)) continue;
        std::optional<Needed> n = solved(b, site, g, probe);
        if (!n) continue;
        n->site = site;
        if (auto out = sum_of(b, g, *n, probe.outcome.times)) return out;
    }
    return std::nullopt;
}

std::optional<Alteration> alteration_of(HoleBench& b, size_t number, size_t most) {
    for (size_t k = 0; k < std::min(most, kAlterations.size()); ++k) {
        const Alteration& a = kAlterations[k];
        const double by = a.sign == '*' ? a.number - 1 : a.sign == '-' ? -a.number : a.number;
        const std::vector<float> all(static_cast<size_t>(b.threads) * kTurns, static_cast<float>(by));
        const Outcome o = run_with(b, static_cast<int>(number), a.sign == '*', all);
        if (o.trial.finished && is_right(b, o)) return a;
    }
    return std::nullopt;
}

}  // namespace wl::diagnosis
