#include "instrumentation/order/history.h"

#include <algorithm>
#include <utility>

namespace wl::order {
namespace {

using Pieces = std::map<uint64_t, Piece>;

// So that a piece begins at `at`, if any lies there.
void split(Pieces& pieces, uint64_t at) {
    auto found = pieces.upper_bound(at);
    if (found == pieces.begin()) return;
    --found;
    if (found->first == at || found->second.end <= at) return;
    Piece rest = found->second;
    found->second.end = at;
    pieces.emplace_hint(std::next(found), at, std::move(rest));
}

struct Adding {
    OperationPointer operation;
    bool fences = false;
    bool compares = true;
    Found& found;
};

bool is_before(const Adding& now, const Entry& entry, bool early) {
    if (entry.operation->at == now.operation->at) return true;
    const Operation& o = *now.operation;
    return holds(early && o.early ? *o.early : o.before, entry.operation->at);
}

void add_race(const Adding& now, const Entry& e, const Touch& t, uint64_t begin, uint64_t end) {
    std::vector<Race>& races = now.found.races;
    const auto known = std::find_if(races.begin(), races.end(), [&](const Race& r) {
        return r.first == e.operation && r.one.site == e.site && r.one.write == e.write &&
            r.two.site == t.site && r.two.write == t.write && r.two.early == t.early;
    });
    if (known != races.end()) {
        known->bytes += end - begin;
        return;
    }
    if (races.size() == kMostRaces) return;
    Race race;
    race.first = e.operation, race.second = now.operation;
    race.one.site = e.site, race.one.write = e.write, race.one.strong = e.strong;
    race.two = t;
    race.begin = begin, race.end = end, race.bytes = end - begin;
    races.push_back(std::move(race));
}

void compare(const Adding& now, const Piece& piece, uint64_t begin, const Touch& t) {
    for (const Entry& e : piece.entries) {
        if (!(e.write || t.write) || is_before(now, e, t.early)) continue;
        // A launch may write, fence and then let dependents begin, which see that before they wait.
        const bool handed = t.early ? e.write && e.fences : e.write && !t.write && e.fences && now.fences;
        if (t.early ? !handed : !(e.strong && t.strong)) {
            add_race(now, e, t, begin, piece.end);
            continue;
        }
        auto& all = now.found.handed_on;
        if (handed && std::find(all.begin(), all.end(), e.operation) == all.end()) all.push_back(e.operation);
    }
}

// A read that comes after another, and a write that comes after anything, stand for it. False: one that no
// later one stands for has lost its place.
bool leave(const Adding& now, Piece& piece, const Touch& t) {
    auto& entries = piece.entries;
    const bool written = std::any_of(entries.begin(), entries.end(), [&](const Entry& e) {
        return e.operation->at == now.operation->at && e.write && e.strong == t.strong;
    });
    if (written && !t.write) return true;
    std::erase_if(entries, [&](const Entry& e) {
        if (!t.write && e.write) return false;
        if (e.operation->at == now.operation->at) return e.write == t.write && e.strong == t.strong;
        return is_before(now, e, false);
    });
    const bool has_room = entries.size() < kMostEntries;
    if (!has_room) entries.erase(entries.begin());
    entries.push_back({now.operation, t.site, t.write, t.strong, now.fences});
    return has_room;
}

// False: as `leave`.
bool touch(Pieces& pieces, const Adding& now, const Touch& t) {
    if (t.begin >= t.end) return true;
    bool all = true;
    split(pieces, t.begin);
    split(pieces, t.end);
    uint64_t at = t.begin;
    auto next = pieces.lower_bound(t.begin);
    while (at < t.end) {
        if (next == pieces.end() || next->first > at) {  // nobody has been here
            const uint64_t end = next == pieces.end() ? t.end : std::min(t.end, next->first);
            if (!t.early) {
                const auto made = pieces.emplace_hint(next, at, Piece{end, {}});
                all = leave(now, made->second, t) && all;
            }
            at = end;
            continue;
        }
        if (now.compares) compare(now, next->second, next->first, t);
        if (!t.early) all = leave(now, next->second, t) && all;
        at = next->second.end;
        ++next;
    }
    return all;
}

void put(History& history, const Pending& p, bool compares, Found& found) {
    const Adding now{p.operation, p.fences, compares, found};
    history.full = history.full || p.touches->lost;
    const std::vector<Touch>& touches = made(*p.touches);
    // What a launch does early is compared before what it does at all is kept.
    for (const bool early : {true, false})
        for (const Touch& t : touches)
            if (t.early == early && !touch(history.pieces, now, t)) history.full = true;
    if (history.pieces.size() <= kMostPieces) return;
    history.pieces.clear();
    history.full = true;
}

void settle(History& history) {
    Found none;
    for (const Pending& p : history.pending) put(history, p, false, none);
    history.pending.clear();
    history.pending_touches = 0;
    history.full = history.full || history.forgot;
}

bool stays_pending(const History& history, const Operation& operation) {
    if (!history.pieces.empty() || operation.early) return false;
    return history.pending.empty() || history.pending.front().operation->at.timeline == operation.at.timeline;
}

// The same work again stands for what it did before.
bool replaces(const Pending& now, Pending& before) {
    const auto is_made = [](const Pending& p) { return !p.touches->make && !p.touches->lost; };
    const bool same = before.operation->label == now.operation->label && before.fences == now.fences &&
        (before.touches == now.touches ||
         (is_made(before) && is_made(now) && before.touches->all == now.touches->all));
    if (same) before.operation = now.operation;
    return same;
}

void wait(History& history, Pending now) {
    constexpr size_t kLatest = 8;
    auto& all = history.pending;
    const auto first = all.size() > kLatest ? all.end() - kLatest : all.begin();
    if (std::any_of(first, all.end(), [&](Pending& before) { return replaces(now, before); })) return;
    // What is lost needs no place.
    history.forgot |= std::erase_if(all, [](const Pending& p) { return p.touches->lost; }) > 0;
    history.pending_touches += now.touches->all.size();
    all.push_back(std::move(now));
    size_t gone = 0;
    for (; history.pending_touches > kMostPending && gone + 1 < all.size(); ++gone)
        history.pending_touches -= all[gone].touches->all.size();
    if (gone == 0) return;
    history.forgot = true;
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(gone));
}

}  // namespace

const std::vector<Touch>& made(Touches& touches) {
    if (touches.make) touches.all = touches.make(), touches.make = nullptr;
    return touches.all;
}

Found add(History& history, const OperationPointer& operation, const TouchesPointer& touches, bool fences) {
    Found found;
    Pending now{operation, touches, fences};
    if (stays_pending(history, *operation)) {
        wait(history, std::move(now));
        return found;
    }
    settle(history);
    put(history, now, true, found);
    // What comes before who hands on is handed on with it.
    const auto handed = [&](const Race& r) {
        return std::any_of(found.handed_on.begin(), found.handed_on.end(), [&](const OperationPointer& o) {
            return o == r.first || holds(o->before, r.first->at);
        });
    };
    std::erase_if(found.races, handed);
    return found;
}

Clock written_by(History& history, uint64_t begin, uint64_t end) {
    settle(history);
    Clock out;
    for (const auto& [at, piece] : history.pieces) {
        if (piece.end <= begin || end <= at) continue;
        for (const Entry& e : piece.entries) {
            if (!e.write || !e.fences) continue;
            join(out, e.operation->before);
            add(out, e.operation->at);
        }
    }
    return out;
}

void clear(History& history) {
    history.pieces.clear();
    history.pending.clear();
    history.pending_touches = 0;
    history.forgot = false;
}

}  // namespace wl::order
