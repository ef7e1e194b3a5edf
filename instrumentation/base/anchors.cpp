// Linear between two anchors.
#include "instrumentation/base/anchors.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace wl {

std::string stage_label(const std::string& stage, int before) { return stage + "#" + std::to_string(before); }
std::string barrier_label(int number, bool released) {
    return (released ? "released#" : "barrier#") + std::to_string(number);
}

Between between_at(const Anchors& anchors, uint64_t time) {
    if (anchors.empty()) return {};
    const auto next = std::upper_bound(anchors.begin(), anchors.end(), time, [](uint64_t t, const Anchor& a) {
        return t < a.time;
    });
    if (next == anchors.begin()) return {next->label, next->label, 0};
    const Anchor& after = *std::prev(next);
    if (next == anchors.end()) return {after.label, after.label, 0};
    const double length = static_cast<double>(next->time - after.time);
    return {after.label, next->label, static_cast<double>(time - after.time) / length};
}

std::optional<uint64_t> time_at(const Anchors& anchors, const Between& between) {
    const auto labelled = [&](const std::string& label) {
        return std::find_if(anchors.begin(), anchors.end(), [&](const Anchor& a) {
            return a.label == label;
        });
    };
    const auto after = labelled(between.after), before = labelled(between.before);
    if (after == anchors.end() && before == anchors.end()) return std::nullopt;
    if (after == anchors.end()) return before->time;
    if (before == anchors.end() || before->time <= after->time) return after->time;
    const auto length = static_cast<double>(before->time - after->time);
    return after->time + static_cast<uint64_t>(std::llround(length * std::clamp(between.share, 0.0, 1.0)));
}

std::string text_of(const Between& between) {
    char share[32];
    std::snprintf(share, sizeof share, "%.9g", between.share);
    return between.after + "," + between.before + "," + share;
}

Between between_from(const std::string& text) {
    const size_t last = text.rfind(','), first = last == std::string::npos ? last : text.rfind(',', last - 1);
    Between between;
    if (first != std::string::npos) {
        between.after = text.substr(0, first), between.before = text.substr(first + 1, last - first - 1);
        const char* end = text.data() + text.size();
        const auto [at, problem] = std::from_chars(text.data() + last + 1, end, between.share);
        if (problem == std::errc() && at == end && between.share >= 0 && between.share <= 1) return between;
    }
    throw Error("\"" + text + "\" names no instant between two places: write softmax#0,barrier#2,0.5");
}

}  // namespace wl
