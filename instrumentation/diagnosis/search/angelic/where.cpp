// Actions, the places at which they are right, and conditions that hold there.
#include "instrumentation/diagnosis/search/angelic/where.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/angelic/actions.h"
#include "instrumentation/diagnosis/search/angelic/form.h"
#include "instrumentation/diagnosis/search/angelic/rows.h"
#include "instrumentation/diagnosis/search/angelic/site_runs.h"
#include "instrumentation/diagnosis/search/angelic/taken.h"
#include "instrumentation/diagnosis/search/solve.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace wl::diagnosis {

namespace {

constexpr size_t kMostActions = 320;
constexpr size_t kMostConditions = 12;  // of one action
constexpr size_t kFewest = 8;           // places without which any condition fits

using Opened = Taken<Action>;

bool is_right(const Element& e, double got) { return std::fabs(got - e.reference) <= e.limit; }

// Of each element what becomes of it where the turns of `by` do it: right, wrong, or as it is.
enum class Becomes : uint8_t { same, right, wrong };
std::optional<std::vector<Becomes>> become(HoleBench& b, size_t action, std::vector<float> by) {
    const Outcome o = run_with(b, static_cast<int>(action), false, std::move(by));
    if (!o.trial.finished) return std::nullopt;
    std::vector<Becomes> out;
    for (size_t k = 0; k < b.elements.size(); ++k) {
        const bool right = is_right(b.elements[k], o.got[k]);
        out.push_back(right == !b.elements[k].bad ? Becomes::same : right ? Becomes::right : Becomes::wrong);
    }
    return out;
}

bool all_right(const HoleBench& b, const std::vector<Becomes>& all) {
    for (size_t k = 0; k < all.size(); ++k)
        if (all[k] == Becomes::wrong || (all[k] == Becomes::same && b.elements[k].bad)) return false;
    return true;
}

// By thread and turn, where it has to be done, where it must not be.
struct Places {
    std::map<std::pair<int64_t, int>, bool> done;
};

std::vector<float> turns_of(const HoleBench& b, const Places& places, bool whole_thread) {
    std::vector<float> by(static_cast<size_t>(b.threads) * kTurns);
    for (const auto& [place, done] : places.done)
        for (int turn = 0; turn < kTurns; ++turn)
            if (done && (whole_thread || turn == place.second))
                by[static_cast<size_t>(place.first) * kTurns + static_cast<size_t>(turn)] = 1;
    return by;
}

// False: it would have to be done and not be done at one of them.
bool add_places(const HoleBench& b, const std::vector<Becomes>& all, int turn, Places& out) {
    for (size_t k = 0; k < all.size(); ++k) {
        if (all[k] == Becomes::same) continue;
        if (b.elements[k].thread < 0) return false;
        const bool done = all[k] == Becomes::right;
        const auto [known, fresh] = out.done.try_emplace({b.elements[k].thread, turn}, done);
        if (!fresh && known->second != done) return false;
    }
    return true;
}

// Where an element is its own thread's, and of several turns of one.
std::optional<Places> places_of(HoleBench& b, size_t action) {
    std::vector<float> ones(static_cast<size_t>(b.threads) * kTurns, 1);
    const auto always = become(b, action, std::move(ones));
    if (!always) return std::nullopt;
    for (size_t k = 0; k < always->size(); ++k)
        if (b.elements[k].bad && (*always)[k] != Becomes::right) return std::nullopt;
    Places out;
    if (add_places(b, *always, 0, out)) {
        const auto some = become(b, action, turns_of(b, out, true));
        return some && all_right(b, *some) ? std::optional(out) : std::nullopt;
    }
    out.done.clear();
    for (int turn = 0; turn < kTurns; ++turn) {
        std::vector<float> by(static_cast<size_t>(b.threads) * kTurns);
        for (size_t k = static_cast<size_t>(turn); k < by.size(); k += kTurns) by[k] = 1;
        const auto one = become(b, action, std::move(by));
        if (!one || !add_places(b, *one, turn, out)) return std::nullopt;
    }
    const auto some = become(b, action, turns_of(b, out, false));
    if (!some || !all_right(b, *some)) return std::nullopt;
    // The last turn stands for all behind it.
    std::erase_if(out.done, [](const auto& place) { return place.first.second == kTurns - 1; });
    return out;
}

struct Found {
    size_t action = 0;
    Places places;
};

std::vector<Found> found_in(SourceTrials& t, const Opened& text, const Launch& launch, bool whole) {
    std::vector<Found> out;
    std::mutex lock;
    const auto look = [&](HoleBench& bench, size_t k) {
        auto places = places_of(bench, k);
        const std::scoped_lock hold(lock);
        if (places) out.push_back({k, std::move(*places)});
    };
    const size_t kept = on_benches(t, {text.ptx, launch, whole, false}, text.items.size(), look);
    std::erase_if(out, [&](const Found& f) { return f.action >= kept; });
    std::sort(out.begin(), out.end(), [](const Found& a, const Found& b) { return a.action < b.action; });
    return out;
}

// As many of either kind.
std::vector<std::pair<std::pair<int64_t, int>, bool>> sample_of(const Places& places) {
    constexpr size_t kMostOfKind = 128;
    std::vector<std::pair<std::pair<int64_t, int>, bool>> out;
    for (const bool kind : {true, false}) {
        size_t count = 0, taken = 0, seen = 0;
        for (const auto& [place, done] : places.done) count += done == kind ? 1 : 0;
        for (const auto& [place, done] : places.done)
            if (done == kind && seen++ * kMostOfKind >= taken * count && taken < kMostOfKind)
                ++taken, out.emplace_back(place, done);
    }
    return out;
}

std::vector<rewrite::Rewrite> changes_of(
    const SourceTrials& t,
    Prover& prover,
    const Action& action,
    const Found& found,
    const Launch& launch,
    bool whole
) {
    const auto places = sample_of(found.places);
    if (places.size() < kFewest) return {};
    Asked asked{std::vector<int>(static_cast<size_t>(launch.threads), -1), 0, kTurns, whole};
    for (const auto& [place, done] : places) {
        int& group = asked.group_of[static_cast<size_t>(place.first)];
        if (group < 0) group = asked.groups++;
    }
    const Rows rows = rows_at(t, prover, action.at, known_at(t.source, action, kMostAtHand), asked);
    std::vector<AtHandValues> at_hand;
    for (const std::string& text : rows.texts) at_hand.push_back({text, {}});
    std::vector<uint8_t> where;
    for (const auto& [place, done] : places) {
        if (at_hand.empty()) return {};
        const auto group = static_cast<size_t>(asked.group_of[static_cast<size_t>(place.first)]);
        if (rows.of[group].size() <= static_cast<size_t>(place.second)) continue;
        const std::vector<double>& row = rows.of[group][static_cast<size_t>(place.second)];
        for (size_t k = 0; k < at_hand.size(); ++k) at_hand[k].at.push_back(row[k]);
        where.push_back(done != (action.kind == Action::Kind::skip) ? 1 : 0);
    }
    if (where.size() < kFewest) return {};
    std::vector<rewrite::Rewrite> out;
    for (const std::string& condition : conditions_where(at_hand, where, kMostConditions))
        out.push_back(done_where(t.source, action, condition));
    return out;
}

}  // namespace

void search_where(SourceTrials& t, const rewrite::SearchContext& context, SearchResult& out) {
    const Launch launch = launch_of(t);
    if (tries_on_device(t.e) || launch.threads > kMostThreads) return;
    constexpr int kMostRounds = 8;
    const Opened text = taken<Action>(
        t,
        actions_of(t.source, context, kMostActions),
        kMostRounds,
        [&](const std::vector<Action>& actions) { return with_actions(t.source, actions, launch.threads); }
    );
    if (text.ptx.empty()) return;
    const bool whole = counter(t.queue.setup.s.capture, "warp_instructions") < kQuick;
    std::vector<rewrite::Rewrite> all;
    try {
        Prover prover{t.e};
        for (const Found& f : found_in(t, text, launch, whole)) {
            if (is_late(t.queue)) break;
            std::vector<rewrite::Rewrite> some =
                changes_of(t, prover, text.items[f.action], f, launch, whole);
            all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
        }
    } catch (const Error&) {  // as found_in
    } catch (const Unsupported&) {}
    if (!all.empty()) try_others(t, all, out);
}

}  // namespace wl::diagnosis
