// A stretch of kernel time: how long it is, and what the warps did in it.
#pragma once

#include "app/draw/timeline/rows.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace wl::app {

struct Stretch {
    double from = 0, to = 0;  // kernel time; equal: none is chosen
    bool is_chosen() const { return to != from; }
};

struct StretchShares {
    double length = 0;           // kernel time
    std::vector<double> stages;  // of all warps' time together, by stage; the last: before the first stage
    double waiting = 0;          // at barriers; that time is of a stage as well
};
StretchShares shares_of(const analysis::Timeline& timeline, size_t stages, Stretch stretch);

void draw_stretch(
    const TimelineRows& rows, const Session& session, const analysis::Timeline& timeline, Stretch stretch
);

// The span of that warp that holds the instant; nullptr: there is none. `spans`: by (warp, begin).
template <class Span>
const Span* span_at(const std::vector<Span>& spans, int warp, double time) {
    const auto behind =
        std::upper_bound(spans.begin(), spans.end(), time, [warp](double at, const Span& span) {
            return span.warp != warp ? warp < span.warp : at < static_cast<double>(span.begin);
        });
    if (behind == spans.begin()) return nullptr;
    const Span& span = *std::prev(behind);
    return span.warp == warp && time < static_cast<double>(span.end) ? &span : nullptr;
}
// What a warp does at that instant, in words: "softmax, iteration 3: 9 120 to 10 450, 1 330 instructions".
std::string span_text(const Session& session, const analysis::Timeline& timeline, int warp, double time);

}  // namespace wl::app
