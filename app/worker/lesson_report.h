// What `warplens learn --json` answers: the list, a text, an exercise, a hint or a verdict.
#pragma once

#include <string>
#include <vector>

namespace wl::app {

struct LessonEntry {
    std::string number, title, about;
    bool solved = false;
};

// A piece of a lesson's page: title, heading, paragraph, item, code, command, output.
struct LessonPiece {
    std::string kind, text;
};

// A field that an answer does not have is empty.
struct LessonReport {
    std::vector<LessonEntry> list;
    std::string lesson, title, task;  // lesson: "03-races"
    std::vector<LessonPiece> page;
    std::string folder;  // where the exercise lies
    std::vector<std::string> files, hints;
    int hints_of = 0;
    std::string verdict, says, run, output;  // "solved", "not yet"
};

// Throws Error for what is no such answer.
LessonReport lesson_report(const std::string& json);

}  // namespace wl::app
