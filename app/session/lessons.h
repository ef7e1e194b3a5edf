// Lessons, asked of `warplens learn` in worker processes of their own.
#pragma once

#include "app/worker/lesson_report.h"
#include "app/worker/worker.h"

#include <memory>
#include <string>
#include <vector>

namespace wl::app {

struct Session;

enum class LessonAction : uint8_t { list, read, start, check, hint };
struct LessonQuestion {
    LessonAction action = LessonAction::list;
    std::string number;  // "03"
};

struct LessonsAnswer {
    std::unique_ptr<Worker> worker;  // while one is answered; the next ones wait
    LessonQuestion asked;
    std::vector<LessonQuestion> next;
    std::string problem;  // of the last question
    LessonReport lesson;  // all that is known of the chosen one, and the list
};

void ask_lesson(Session& session, const LessonQuestion& question);
bool hear_lessons(Session& session);  // true: something changed

// The exercise's manifest, for a run; empty: none is known.
std::string exercise_of(const LessonReport& lesson);

}  // namespace wl::app
