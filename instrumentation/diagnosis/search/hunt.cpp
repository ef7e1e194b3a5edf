// Hits of several threads, and their proofs in order.
#include "instrumentation/diagnosis/search/hunt.h"

#include <algorithm>
#include <thread>

namespace wl::diagnosis {

bool is_late(const Hunt& h) { return Clock::now() > h.deadline; }

bool is_over(const Hunt& h, size_t change) {
    const size_t first = h.first;
    return is_late(h) || (first != ~size_t{0} && change > first + h.around);
}

void judge(Hunt& h, size_t change, const Trial& trial) {
    ++h.tried;
    if (!mends(h.lab, trial)) return;
    const std::scoped_lock hold(h.lock);
    h.hits.push_back(change);
    h.first = std::min<size_t>(h.first, change);
}

void on_threads(int threads, const std::function<void()>& work) {
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work);
    work();
}

void prove_hits(Hunt& h, const Prove& prove, SearchResult& out) {
    constexpr size_t kMostProven = 4;  // changes that are told
    constexpr auto kBehind = std::chrono::seconds(2);
    std::sort(h.hits.begin(), h.hits.end());
    for (const size_t change : h.hits) {
        const capture::Where where = prove.where(change);
        const bool told = std::any_of(out.mended.begin(), out.mended.end(), [&](const Mended& m) {
            return m.where.line == where.line && m.where.file == where.file;
        });
        if (told || out.mended.size() == kMostProven) continue;
        if (is_late(h) && (!out.mended.empty() || Clock::now() > h.deadline + kBehind)) break;
        auto mended = prove.proven(change);
        if (!mended) continue;
        (mended->remains.empty() ? out.mended : out.doubtful).push_back(std::move(*mended));
    }
    h.hits.clear(), h.first = ~size_t{0};
}

}  // namespace wl::diagnosis
