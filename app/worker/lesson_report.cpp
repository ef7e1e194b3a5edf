// JSON in, the fields that it has out.
#include "app/worker/lesson_report.h"

#include "app/worker/answer.h"

namespace wl::app {

namespace {

using nlohmann::json;

LessonReport report_from(const json& j) {
    LessonReport r;
    for (const json& one : j.value("lessons", json::array()))
        r.list.push_back({one.at("number"), one.at("title"), one.at("about"), one.at("solved")});
    r.lesson = j.value("lesson", ""), r.title = j.value("title", "");
    for (const json& one : j.value("page", json::array())) r.page.push_back({one.at("kind"), one.at("text")});
    r.task = j.value("task", ""), r.folder = j.value("folder", "");
    r.files = j.value("files", std::vector<std::string>{});
    const auto hints = j.find("hints");
    if (hints != j.end() && hints->is_array()) r.hints = hints->get<std::vector<std::string>>();
    r.hints_of = hints != j.end() && hints->is_number() ? hints->get<int>() : j.value("of", 0);
    r.verdict = j.value("verdict", ""), r.says = j.value("says", "");
    r.run = j.value("run", ""), r.output = j.value("output", "");
    return r;
}

}  // namespace

LessonReport lesson_report(const std::string& text) { return read_answer(text, "lessons", report_from); }

}  // namespace wl::app
