// Three trials a number, and one for each of the plain numbers around the one that follows from them.
#include "instrumentation/diagnosis/search/solve.h"

#include "instrumentation/diagnosis/search/source_change.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;

constexpr size_t kMostNumbers = 40;  // of the source that are solved for
constexpr size_t kSamples = 3;

bool is_real(const std::string& text) {
    return !text.starts_with("0x") && text.find_first_of(".eE") != text.npos &&
        text.find_first_not_of("0123456789.eE+-fF") == text.npos;
}

// One change of each real number, the most suspicious first.
std::vector<const Rewrite*> numbers_of(const SourceTrials& t) {
    std::map<size_t, const Rewrite*> by_place;
    for (const Rewrite& r : t.all)
        if (r.family == rewrite::Family::numbers && r.edits.size() == 1 && is_real(r.was))
            by_place.try_emplace(r.edits.front().begin, &r);
    std::vector<const Rewrite*> out;
    for (const auto& [place, r] : by_place) out.push_back(r);
    std::stable_sort(out.begin(), out.end(), [](const Rewrite* a, const Rewrite* b) {
        return a->suspicion_rank < b->suspicion_rank;
    });
    if (out.size() > kMostNumbers) out.resize(kMostNumbers);
    return out;
}

double value_of(const Rewrite& r) { return std::strtod(r.was.c_str(), nullptr); }

Rewrite with_number(const Rewrite& of, std::string text) {
    Rewrite out = of;
    out.now = text, out.edits.front().text = std::move(text);
    return out;
}

std::array<double, kSamples> sampled(double v) {
    return v == 0 ? std::array<double, kSamples>{0, 1, -1} : std::array<double, kSamples>{v, 2 * v, v / 2};
}

std::string suffix_of(const std::string& number) {
    return number.ends_with('f') || number.ends_with('F') ? "f" : "";
}

std::string as_text(double v, const std::string& suffix) {
    std::string out = fmt::format("{}", v);
    if (out.find_first_of(".e") == out.npos) out += ".0";
    return v < 0 ? "(" + out + suffix + ")" : out + suffix;
}

// What `t` tries, with other changes, until it is late or all are tried.
SourceTrials trials_like(const SourceTrials& t, const std::vector<Rewrite>& all) {
    std::vector<int> slot;
    for (const Rewrite& r : all) slot.push_back(slot_of(t.slots, r));
    return SourceTrials{
        .queue =
            {.setup = t.queue.setup,
                    .work = t.queue.work,
                    .limit = t.queue.limit,
                    .tried_after = t.queue.tried_after},
        .e = t.e,
        .whole = t.whole,
        .proof = t.proof,
        .unit = t.unit,
        .quick = t.quick,
        .source = t.source,
        .launches = t.launches,
        .all = all,
        .slots = t.slots,
        .slot = std::move(slot),
        .done = std::vector<uint8_t>(all.size()),
        .gains = std::vector<int64_t>(all.size()),
        .written = std::vector<int64_t>(all.size()),
        .differences = std::vector<double>(all.size(), std::numeric_limits<double>::quiet_NaN()),
        .shape = t.shape,
        .executed = t.executed
    };
}

void try_all_of(SourceTrials& t, SearchResult& out) {
    CandidateQueue& h = t.queue;
    h.prove = {
        [&](size_t k) { return where_in(t.unit, t.all[k].line); },
        [&](size_t k) { return proven_by_compiler(t, t.all[k]); }};
    try_batches(t);
    take_proven(h, out);
}

// Each with a score that rises with the distance.
void add_plain(std::vector<std::pair<double, std::string>>& out, double value, double x, std::string text) {
    constexpr double kNear = 0.01;
    const double off = std::fabs(x - value);
    const bool known = std::any_of(out.begin(), out.end(), [&](const auto& o) { return o.second == text; });
    if (off <= kNear * std::fabs(value) && !known) out.emplace_back(off, std::move(text));
}

}  // namespace

