// A lesson: a folder NN-NAME of lesson.md, lesson.toml, and a kernel with its manifest that the student
// mends.
#pragma once

#include <string>
#include <vector>

namespace wl::app {

// Why a check fails, by a text that its run prints: "race_".
struct LessonReason {
    std::string sees, says;
};

// A run of WarpLens that a solution stands.
struct LessonCheck {
    std::string run;   // words of the command line: "diagnose sum.toml --presets all"
    std::string says;  // what is not right yet where it does not end with `status`
    int status = 0;
    std::vector<LessonReason> reasons;  // in order; the first whose text is there takes the place of `says`
};

// What the 32 lanes of a warp have to be and to hold where it first executes an instruction. A sentence that
// is empty is not asked for.
struct LessonLanes {
    std::string kernel;   // the manifest: "sum.toml"
    std::string at;       // how the PTX instruction begins: "shfl.sync"
    std::string where;    // words of `warplens at`: "--block 1,0,0 --warp 1"
    std::string missing;  // said where the warp never executes it
    std::string absent;   // where some of the 32 lanes do not
    std::string same;     // where all lanes hold the same in its first source operand
    std::string few;      // where some lanes hold the same
};

struct Lesson {
    std::string folder, name, number;  // "/.../08-fragments", "08-fragments", "08"
    std::string title, about, task;
    std::string promise;             // a word of what the check says of the kernel as it is handed out
    std::vector<std::string> edit;   // the student's files; all others are as the lesson has them
    std::vector<std::string> keeps;  // what these must go on containing
    std::vector<std::string> hints;
    std::vector<LessonCheck> checks;  // in order; the first that fails is told
    std::vector<LessonLanes> lanes;   // asked after them, and for the reason where one fails
};

// By number. Throws Error naming file and line of what is wrong in a lesson.toml.
std::vector<Lesson> load_lessons(const std::string& folder);
// By "8", "08", "08-fragments" or "fragments". Throws Error with the nearest name.
const Lesson& find_lesson(const std::vector<Lesson>& lessons, const std::string& word);

// Names of the files that --start hands out: all but the lesson's own text and table.
std::vector<std::string> exercise_files(const Lesson& lesson);

}  // namespace wl::app
