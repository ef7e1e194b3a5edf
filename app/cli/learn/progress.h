// How far a student is: hints opened and lessons solved, kept between calls.
#pragma once

#include <string>

namespace wl::app {

struct LessonProgress {
    size_t hints = 0;  // opened
    bool solved = false;
};

// Kept in $XDG_STATE_HOME/warplens/lessons.json, else below ~/.local/state, by the lesson's folder.
LessonProgress progress_of(const std::string& lesson);
// Throws Error naming the file and the reason.
void remember(const std::string& lesson, const LessonProgress& progress);

}  // namespace wl::app
