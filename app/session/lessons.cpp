// One question at a time; an answer replaces what it is about, and leaves the rest.
#include "app/session/lessons.h"

#include "instrumentation/base/error.h"

#include <utility>

namespace wl::app {

namespace {

void start_next(Session& session) {
    LessonsAnswer& lessons = session.lessons;
    if (lessons.worker || lessons.next.empty()) return;
    lessons.asked = lessons.next.front();
    lessons.next.erase(lessons.next.begin());
    std::vector<std::string> words = {session.program, "learn", "--json"};
    if (!lessons.asked.number.empty()) words.push_back(lessons.asked.number);
    if (lessons.asked.action == LessonAction::start) words.emplace_back("--start");
    if (lessons.asked.action == LessonAction::check) words.emplace_back("--check");
    if (lessons.asked.action == LessonAction::hint) words.emplace_back("--hint");
    lessons.problem.clear();
    auto worker = std::make_unique<Worker>();
    try {
        start(*worker, words, "");
        lessons.worker = std::move(worker);
    } catch (const Error& error) { lessons.problem = error.what(); }
}

void take(LessonsAnswer& lessons, LessonReport said) {
    LessonReport& known = lessons.lesson;
    switch (lessons.asked.action) {
        case LessonAction::list: known.list = std::move(said.list); break;
        case LessonAction::read:
            said.list = std::move(known.list);
            known = std::move(said);
            break;
        case LessonAction::start: known.folder = said.folder, known.files = said.files; break;
        case LessonAction::check:
            known.verdict = said.verdict, known.says = said.says;
            known.run = said.run, known.output = said.output;
            break;
        case LessonAction::hint: known.hints = said.hints, known.hints_of = said.hints_of; break;
    }
}

}  // namespace

void ask_lesson(Session& session, const LessonQuestion& question) {
    session.lessons.next.push_back(question);
    if (question.action == LessonAction::check) session.lessons.next.push_back({});  // what is solved now
    start_next(session);
}

bool hear_lessons(Session& session) {
    LessonsAnswer& lessons = session.lessons;
    if (!lessons.worker) return false;
    poll(*lessons.worker);
    if (lessons.worker->state == WorkerState::running) return false;
    const std::unique_ptr<Worker> worker = std::move(lessons.worker);
    if (worker->state == WorkerState::finished) {
        try {
            take(lessons, lesson_report(worker->answer));
        } catch (const Error& error) { lessons.problem = error.what(); }
    } else {
        lessons.problem = worker->message;
    }
    start_next(session);
    return true;
}

std::string exercise_of(const LessonReport& lesson) {
    for (const std::string& file : lesson.files)
        if (file.ends_with(".toml")) return lesson.folder + "/" + file;
    return {};
}

}  // namespace wl::app
