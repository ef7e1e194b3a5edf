// Texts are compared as boxes, without the space that a line leaves above and below its letters.
#include "app/shell/legible.h"

#include <algorithm>

namespace wl::app {

namespace {

struct Seen {
    float left, top, right, bottom;
};

Seen seen_of(const Written& w) {
    const float height = w.high.y - w.low.y, above = 0.2F * height, below = 0.15F * height;
    return {
        std::max(w.low.x, w.clip_low.x),
        std::max(w.low.y + above, w.clip_low.y),
        std::min(w.high.x, w.clip_high.x),
        std::min(w.high.y - below, w.clip_high.y)};
}

constexpr float kTouch = 1.5F;  // pixels by which letters may touch: a side bearing, a rounded place

bool is_seen(const Seen& s) { return s.right - s.left > kTouch && s.bottom - s.top > kTouch; }

bool overlap(const Seen& a, const Seen& b) {
    return std::min(a.right, b.right) - std::max(a.left, b.left) > kTouch &&
        std::min(a.bottom, b.bottom) - std::max(a.top, b.top) > kTouch;
}

bool is_cut(const Written& w) {
    return !w.scrolls && (w.low.x < w.clip_low.x - kTouch || w.high.x > w.clip_high.x + kTouch);
}

}  // namespace

std::vector<std::string> illegible(const std::vector<Written>& written) {
    std::vector<std::string> faults;
    std::vector<std::pair<Seen, const Written*>> seen;
    for (const Written& w : written) {
        const Seen box = seen_of(w);
        if (!is_seen(box)) continue;
        if (is_cut(w)) faults.push_back("'" + w.text + "' is cut off");
        for (const auto& [other, of] : seen)
            if (of->layer == w.layer && overlap(other, box))
                faults.push_back("'" + w.text + "' lies over '" + of->text + "'");
        seen.emplace_back(box, &w);
    }
    return faults;
}

}  // namespace wl::app
