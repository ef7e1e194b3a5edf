// The shortest description of a set of indices, by how many numbers it takes.
#include "instrumentation/analysis/axis_pattern.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace wl::analysis {

namespace {

using Members = std::vector<uint8_t>;
using Runs = std::vector<std::pair<int64_t, int64_t>>;

constexpr size_t kMostRuns = 4;
constexpr double kInverted = 0.5;           // "all but" costs this
constexpr double kMostNumbers = 6;          // beyond it a description helps nobody
constexpr int64_t kMostSearched = 1 << 24;  // indices in which a period is looked for

int64_t size(const Members& m) { return static_cast<int64_t>(m.size()); }

bool has(const Members& m, int64_t i) { return m[static_cast<size_t>(i)] != 0; }

Runs runs_of(const Members& m, int64_t from, int64_t to, size_t most) {
    Runs out;
    for (int64_t i = from; i <= to; ++i) {
        if (!has(m, i)) continue;
        if (!out.empty() && out.back().second == i - 1) {
            out.back().second = i;
        } else {
            if (out.size() == most) return {};
            out.emplace_back(i, i);
        }
    }
    return out;
}

bool in_runs(const Runs& runs, int64_t remainder) {
    return std::any_of(runs.begin(), runs.end(), [&](const auto& run) {
        return remainder >= run.first && remainder <= run.second;
    });
}

struct Bounds {
    int64_t low = 0, high = -1;  // the first and the last member
};

Bounds bounds_of(const Members& m) {
    Bounds out;
    while (!has(m, out.low)) ++out.low;
    out.high = size(m) - 1;
    while (!has(m, out.high)) --out.high;
    return out;
}

// The smallest distance after which [low, high] looks the same again (Knuth, Morris and Pratt's failure
// function).
int64_t smallest_period(const Members& m, const Bounds& b) {
    const int64_t length = b.high - b.low + 1;
    std::vector<int32_t> failure(static_cast<size_t>(length));
    for (int64_t i = 1; i < length; ++i) {
        int64_t k = failure[static_cast<size_t>(i - 1)];
        while (k > 0 && has(m, b.low + i) != has(m, b.low + k)) k = failure[static_cast<size_t>(k - 1)];
        failure[static_cast<size_t>(i)] =
            static_cast<int32_t>(k + (has(m, b.low + i) == has(m, b.low + k) ? 1 : 0));
    }
    return length - failure.back();
}

// What repeats, from the axis' begin to its end as far as nothing contradicts that.
std::optional<AxisPattern> repeating(const Members& m, const Bounds& b) {
    if (size(m) > kMostSearched) return std::nullopt;
    const int64_t period = smallest_period(m, b);
    if (period < 2 || b.high - b.low + 1 <= 2 * period) return std::nullopt;
    Members remainders(static_cast<size_t>(period));
    for (int64_t i = b.low; i < b.low + period; ++i)
        remainders[static_cast<size_t>(i % period)] = has(m, i) ? 1 : 0;
    AxisPattern out{size(m), b.low, b.high, period, runs_of(remainders, 0, period - 1, kMostRuns), false};
    if (out.runs.empty()) return std::nullopt;
    while (out.first > 0 && !in_runs(out.runs, (out.first - 1) % period)) --out.first;
    while (out.last + 1 < size(m) && !in_runs(out.runs, (out.last + 1) % period)) ++out.last;
    return out;
}

std::vector<AxisPattern> candidates(const Members& m) {
    std::vector<AxisPattern> out;
    const Bounds b = bounds_of(m);
    Runs runs = runs_of(m, b.low, b.high, kMostRuns);
    if (runs.size() == 1)
        return {
            {size(m), b.low, b.high, 1, {{0, 0}}, false}
        };
    if (!runs.empty()) out.push_back({size(m), 0, size(m) - 1, size(m), std::move(runs), false});
    if (std::optional<AxisPattern> again = repeating(m, b)) out.push_back(std::move(*again));
    return out;
}

// Remainders by which all members agree with few others: of the periods tried, the one that leaves most out.
std::optional<AxisPattern> enclosing_remainders(const Members& m) {
    constexpr std::array<int64_t, 24> kPeriods = {2,  3,  4,  5,  6,  7,  8,   9,   10,  12,  16,   20,
                                                  24, 28, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048};
    std::optional<AxisPattern> best;
    for (const int64_t period : kPeriods) {
        if (3 * period > size(m)) break;
        Members remainders(static_cast<size_t>(period));
        for (int64_t i = 0; i < size(m); ++i)
            if (has(m, i)) remainders[static_cast<size_t>(i % period)] = 1;
        Runs runs = runs_of(remainders, 0, period - 1, 2);
        if (runs.empty() || (runs.size() == 1 && runs.front() == std::pair<int64_t, int64_t>(0, period - 1)))
            continue;
        AxisPattern made{size(m), 0, size(m) - 1, period, std::move(runs), false};
        if (!best || count(made) < count(*best)) best = std::move(made);
    }
    return best;
}

std::string ordinal(int64_t n) {
    const int64_t tens = n % 100;
    const char* end = tens >= 11 && tens <= 13 ? "th"
        : n % 10 == 1                          ? "st"
        : n % 10 == 2                          ? "nd"
        : n % 10 == 3                          ? "rd"
                                               : "th";
    return fmt::format("{}{}", n, end);
}

// "3, 5 and 9 to 12"
std::string list_text(const Runs& runs) {
    std::vector<std::string> parts;
    for (const auto& [from, to] : runs) {
        if (to == from + 1) parts.push_back(std::to_string(from));
        parts.push_back(to <= from + 1 ? std::to_string(to) : fmt::format("{} to {}", from, to));
    }
    std::string out = parts.front();
    for (size_t i = 1; i < parts.size(); ++i) out += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return out;
}

constexpr int64_t kFew = 16;  // so many are counted: "the last 7 rows"; more are told by their numbers

std::string range_words(const AxisPattern& p, const AxisName& name) {
    const int64_t end = p.extent - 1, members = p.last - p.first + 1;
    if (p.first == p.last)
        return p.first == 0 ? "the first " + name.one
            : p.last == end ? "the last " + name.one
                            : fmt::format("{} {} of {}", name.one, p.first, p.extent);
    if (p.first == 0)
        return members <= kFew ? fmt::format("the first {} {}", members, name.several)
                               : fmt::format("{} 0 to {}", name.several, p.last);
    if (p.last == end)
        return members <= kFew ? fmt::format("the last {} {}", members, name.several)
                               : fmt::format("{} {} and up", name.several, p.first);
    return members == 2 ? fmt::format("{} {} and {} of {}", name.several, p.first, p.last, p.extent)
                        : fmt::format("{} {} to {}", name.several, p.first, p.last);
}

std::string bounds_words(const AxisPattern& p) {
    const bool from = p.first > 0, to = p.last < p.extent - 1;
    if (from && to) return fmt::format(" between {} and {}", p.first, p.last);
    return from ? fmt::format(" from {} on", p.first) : to ? fmt::format(" up to {}", p.last) : "";
}

std::string repeating_words(const AxisPattern& p, const AxisName& name) {
    const bool single = p.runs.size() == 1 && p.runs.front().first == p.runs.front().second;
    const int64_t remainder = p.runs.front().first;
    std::string out = single && p.period == 2 ? (remainder == 0 ? "even " : "odd ") + name.several
        : single && remainder == 0            ? "every " + ordinal(p.period) + " " + name.one
                                   : fmt::format("{} {} mod {}", name.several, list_text(p.runs), p.period);
    return out + bounds_words(p);
}

std::string plain_words(const AxisPattern& p, const AxisName& name) {
    if (p.period == 1) return range_words(p, name);
    if (p.period == p.extent) return fmt::format("{} {} of {}", name.several, list_text(p.runs), p.extent);
    return repeating_words(p, name);
}

}  // namespace

