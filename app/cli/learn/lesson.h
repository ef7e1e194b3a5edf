// A lesson: a folder NN-NAME of lesson.md, lesson.toml, and a kernel with its manifest that the student
// mends.
#pragma once

#include <string>
#include <vector>

namespace wl::app {

// A run of WarpLens that a solution stands.
struct LessonCheck {
    std::string run;   // words of the command line: "diagnose sum.toml --presets all"
    std::string says;  // what is not right yet where it does not end with `status`
    int status = 0;
};

struct Lesson {
    std::string folder, name, number;  // "/.../08-fragments", "08-fragments", "08"
    std::string title, about, task;
    std::string promise;             // a word of what the check says of the kernel as it is handed out
    std::vector<std::string> edit;   // the student's files; all others are as the lesson has them
    std::vector<std::string> keeps;  // what these must go on containing
    std::vector<std::string> hints;
    std::vector<LessonCheck> checks;  // in order; the first that fails is told
};

// By number. Throws Error naming file and line of what is wrong in a lesson.toml.
std::vector<Lesson> load_lessons(const std::string& folder);
// By "8", "08", "08-fragments" or "fragments". Throws Error with the nearest name.
const Lesson& find_lesson(const std::vector<Lesson>& lessons, const std::string& word);

// Names of the files that --start hands out: all but the lesson's own text and table.
std::vector<std::string> exercise_files(const Lesson& lesson);

}  // namespace wl::app
