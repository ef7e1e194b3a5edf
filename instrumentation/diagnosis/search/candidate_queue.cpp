// What several threads find, and its proofs in order.
#include "instrumentation/diagnosis/search/candidate_queue.h"

#include "instrumentation/base/os/stop.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace wl::diagnosis {

namespace {

constexpr size_t kMostProven = 4;  // lines that are told

using Proven = std::vector<std::pair<size_t, Mended>>;

bool is_same_line(const capture::Where& a, const capture::Where& b) {
    return a.line == b.line && a.file == b.file;
}

// What overfits its shape may yield to another change of its line; of a kernel that takes no other shape all
// is.
bool is_told(const Proven& all, const capture::Where& where, size_t before) {
    constexpr auto kMostFrail = 6;
    const bool frail_too = std::count_if(all.begin(), all.end(), [](const auto& p) {
                               return p.second.overfits_shape;
                           }) >= kMostFrail;
    return std::any_of(all.begin(), all.end(), [&](const auto& p) {
        return p.first < before && (frail_too || !p.second.overfits_shape) &&
            is_same_line(p.second.where, where);
    });
}

// Of the places at which one barrier mends, which are as good, the first one is told first.
void put_first_place_first(Proven& all) {
    const auto is_barrier = [](const Mended& m) { return m.was.empty() && m.rule.starts_with("race_"); };
    if (all.empty() || !is_barrier(all.front().second)) return;
    const Mended& told = all.front().second;
    size_t first = 0;
    for (size_t k = 1; k < all.size(); ++k) {
        const Mended& m = all[k].second;
        const bool same = is_barrier(m) && m.now == told.now && m.overfits_shape == told.overfits_shape &&
            m.where.file == told.where.file;
        if (same && m.where.line < all[first].second.where.line) first = k;
    }
    std::rotate(
        all.begin(),
        all.begin() + static_cast<std::ptrdiff_t>(first),
        all.begin() + static_cast<std::ptrdiff_t>(first) + 1
    );
}

// Lines that are told before this change.
size_t told_before(const Proven& all, size_t change) {
    std::set<std::pair<std::string, int>> lines;
    for (const auto& [before, mended] : all)
        if (before < change) lines.emplace(mended.where.file, mended.where.line);
    return lines.size();
}

constexpr size_t kTimes = 20, kFrailTimes = 5;  // as far as is looked around

// So far from a first change; none: it is not known.
size_t last_tried(size_t first, size_t tried_after) {
    return first == ~size_t{0} ? first : first + tried_after;
}

// After what overfits its shape another change is looked for, and for a while another that overfits its shape
// as well.
bool is_behind_frail(const CandidateQueue& h, size_t change, size_t times) {
    return change > last_tried(h.first_overfitting, times * h.tried_after);
}

bool is_behind_first(const CandidateQueue& h, size_t change) {
    return change > last_tried(h.first, h.tried_after);
}

}  // namespace

bool is_late(const CandidateQueue& h) {
    check_stop();
    const Work* own = counted_work();
    return *h.work + (own != nullptr && own != h.work ? own->load() : 0) > h.limit;
}

size_t last_needed(const CandidateQueue& h) {
    return std::min(
        last_tried(h.first, h.tried_after), last_tried(h.first_overfitting, kTimes * h.tried_after)
    );
}

bool is_over(const CandidateQueue& h, size_t change) { return is_late(h) || change > last_needed(h); }

void judge(CandidateQueue& h, size_t change, const Trial& trial, bool at_end) {
    if (!at_end && !mends(h.setup, trial)) return;
    const std::scoped_lock hold(h.proving);
    if (is_told(h.proven, h.prove.where(change), change)) {
        h.rivals.push_back(change);
        return;
    }
    if (told_before(h.proven, change) >= kMostProven) return;
    auto mended = h.prove.proven(change);
    const bool frail = mended && mended->overfits_shape && mended->does_more;
    if (!mended || is_behind_frail(h, change, frail ? kFrailTimes : kTimes)) return;
    const bool refuted = mended->overfits_shape && !mended->lacks.empty();  // by other values
    const bool doubtful =
        refuted || !mended->remains.empty() || !mended->left_out.empty() || !mended->behind.empty();
    std::atomic<size_t>& first = mended->overfits_shape ? h.first_overfitting : h.first;
    if (!doubtful) first = std::min<size_t>(first, change);
    (doubtful ? h.doubtful : h.proven).emplace_back(change, std::move(*mended));
}

void forget(CandidateQueue& h, const std::function<bool(size_t)>& which) {
    const auto forgotten = [&](const auto& p) { return which(p.first); };
    std::erase_if(h.proven, forgotten), std::erase_if(h.doubtful, forgotten);
    std::erase_if(h.rivals, which);
    h.first = h.first_overfitting = ~size_t{0};
    for (const auto& [change, mended] : h.proven) {
        std::atomic<size_t>& first = mended.overfits_shape ? h.first_overfitting : h.first;
        first = std::min<size_t>(first, change);
    }
}

