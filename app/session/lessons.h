// Lessons, asked of `warplens learn` in worker processes of their own.
#pragma once

#include "app/session/state.h"

#include <string>

namespace wl::app {

void ask_lesson(Session& session, const LessonQuestion& question);
bool hear_lessons(Session& session);  // true: something changed

// The exercise's manifest, for a run; empty: none is known.
std::string exercise_of(const LessonReport& lesson);

}  // namespace wl::app
