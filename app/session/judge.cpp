// One pass over the rows, on several threads where they are many; the parts are joined in their order.
#include "app/session/judge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <future>
#include <limits>
#include <thread>

namespace wl::app {

namespace {

// Magnitudes of differences, finely: by exponent and the first six bits of the mantissa.
constexpr int kFineBits = 6, kFineBins = 1 << (8 + kFineBits);
size_t fine_bin(float value) { return (std::bit_cast<uint32_t>(value) & 0x7fffffffu) >> (23 - kFineBits); }
double log_of_bin(size_t bin) {
    return std::log10(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bin) << (23 - kFineBits))
    ));
}

// The worst so far; those of equal excess in the order in which they lie.
struct Worst {
    struct Entry {
        double excess = 0;
        Element at;
    };
    std::vector<Entry> heap;  // the least bad first
    static bool comes_before(const Entry& a, const Entry& b) {
        if (a.excess != b.excess) return a.excess > b.excess;
        return a.at.row != b.at.row ? a.at.row < b.at.row : a.at.col < b.at.col;
    }
    void take(Entry entry) {
        if (heap.size() == kMaxWorst && !comes_before(entry, heap.front())) return;
        heap.push_back(entry);
        std::push_heap(heap.begin(), heap.end(), comes_before);
        if (heap.size() <= kMaxWorst) return;
        std::pop_heap(heap.begin(), heap.end(), comes_before);
        heap.pop_back();
    }
};

struct Judged {
    Worst worst;
    std::vector<Element> non_finite;
    int64_t wrong = 0, exact = 0;
    std::vector<uint32_t> good, bad;  // by fine_bin
};

double excess_of(double got, double reference, float bound) {
    const double difference = std::abs(got - reference);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    return difference / std::max(static_cast<double>(bound), std::numeric_limits<double>::min());
}

void judge_row(Judged& out, const TileView& view, int row, std::vector<float>& differences) {
    const TileSource& data = view.data;
    const bool compared = has_reference(view);
    if (compared) view.metric[0].values.read(row, 0, data.cols, differences.data());
    for (int col = 0; col < data.cols; ++col) {
        const float difference = differences[static_cast<size_t>(col)];
        out.exact += compared && difference == 0 ? 1 : 0;
        if (compared && difference == 0) continue;  // what is equal is right
        const double got = data.got(row, col);
        const double reference = compared ? data.reference(row, col) : 0;
        const float bound = compared ? data.bound(row, col) : 0;
        const bool wrong = compared && is_wrong(data, got, reference, bound);
        const bool ringed = !std::isfinite(got) && (wrong || !compared);
        if (ringed && out.non_finite.size() < kMaxMarks) out.non_finite.push_back({row, col});
        if (compared && std::isfinite(difference)) ++(wrong ? out.bad : out.good)[fine_bin(difference)];
        if (!wrong) continue;
        ++out.wrong;
        out.worst.take({
            excess_of(got, reference, bound), {row, col}
        });
    }
}

Judged judge_rows(const TileView& view, int from, int end, Effort* effort) {
    Judged out;
    out.good.assign(kFineBins, 0);
    out.bad.assign(kFineBins, 0);
    std::vector<float> differences(static_cast<size_t>(view.data.cols));
    for (int row = from; row < end; ++row) {
        judge_row(out, view, row, differences);
        if (effort == nullptr) continue;
        effort->elements += view.data.cols;
        if (effort->stop) break;
    }
    return out;
}

void join(Judged& to, Judged more) {
    for (const Element at : more.non_finite)
        if (to.non_finite.size() < kMaxMarks) to.non_finite.push_back(at);
    for (const Worst::Entry& entry : more.worst.heap) to.worst.take(entry);
    to.wrong += more.wrong, to.exact += more.exact;
    for (size_t i = 0; i < to.good.size(); ++i) to.good[i] += more.good[i], to.bad[i] += more.bad[i];
}

