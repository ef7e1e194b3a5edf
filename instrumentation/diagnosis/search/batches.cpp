// All changes, a batch at a time, on several threads.
#include "instrumentation/diagnosis/search/source_trials.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

namespace wl::diagnosis {

namespace {

constexpr size_t kFirst = 48, kMostSchemata = 160;  // changes of a text that holds many
constexpr size_t kMostTexts = 32;                   // texts of one compilation

}  // namespace

std::vector<std::vector<size_t>> batches_of(const SourceTrials& t) {
    std::vector<std::vector<size_t>> out;
    std::vector<size_t> switched, texts, refused;
    size_t most = kFirst;
    for (size_t k = 0; k < std::min(t.upto, t.all.size()); ++k) {
        if (t.done[k] != 0) continue;
        (t.slot[k] >= 0 ? switched : t.slot[k] == kRefusedSlot ? refused : texts).push_back(k);
        if (switched.size() >= most)
            out.push_back(std::move(switched)), switched.clear(), most = kMostSchemata;
        for (std::vector<size_t>* own : {&texts, &refused})
            if (own->size() >= kMostTexts) out.push_back(std::move(*own)), own->clear();
    }
    for (std::vector<size_t>* left : {&switched, &texts, &refused})
        if (!left->empty()) out.push_back(std::move(*left));
    // A change in a text of its own takes some four times what another does, and waits for as many of them.
    // What the compiler refused beside others it mostly refuses alone as well.
    const auto turn = [&](const std::vector<size_t>& batch) {
        constexpr size_t kTimes = 4, kRefusedTimes = 16;
        const int slot = t.slot[batch.front()];
        const size_t times = slot == kRefusedSlot ? kRefusedTimes : kTimes;
        return slot < 0 ? times * (batch.front() + kFirst) : batch.front();
    };
    std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return turn(a) < turn(b); });
    return out;
}

bool try_batches(SourceTrials& t) {
    const std::vector<std::vector<size_t>> batches = batches_of(t);
    const std::vector<int> slot = t.slot;
    const size_t kept = in_turn(t.queue, threads_of(t.e.options), batches.size(), [&] {
        const auto prover = std::make_shared<Prover>(t.e);
        return [&, prover](size_t batch) { try_batch(t, *prover, batches[batch]); };
    });
    std::set<size_t> later;
    for (size_t batch = kept; batch < batches.size(); ++batch)
        later.insert(batches[batch].begin(), batches[batch].end());
    forget(t.queue, [&](size_t k) { return later.contains(k); });
    for (size_t k = t.all.size(); k > 0 && k - 1 > last_needed(t.queue); --k) later.insert(k - 1);
    for (const size_t k : later) {
        t.slot[k] = slot[k], t.done[k] = 0, t.gains[k] = t.written[k] = 0;
        t.differences[k] = std::numeric_limits<double>::quiet_NaN();
    }
    return !batches.empty();
}

size_t tried_of(const SourceTrials& t) {
    return static_cast<size_t>(std::count_if(t.done.begin(), t.done.end(), [](uint8_t how) {
        return how == kTried || how == kCutShort;
    }));
}

void add_tried(const SourceTrials& t, SearchResult& out) {
    out.tried += t.queue.tried + tried_of(t);
    out.refused += static_cast<size_t>(std::count(t.done.begin(), t.done.end(), kRefusedAlone));
}

}  // namespace wl::diagnosis
