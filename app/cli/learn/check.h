// Does a student's folder solve the lesson? Runs of WarpLens decide.
#pragma once

#include "app/cli/learn/lesson.h"

#include <optional>
#include <string>

namespace wl::app {

struct NotYet {
    std::string says;         // what is not right yet
    std::string run, output;  // the run that showed it; empty: none was needed
};

// The student's folder: `named`, else NN-NAME below the current folder, else this one where the exercise lies
// here. Throws Error where there is none.
std::string student_folder(const Lesson& lesson, const std::string& named);

// The student's files beside the lesson's own manifest and reference. Empty: solved. Throws Error for a
// folder without the files.
std::optional<NotYet> check_solution(const Lesson& lesson, const std::string& folder, bool colour);

}  // namespace wl::app