bool contains(const AxisPattern& p, int64_t index) {
    const bool inside = index >= p.first && index <= p.last && in_runs(p.runs, index % p.period);
    return inside != p.inverted;
}

int64_t count(const AxisPattern& p) {
    int64_t inside = 0;
    for (const auto& [from, to] : p.runs)
        for (int64_t r = from; r <= to; ++r) {
            // Indices of [0, end) with the remainder r.
            const auto before = [&](int64_t end) { return end <= r ? 0 : (end - r - 1) / p.period + 1; };
            inside += before(p.last + 1) - before(p.first);
        }
    return p.inverted ? p.extent - inside : inside;
}

bool is_all(const AxisPattern& p) { return count(p) == p.extent; }

AxisPattern all_of(int64_t extent) { return {extent, 0, extent - 1, 1, {{0, 0}}, false}; }

double cost(const AxisPattern& p) {
    if (is_all(p)) return 0;
    double out = p.inverted ? kInverted : 0;
    const bool from = p.first > 0, to = p.last < p.extent - 1;
    if (p.period == 1) return out + (from && to && p.first != p.last ? 2 : 1);
    if (p.period != p.extent) out += 1 + (from ? 1 : 0) + (to ? 1 : 0);
    for (const auto& [low, high] : p.runs) out += low == high ? 1 : 2;
    return out;
}

std::optional<AxisPattern> describe_axis(const Members& members) {
    std::vector<AxisPattern> found = candidates(members);
    if (std::find(members.begin(), members.end(), 0) == members.end()) return all_of(size(members));
    Members others(members.size());
    std::transform(members.begin(), members.end(), others.begin(), [](uint8_t m) { return m == 0 ? 1 : 0; });
    for (AxisPattern& p : candidates(others)) {
        p.inverted = true;
        found.push_back(std::move(p));
    }
    const auto best = std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return cost(a) < cost(b);
    });
    if (best == found.end() || cost(*best) > kMostNumbers) return std::nullopt;
    return *best;
}

AxisPattern enclose_axis(const Members& members) {
    const std::optional<AxisPattern> exact = describe_axis(members);
    if (exact && cost(*exact) <= 3) return *exact;
    const Bounds b = bounds_of(members);
    AxisPattern range{size(members), b.low, b.high, 1, {{0, 0}}, false};
    const std::optional<AxisPattern> remainders = enclosing_remainders(members);
    // A remainder is told where it leaves out much more than the range does.
    if (remainders && 2 * count(*remainders) <= count(range)) return *remainders;
    const bool nearly_all = 4 * count(range) > 3 * size(members);
    if (exact && nearly_all) return *exact;
    return nearly_all ? all_of(size(members)) : range;
}

std::string words(const AxisPattern& p, const AxisName& name) {
    if (is_all(p)) return "every " + name.one;
    AxisPattern inside = p;
    inside.inverted = false;
    return (p.inverted ? "all but " : "") + plain_words(inside, name);
}

}  // namespace wl::analysis
