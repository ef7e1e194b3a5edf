// lesson.toml as a Lesson.
#include "app/cli/learn/lesson.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/toml_reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>

namespace wl::app {

namespace {

namespace fs = std::filesystem;
using manifest::Section;

std::string said(const Section& section, const std::string& key, const std::string& what) {
    return manifest::required(section, key, manifest::text(section, key), what);
}

LessonCheck read_check(const Section& section) {
    manifest::check_keys(section, {"run", "says", "status", "reasons"});
    LessonCheck check;
    check.run = said(section, "run", "words of warplens, such as \"diagnose sum.toml\"");
    check.says = said(section, "says", "a sentence for the student");
    check.status = manifest::whole(section, "status").value_or(0);
    for (const Section& reason : manifest::subsections(section, "reasons").value_or(std::vector<Section>{})) {
        manifest::check_keys(reason, {"sees", "says"});
        check.reasons.push_back(
            {said(reason, "sees", "a text that the run prints"), said(reason, "says", "a sentence")}
        );
    }
    return check;
}

LessonLanes read_lanes(const Section& section) {
    manifest::check_keys(section, {"kernel", "at", "where", "missing", "absent", "same", "few"});
    const auto sentence = [&](const char* key) { return manifest::text(section, key).value_or(""); };
    return {
        said(section, "kernel", "a manifest, such as \"sum.toml\""),
        said(section, "at", "how a PTX instruction begins, such as \"shfl.sync\""),
        sentence("where"),
        said(section, "missing", "a sentence for where it is never executed"),
        sentence("absent"),
        sentence("same"),
        sentence("few")};
}

void check_files(const Lesson& lesson, const Section& top) {
    for (const char* file : {"lesson.md", "lesson.toml"})
        if (!fs::is_regular_file(fs::path(lesson.folder) / file))
            throw Error(fmt::format("the lesson {} has no {}", lesson.folder, file));
    const std::vector<std::string> files = exercise_files(lesson);
    for (const std::string& file : lesson.edit)
        if (std::find(files.begin(), files.end(), file) == files.end())
            manifest::fail(
                *top.document, manifest::line_of(top, "edit"), manifest::unknown(file, "file in edit", files)
            );
}

Lesson load_lesson(const fs::path& folder) {
    Lesson lesson;
    lesson.folder = folder.string(), lesson.name = folder.filename().string();
    lesson.number = lesson.name.substr(0, lesson.name.find('-'));
    const std::string path = (folder / "lesson.toml").string();
    manifest::Document document = manifest::parse_document(read_text_file(path), path);
    const Section top = manifest::root(document);
    manifest::check_keys(
        top, {"title", "about", "task", "promise", "edit", "keeps", "hints", "check", "lanes"}
    );
    lesson.title = said(top, "title", "a few words");
    lesson.about = said(top, "about", "a line for the list");
    lesson.task = said(top, "task", "what the student is to do");
    lesson.promise = said(top, "promise", "what the check says of the kernel as it is handed out");
    lesson.edit =
        manifest::required(top, "edit", manifest::texts(top, "edit"), "the files that the student changes");
    lesson.keeps = manifest::texts(top, "keeps").value_or(std::vector<std::string>{});
    lesson.hints =
        manifest::required(top, "hints", manifest::texts(top, "hints"), "sentences, the vaguest first");
    const std::vector<Section> checks =
        manifest::required(top, "check", manifest::subsections(top, "check"), "[[check]], a run of WarpLens");
    for (const Section& check : checks) lesson.checks.push_back(read_check(check));
    for (const Section& lanes : manifest::subsections(top, "lanes").value_or(std::vector<Section>{}))
        lesson.lanes.push_back(read_lanes(lanes));
    check_files(lesson, top);
    return lesson;
}

bool is_number(const std::string& word) {
    return !word.empty() && word.size() < 9 &&
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_lesson(const fs::path& folder) {
    const std::string name = folder.filename().string();
    return fs::is_regular_file(folder / "lesson.toml") && is_number(name.substr(0, name.find('-')));
}

}  // namespace

std::vector<Lesson> load_lessons(const std::string& folder) {
    std::vector<Lesson> lessons;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
        if (is_lesson(entry.path())) lessons.push_back(load_lesson(entry.path()));
    std::sort(lessons.begin(), lessons.end(), [](const Lesson& a, const Lesson& b) {
        return std::pair(std::stoi(a.number), a.name) < std::pair(std::stoi(b.number), b.name);
    });
    if (lessons.empty())
        throw Error("there is no lesson in " + folder + ": a lesson is a folder NN-NAME with a lesson.toml");
    return lessons;
}

const Lesson& find_lesson(const std::vector<Lesson>& lessons, const std::string& word) {
    std::vector<std::string> names;
    for (const Lesson& lesson : lessons) {
        const std::string after = lesson.name.substr(std::min(lesson.name.size(), lesson.number.size() + 1));
        const bool numbered = is_number(word) && std::stoi(word) == std::stoi(lesson.number);
        if (numbered || word == lesson.name || word == after) return lesson;
        names.insert(names.end(), {lesson.name, after});
    }
    const std::string near = nearest_word(word, names);
    throw Error(fmt::format(
        "there is no lesson \"{}\"{}",
        word,
        near.empty() ? fmt::format("; there are {} to {}", lessons.front().number, lessons.back().number)
                     : "; did you mean \"" + near + "\"?"
    ));
}

std::vector<std::string> exercise_files(const Lesson& lesson) {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(lesson.folder)) {
        const std::string name = entry.path().filename().string();
        const bool ours = name == "lesson.md" || name == "lesson.toml" || name.starts_with('.');
        if (entry.is_regular_file() && !ours && entry.path().extension() != ".wlcap") files.push_back(name);
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace wl::app