double root_of(const std::vector<Sample>& s) {
    constexpr double kAgree = 0.01;
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (s.size() < kSamples || s[0].difference == 0) return none;
    const auto roots = [&](const Sample& o) {
        const double step = s[0].difference * (o.number - s[0].number);
        return std::array{
            s[0].number + step / (s[0].difference - o.difference),
            s[0].number + step / (s[0].difference + o.difference)};
    };
    for (const double a : roots(s[1]))
        for (const double b : roots(s[2]))
            if (std::isfinite(a) && std::fabs(a - b) <= kAgree * std::fabs(a)) return (a + b) / 2;
    return none;
}

std::vector<std::string> plain_numbers(double value, const std::vector<int64_t>& in_play) {
    constexpr size_t kMost = 6;
    constexpr int kMostOver = 36;
    constexpr std::array kNamed = {
        1.4426950408889634,
        0.6931471805599453,
        2.302585092994046,
        1.4142135623730951,
        3.141592653589793,
        0.7978845608028654,
        2.718281828459045,
        0.044715,
        1.702,
        0.3989422804014327};
    std::vector<std::pair<double, std::string>> all;
    if (!std::isfinite(value) || value == 0) return {};
    for (const int digits : {1, 2, 3}) {
        const std::string text = fmt::format("{:.{}g}", value, digits);
        add_plain(
            all, value, std::strtod(text.c_str(), nullptr), as_text(std::strtod(text.c_str(), nullptr), "f")
        );
    }
    for (const double c : kNamed)
        for (const double x : {c, -c, 1 / c, c / 2, 2 * c}) add_plain(all, value, x, as_text(x, "f"));
    for (int q = 3; q <= kMostOver; ++q) {
        const double p = std::round(value * q);
        if (std::fabs(p) >= 1 && std::fabs(p) <= kMostOver)
            add_plain(all, value, p / q, fmt::format("({}f / {}.0f)", as_text(p, ""), q));
    }
    for (const int64_t n : in_play) {
        const auto x = static_cast<double>(n);
        for (const double v : {x, 1 / x, std::sqrt(x), 1 / std::sqrt(x)})
            add_plain(all, value, v, as_text(v, "f"));
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (all.size() > kMost) all.resize(kMost);
    std::vector<std::string> out;
    for (auto& [off, text] : all) out.push_back(std::move(text));
    return out;
}

void try_others(const SourceTrials& t, const std::vector<Rewrite>& changes, SearchResult& out) {
    SourceTrials others = trials_like(t, changes);
    try_all_of(others, out);
    add_tried(others, out);
}

void search_solved(const SourceTrials& t, SearchResult& out) {
    const std::vector<const Rewrite*> numbers = numbers_of(t);
    std::vector<Rewrite> samples;
    for (const Rewrite* r : numbers)
        for (const double v : sampled(value_of(*r)))
            samples.push_back(with_number(*r, "(" + as_text(v, suffix_of(r->was)) + ")"));
    if (samples.empty()) return;
    SourceTrials sampling = trials_like(t, samples);
    try_all_of(sampling, out);
    add_tried(sampling, out);
    if (!out.mended.empty()) return;
    std::vector<Rewrite> solved;
    const std::vector<int64_t> in_play = numbers_in_play(t.e);
    for (size_t n = 0; n < numbers.size(); ++n) {
        std::vector<Sample> of_one;
        for (size_t k = n * kSamples; k < (n + 1) * kSamples; ++k)
            of_one.push_back({sampled(value_of(*numbers[n]))[k % kSamples], sampling.differences[k]});
        const double root = root_of(of_one);
        for (std::string& text : plain_numbers(root, in_play))
            solved.push_back(with_number(*numbers[n], std::move(text)));
    }
    if (solved.empty()) return;
    try_others(t, solved, out);
}

}  // namespace wl::diagnosis
