// A folder of our own is put together, so that a reference or a size that was changed solves nothing.
#include "app/cli/learn/check.h"

#include "app/cli/learn/lanes_held.h"
#include "app/cli/learn/page.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/lines.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/base/text.h"

#include <filesystem>
#include <fmt/format.h>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

void put(const fs::path& from, const fs::path& to) {
    std::error_code problem;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, problem);
    if (problem) throw Error(fmt::format("{} cannot be copied: {}", from.string(), problem.message()));
}

std::optional<NotYet> gone(const Lesson& lesson, const std::string& folder) {
    std::string all;
    for (const std::string& file : lesson.edit) all += read_text_file((fs::path(folder) / file).string());
    for (const std::string& word : lesson.keeps)
        if (all.find(word) == std::string::npos)
            return NotYet{
                fmt::format("this lesson is about `{}`: solve it with that still there", word), {}, {}};
    return {};
}

// The title of the first finding that was printed: what stands between "[1] rule" and its place.
std::string first_title(const std::string& output) {
    std::string title;
    bool open = false;
    for (const std::string_view line : lines_of(output)) {
        if (line.starts_with("[1] "))
            open = true;
        else if (open && (line.starts_with("    at ") || line.empty()))
            break;
        else if (open && line.size() > 4)
            title += (title.empty() ? "" : " ") + std::string(line.substr(4));
    }
    return title;
}

std::string lanes_reason(const Lesson& lesson) {
    for (const LessonLanes& wanted : lesson.lanes)
        if (std::string said = lanes_problem(wanted); !said.empty()) return said;
    return "";
}

// The reason by what the run printed, else by what the lanes hold, else the check's sentence: with the
// finding, where that is not the one the lesson is about.
std::string reason_of(const Lesson& lesson, const LessonCheck& check, const std::string& output) {
    for (const LessonReason& reason : check.reasons)
        if (output.find(reason.sees) != std::string::npos) return reason.says;
    if (std::string lanes = lanes_reason(lesson); !lanes.empty()) return lanes;
    const std::string title = output.find(lesson.promise) == std::string::npos ? first_title(output) : "";
    return title.empty() ? check.says : check.says + ": " + title;
}

}  // namespace

std::string student_folder(const Lesson& lesson, const std::string& named) {
    const auto has_all = [&](const fs::path& folder) {
        for (const std::string& file : lesson.edit)
            if (!fs::is_regular_file(folder / file)) return false;
        return true;
    };
    if (!named.empty() && has_all(named)) return named;
    if (named.empty())
        for (const std::string& folder : {lesson.name, std::string(".")})
            if (has_all(folder)) return folder;
    throw Error(fmt::format(
        "there is no {} in {}: `warplens learn {} --start{}` puts it there",
        join(lesson.edit, ", "),
        named.empty() ? lesson.name + " or here" : named,
        lesson.number,
        named.empty() ? "" : " " + named
    ));
}

std::optional<NotYet> check_solution(const Lesson& lesson, const std::string& folder, bool colour) {
    if (std::optional<NotYet> without = gone(lesson, folder)) return without;
    const Scratch scratch;
    if (scratch.path.empty()) throw Error("there is no room for a temporary folder");
    const fs::path room = fs::path(scratch.path) / lesson.name;
    fs::create_directory(room);
    for (const std::string& file : exercise_files(lesson)) put(fs::path(lesson.folder) / file, room / file);
    for (const std::string& file : lesson.edit) put(fs::path(folder) / file, room / file);
    const InFolder there(room.string());
    for (const LessonCheck& check : lesson.checks) {
        Ran ran = run_line("warplens " + check.run, colour);
        if (ran.status != check.status) {
            std::string why = reason_of(lesson, check, ran.output);
            return NotYet{std::move(why), check.run, std::move(ran.output)};
        }
    }
    if (std::string lanes = lanes_reason(lesson); !lanes.empty()) return NotYet{std::move(lanes), {}, {}};
    return {};
}

}  // namespace wl::app