namespace {

// This thread among them.
void on_threads(int threads, const std::function<void()>& work) {
    std::mutex lock;
    std::exception_ptr failure;
    const auto keep = [&] {
        try {
            work();
        } catch (...) {
            const std::scoped_lock hold(lock);
            failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        for (int t = 1; t < threads; ++t) others.emplace_back(keep);
        keep();
    }
    if (failure) std::rethrow_exception(failure);
}

// Numbers that threads take in turn.
struct Turns {
    std::mutex lock = {};
    size_t next = 0, settled = 0;  // all before that one have ended
    uint64_t spent = 0;            // on these
    std::vector<uint64_t> of = {};
    std::vector<uint8_t> ended = {};
};

}  // namespace

size_t in_turn(
    CandidateQueue& h, int threads, size_t count, const std::function<std::function<void(size_t)>()>& worker
) {
    Turns turns{.of = std::vector<uint64_t>(count), .ended = std::vector<uint8_t>(count)};
    const auto is_spent = [&] { return *h.work + turns.spent > h.limit; };
    const auto take = [&] {
        const std::scoped_lock hold(turns.lock);
        return is_spent() ? count : std::min(turns.next++, count);
    };
    const auto settle = [&](size_t number, uint64_t spent) {
        const std::scoped_lock hold(turns.lock);
        turns.of[number] = spent, turns.ended[number] = 1;
        while (turns.settled < count && turns.ended[turns.settled] != 0 && !is_spent())
            turns.spent += turns.of[turns.settled++];
    };
    on_threads(threads, [&] {
        std::function<void(size_t)> one;
        {
            const CountedWork each_thread(nullptr);
            one = worker();
        }
        for (size_t number = one ? take() : count; number < count; number = take()) {
            check_stop();
            Work own = 0;
            const CountedWork counted(&own);
            one(number);
            settle(number, own);
        }
    });
    *h.work += turns.spent;
    return turns.settled;
}

namespace {

// Of the lines that are reported, in order: which of them were proven as well depends on who was quicker.
void take_rivals(CandidateQueue& h, const Proven& all) {
    std::vector<size_t> first;  // of each line, in `all`
    for (size_t k = 0; k < all.size() && first.size() < kMostProven; ++k)
        if (std::none_of(first.begin(), first.end(), [&](size_t f) {
                return is_same_line(all[f].second.where, all[k].second.where);
            }))
            first.push_back(k);
    std::erase_if(h.rivals, [&](size_t change) { return is_behind_first(h, change); });
    for (const auto& [change, mended] : all) h.rivals.push_back(change);
    std::sort(h.rivals.begin(), h.rivals.end());
    h.rivals.erase(std::unique(h.rivals.begin(), h.rivals.end()), h.rivals.end());
    if (!h.prove.where) h.rivals.clear();
    std::erase_if(h.rivals, [&](size_t change) {
        const auto is_of = [&](size_t f) { return is_same_line(h.prove.where(change), all[f].second.where); };
        const auto is = [&](size_t f) { return all[f].first == change; };
        return std::any_of(first.begin(), first.end(), is) || std::none_of(first.begin(), first.end(), is_of);
    });
}

}  // namespace

void take_proven(CandidateQueue& h, SearchResult& out) {
    // What another thread had proven before the first one was: which these are depends on who was quicker.
    const bool more = std::all_of(h.proven.begin(), h.proven.end(), [&](const auto& p) {
        return p.second.does_more || is_behind_frail(h, p.first, kFrailTimes);
    });
    std::erase_if(h.proven, [&](const auto& p) {
        const Mended& m = p.second;
        const bool frail = m.overfits_shape && (m.does_more || !more);
        return is_behind_first(h, p.first) || is_behind_frail(h, p.first, frail ? kFrailTimes : kTimes);
    });
    // What takes more work than another that mends as well does something several times.
    constexpr uint64_t kPercent = 110;
    uint64_t least = ~uint64_t{0};
    for (const auto& [change, mended] : h.proven) least = std::min(least, mended.warp_instructions);
    const auto repeats = [&](const Mended& m) {
        return !m.expected && 100 * m.warp_instructions > kPercent * least;
    };
    const auto in_order = [&](const auto& a, const auto& b) {
        return std::tuple(a.second.overfits_shape, repeats(a.second), a.first) <
            std::tuple(b.second.overfits_shape, repeats(b.second), b.first);
    };
    std::sort(h.proven.begin(), h.proven.end(), in_order);
    std::sort(h.doubtful.begin(), h.doubtful.end(), in_order);
    put_first_place_first(h.proven);
    take_rivals(h, h.proven);
    for (auto& [change, mended] : h.proven) {
        const bool told =
            std::any_of(out.mended.begin(), out.mended.end(), [&, m = &mended](const Mended& o) {
                return is_same_line(o.where, m->where);
            });
        if (!told && out.mended.size() < kMostProven) out.mended.push_back(std::move(mended));
    }
    for (auto& [change, mended] : h.doubtful) out.doubtful.push_back(std::move(mended));
    h.proven.clear(), h.doubtful.clear(), h.first = h.first_overfitting = ~size_t{0};
}

}  // namespace wl::diagnosis