Judged judge_all(const TileView& view, Effort* effort) {
    constexpr int64_t kLarge = 1 << 20;
    if (!has_reference(view) && view.got.figures.nan + view.got.figures.infinite == 0) return {};
    const int rows = view.data.rows;
    const bool large = int64_t{rows} * view.data.cols >= kLarge;
    const int threads = large ? static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U)) : 1;
    std::vector<std::future<Judged>> parts;
    for (int thread = 1; thread < threads; ++thread)
        parts.push_back(std::async(std::launch::async, [&view, rows, thread, threads, effort] {
            const auto at = [&](int part) { return static_cast<int>(int64_t{rows} * part / threads); };
            return judge_rows(view, at(thread), at(thread + 1), effort);
        }));
    Judged all = judge_rows(view, 0, rows / threads, effort);
    for (auto& part : parts) join(all, part.get());
    return all;
}

double median_bound(const TileSource& data) {
    constexpr int64_t kMost = 1 << 18;
    const int every = static_cast<int>(1 + int64_t{data.rows} * data.cols / kMost);
    std::vector<float> bounds;
    for (int row = 0; row < data.rows; row += every)
        for (int col = 0; col < data.cols; ++col)
            if (!std::isnan(data.reference(row, col))) bounds.push_back(data.bound(row, col));
    if (bounds.empty()) return 0;
    const auto middle = bounds.begin() + static_cast<std::ptrdiff_t>(bounds.size() / 2);
    std::nth_element(bounds.begin(), middle, bounds.end());
    return static_cast<double>(*middle);
}

ErrorHistogram histogram_of(const Judged& judged, double bound) {
    constexpr int kBins = 48;
    ErrorHistogram histogram;
    histogram.exact = judged.exact;
    histogram.bound = bound;
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    const auto reach = [&](double at) { lo = std::min(lo, at), hi = std::max(hi, at); };
    for (size_t bin = 0; bin < judged.good.size(); ++bin)
        if (judged.good[bin] + judged.bad[bin] > 0) reach(log_of_bin(std::max<size_t>(bin, 1)));
    if (bound > 0) reach(std::log10(bound));  // it belongs on the axis
    if (!(lo <= hi)) return histogram;
    histogram.first = lo - 0.2;
    histogram.width = (hi - lo + 0.4) / kBins;
    histogram.good.assign(kBins, 0);
    histogram.bad.assign(kBins, 0);
    for (size_t bin = 0; bin < judged.good.size(); ++bin) {
        if (judged.good[bin] + judged.bad[bin] == 0) continue;
        const double at = (log_of_bin(std::max<size_t>(bin, 1)) - histogram.first) / histogram.width;
        const auto to = static_cast<size_t>(std::clamp(static_cast<int>(at), 0, kBins - 1));
        histogram.good[to] += judged.good[bin];
        histogram.bad[to] += judged.bad[bin];
    }
    return histogram;
}

void count_owners(TileView& view, Effort* effort) {
    const TileSource& data = view.data;
    const auto cols = static_cast<size_t>(data.cols);
    std::vector<capture::Owner> owners(cols);
    std::vector<uint8_t> bad(has_reference(view) ? cols : 0);
    view.ownership.rows = data.rows, view.ownership.cols = data.cols;
    for (int row = 0; row < data.rows; ++row) {
        for (size_t col = 0; col < cols; ++col) owners[col] = data.owner(row, static_cast<int>(col));
        for (size_t col = 0; col < bad.size(); ++col)
            bad[col] = is_wrong(data, row, static_cast<int>(col)) ? 1 : 0;
        analysis::count_row(view.ownership, row, owners, bad);
        if (effort == nullptr) continue;
        effort->elements += data.cols;
        if (effort->stop) return;
    }
}

}  // namespace

void judge(TileView& view, Effort* effort) {
    Judged judged = judge_all(view, effort);
    view.wrong_count = judged.wrong;
    view.non_finite = std::move(judged.non_finite);
    std::sort_heap(judged.worst.heap.begin(), judged.worst.heap.end(), Worst::comes_before);
    for (const Worst::Entry& entry : judged.worst.heap) view.worst.push_back(entry.at);
    if (has_reference(view)) view.errors = histogram_of(judged, median_bound(view.data));
    if (has_owner(view)) count_owners(view, effort);
}

}  // namespace wl::app
