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

// One row a warp, and one for the marks.
struct TimelineRows {
    TimelineScale scale;
    Box box;           // of the spans and marks
    float height = 0;  // of a row
    float label_left = 0;
    float y(int row) const { return box.low.y + height * static_cast<float>(row); }
};

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
