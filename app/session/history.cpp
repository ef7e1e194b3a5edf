// Two stacks; what is only hovered is no place.
#include "app/session/history.h"

#include <cstddef>

namespace wl::app {

namespace {

constexpr size_t kMost = 200;

Selection place_of(Selection selection) {
    selection.hovered = selection.hovering = {};
    return selection;
}

bool go(History& history, std::vector<Selection>& from, std::vector<Selection>& to, Selection& selection) {
    if (from.empty()) return false;
    to.push_back(place_of(selection));
    history.here = selection = from.back();
    from.pop_back();
    return true;
}

}  // namespace

void remember(History& history, const Selection& now, uint64_t capture, bool held) {
    const Selection place = place_of(now);
    if (history.capture != capture) history = {{}, {}, place, capture};
    if (held || place == history.here) return;
    history.future.clear();
    history.past.push_back(history.here);
    history.here = place;
    if (history.past.size() > kMost) history.past.erase(history.past.begin());
}

bool go_back(History& history, Selection& selection) {
    return go(history, history.past, history.future, selection);
}
bool go_forward(History& history, Selection& selection) {
    return go(history, history.future, history.past, selection);
}

}  // namespace wl::app
