// Groups by who wrote what, and by which turn is heard.
#include "instrumentation/diagnosis/search/angelic/groups.h"

#include <algorithm>
#include <cmath>

namespace wl::diagnosis {

namespace {

double excess_of(const Element& e) {
    constexpr double kLeast = 1e-30;
    return std::fabs(e.got - e.reference) / std::max(e.limit, kLeast);
}

// A wrong element that follows one group alone.
bool has_own(const HoleBench& b, const Groups& g) {
    for (size_t k = 0; k < b.elements.size(); ++k)
        if (b.elements[k].bad && g.of_element[k] >= 0) return true;
    return false;
}

}  // namespace

namespace {

// By a difference of even threads alone, and of odd ones: who changes with both.
std::vector<uint8_t> shared_elements(HoleBench& b, int site, double by, bool scales) {
    std::vector<uint8_t> changed(b.elements.size());
    for (const size_t odd : {size_t{0}, size_t{1}}) {
        std::vector<float> half(static_cast<size_t>(b.threads) * kTurns);
        for (size_t k = 0; k < half.size(); ++k)
            if (k / kTurns % 2 == odd) half[k] = static_cast<float>(by);
        const Outcome o = run_with(b, site, scales, std::move(half));
        for (size_t k = 0; k < changed.size(); ++k) changed[k] += o.got[k] != b.elements[k].got ? 1 : 0;
    }
    for (uint8_t& c : changed) c = c > 1 ? 1 : 0;
    return changed;
}

}  // namespace

std::optional<Groups> groups_beside_shared(HoleBench& b, int site, double by, bool scales) {
    if (b.outputs < 2) return std::nullopt;
    if (!b.shared) b.shared = shared_elements(b, site, by, scales);
    Groups g = groups_of(b, Alike::thread);
    bool any = false;
    for (size_t k = 0; k < b.shared->size(); ++k)
        if ((*b.shared)[k] != 0) g.of_element[k] = kShared, any = true;
    return any && has_own(b, g) ? std::optional(std::move(g)) : std::nullopt;
}

Groups groups_of(const HoleBench& b, Alike alike) {
    Groups g;
    const int64_t each = alike == Alike::thread ? 1 : alike == Alike::block ? b.block_threads : b.threads;
    g.count = (b.threads + each - 1) / each;
    for (int64_t t = 0; t < b.threads; ++t) g.of_turn.insert(g.of_turn.end(), kTurns, t / each);
    for (const Element& e : b.elements) g.of_element.push_back(e.thread / each);
    return g;
}

std::optional<Groups> groups_by_turn(HoleBench& b, int site, const Outcome& as_it_is) {
    const int most = *std::max_element(as_it_is.times.begin(), as_it_is.times.end());
    if (most < 2 || most > kTurns) return std::nullopt;
    Groups g;
    g.count = b.threads * kTurns;
    for (int64_t k = 0; k < g.count; ++k) g.of_turn.push_back(k);
    g.of_element.assign(b.elements.size(), -1);
    for (int turn = 0; turn < most; ++turn) {
        std::vector<float> by(as_it_is.seen.size());
        for (size_t k = static_cast<size_t>(turn); k < by.size(); k += kTurns)
            by[k] = static_cast<float>(kPart) * (as_it_is.seen[k] == 0 ? 1.0F : std::fabs(as_it_is.seen[k]));
        const Outcome o = run_with(b, site, false, std::move(by));
        if (!o.trial.finished) return std::nullopt;
        for (size_t k = 0; k < b.elements.size(); ++k) {
            if (o.got[k] == b.elements[k].got) continue;
            const bool several = g.of_element[k] != -1;
            g.of_element[k] = several ? kShared : b.elements[k].thread * kTurns + turn;
        }
    }
    return has_own(b, g) ? std::optional(std::move(g)) : std::nullopt;
}

std::vector<Begin> begin_of(const HoleBench& b, const Groups& g, const Outcome& o) {
    std::vector<Begin> out(static_cast<size_t>(g.count));
    for (size_t k = 0; k < b.elements.size(); ++k) {
        const int64_t group = g.of_element[k];
        if (!b.elements[k].bad && group >= 0 && o.got[k] != b.elements[k].got)
            out[static_cast<size_t>(group)].kept = static_cast<int64_t>(k);
        if (!b.elements[k].bad || group == kShared) continue;
        if (group < 0) return {};
        int64_t& pivot = out[static_cast<size_t>(g.of_element[k])].pivot;
        if (pivot < 0 || excess_of(b.elements[k]) > excess_of(b.elements[static_cast<size_t>(pivot)]))
            pivot = static_cast<int64_t>(k);
    }
    for (size_t k = 0; k < g.of_turn.size(); ++k) {
        Begin& of = out[static_cast<size_t>(g.of_turn[k])];
        const int turn = static_cast<int>(k % kTurns);
        if (!of.counts() || of.turn >= 0 || o.times[k / kTurns] <= turn) continue;
        of.turn = static_cast<int64_t>(k), of.was = o.seen[k];
    }
    const bool missed =
        std::any_of(out.begin(), out.end(), [](const Begin& of) { return of.pivot >= 0 && of.turn < 0; });
    return missed ? std::vector<Begin>{} : out;
}

}  // namespace wl::diagnosis
