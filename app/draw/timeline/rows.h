// What the timeline paints: ruler, spans, marks, and the line of the present time.
#pragma once

#include "app/draw/timeline/scale.h"
#include "app/draw/widgets.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <vector>

namespace wl::app {

constexpr float kTimelineRuler = 22;  // pixels at scale 1
constexpr int kStageHues = 6;
// Calm: findings are what is loud. -1: before the first stage.
ImU32 stage_colour(int stage, bool light);
ImU32 stage_colour(int stage);  // in the present theme

// One row a warp, as many as have room and the rest by scrolling; below them one for the marks.
constexpr float kLeastRow = 14, kMostRow = 22;  // pixels at scale 1
struct TimelineRows {
    TimelineScale scale;
    Box box;           // of the spans and marks
    float height = 0;  // of a row
    float label_left = 0, scroll = 0;
    int warps = 0;
    float y(int warp) const { return box.low.y + height * static_cast<float>(warp) - scroll; }
    float marks() const { return box.high.y - height; }
    float hidden() const {  // pixels
        const float over = height * static_cast<float>(warps) - (marks() - box.low.y);
        return over < height / 2 ? 0 : over;
    }
    bool shows(int warp) const { return y(warp) >= box.low.y - 1 && y(warp + 1) <= marks() + 1; }
};
TimelineRows rows_in(Box room, const TimelineScale& scale, int warps);

void draw_ruler(const TimelineRows& rows, float top, uint32_t now);
void draw_spans(const TimelineRows& rows, const Session& session, const analysis::Timeline& timeline);
// Wrong tiles lie on top of right ones that were taken at the same instant. Returns the tiles whose marks are
// under the mouse, wrong ones first.
std::vector<int> draw_marks(
    const TimelineRows& rows,
    const Session& session,
    const Selection& selection,
    const analysis::Timeline& timeline
);
void draw_now(const TimelineRows& rows, uint32_t time, float top);

}  // namespace wl::app
