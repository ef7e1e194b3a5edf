// What the lanes of a solution hold where it executes an instruction: a right result alone does not show how
// it was made.
#pragma once

#include "app/cli/learn/lesson.h"

#include <string>

namespace wl::app {

// Of the exercise in the current folder: the sentence for what is not as the lesson wants it. Empty: all is,
// or the exercise does not run. Throws Error where a worker does not start.
std::string lanes_problem(const LessonLanes& wanted);

}  // namespace wl::app
