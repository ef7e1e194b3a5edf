// What several threads find, and its proofs in order.
#include "instrumentation/diagnosis/search/hunt.h"

#include <algorithm>
#include <thread>
#include <tuple>

namespace wl::diagnosis {

namespace {

constexpr size_t kMostProven = 4;  // lines that are told
constexpr auto kBehind = std::chrono::seconds(2);

using Proven = std::vector<std::pair<size_t, Mended>>;

bool is_told(const Proven& all, const capture::Where& where, size_t before) {
    return std::any_of(all.begin(), all.end(), [&](const auto& p) {
        const capture::Where& w = p.second.where;
        return p.first < before && w.line == where.line && w.file == where.file;
    });
}

// Lines that are told before this change.
size_t told_before(const Proven& all, size_t change) {
    return static_cast<size_t>(std::count_if(all.begin(), all.end(), [&](const auto& p) {
        return p.first < change && !is_told(all, p.second.where, p.first);
    }));
}

}  // namespace

bool is_late(const Hunt& h) { return Clock::now() > h.deadline; }

bool is_over(const Hunt& h, size_t change) {
    const size_t first = h.first;
    return is_late(h) || (first != ~size_t{0} && change > first + h.around);
}

void judge(Hunt& h, size_t change, const Trial& trial) {
    ++h.tried;
    if (!mends(h.lab, trial)) return;
    const std::scoped_lock hold(h.proving);
    if (is_told(h.proven, h.prove.where(change), change) || told_before(h.proven, change) >= kMostProven)
        return;
    if (is_late(h) && (!h.proven.empty() || Clock::now() > h.deadline + kBehind)) return;
    auto mended = h.prove.proven(change);
    if (!mended) return;
    const bool doubtful = !mended->remains.empty() || !mended->left_out.empty();
    if (!doubtful) h.first = std::min<size_t>(h.first, change);
    (doubtful ? h.doubtful : h.proven).emplace_back(change, std::move(*mended));
}

void on_threads(int threads, const std::function<void()>& work) {
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work);
    work();
}

void take_proven(Hunt& h, SearchResult& out) {
    // What takes more work than another that mends as well does something several times.
    constexpr uint64_t kPercent = 105;
    uint64_t least = ~uint64_t{0};
    for (const auto& [change, mended] : h.proven) least = std::min(least, mended.warp_instructions);
    const auto repeats = [&](const Mended& m) {
        return !m.expected && m.warp_instructions / kPercent > least / 100;
    };
    const auto in_order = [&](const auto& a, const auto& b) {
        return std::tuple(a.second.frail, repeats(a.second), a.first) <
            std::tuple(b.second.frail, repeats(b.second), b.first);
    };
    std::sort(h.proven.begin(), h.proven.end(), in_order);
    std::sort(h.doubtful.begin(), h.doubtful.end(), in_order);
    for (const auto& [change, mended] : h.proven)
        if (!is_told(h.proven, mended.where, change) && told_before(h.proven, change) < kMostProven)
            out.mended.push_back(mended);
    for (auto& [change, mended] : h.doubtful) out.doubtful.push_back(std::move(mended));
    h.proven.clear(), h.doubtful.clear(), h.first = ~size_t{0};
}

}  // namespace wl::diagnosis
