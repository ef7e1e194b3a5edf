// The verb: the list, a text, an exercise handed out, a hint, a verdict.
#include "app/cli/learn/check.h"
#include "app/cli/learn/lesson.h"
#include "app/cli/learn/page.h"
#include "app/cli/learn/progress.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/shipped.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void say(const std::string& text) { print_text(text), std::fflush(stdout); }

void say_json(const Json& fields) {
    Json json{
        {"warplens", WL_VERSION},
        {"verb",     "learn"   }
    };
    json.update(fields);
    say(json_text(json) + "\n");
}

// What a lesson's commands begin with: the folder of lessons goes along.
std::string command_of(const Lesson& lesson, const LearnOptions& o) {
    return "warplens learn " + lesson.number + (o.lessons.empty() ? "" : " --lessons " + o.lessons);
}

int list(const std::vector<Lesson>& lessons, const Command& c) {
    Json all = Json::array();
    std::string text;
    size_t width = 0;
    for (const Lesson& lesson : lessons) width = std::max(width, lesson.title.size());
    const Style style = style_of(c.output);
    for (const Lesson& lesson : lessons) {
        const bool solved = progress_of(lesson.name).solved;
        all.push_back({
            {"number", lesson.number},
            {"name",   lesson.name  },
            {"title",  lesson.title },
            {"about",  lesson.about },
            {"solved", solved       }
        });
        text += fmt::format(
            "{} {}  {:<{}}  {}\n",
            solved ? paint(style, Color::good, "*") : " ",
            lesson.number,
            lesson.title,
            width,
            paint(style, Color::dim, lesson.about)
        );
    }
    text += "\n`warplens learn 01` opens a lesson; * is what you have solved.\n";
    c.output.json ? say_json({
                        {"lessons", all}
    })
                  : say(text);
    return kExitOk;
}

std::string footer(const Lesson& lesson, const LearnOptions& o, const Style& style) {
    const std::string command = command_of(lesson, o);
    const auto row = [&](const std::string& words, const std::string& about) {
        return fmt::format("  {:<{}}  {}\n", command + words, command.size() + 9, about);
    };
    return "\n" + paint(style, Color::bold, "To do") + "\n" + wrap(lesson.task, 2) +
        row(" --start", "puts the exercise into ./" + lesson.name + "; edit " + join(lesson.edit, ", ")) +
        row(" --check", "runs it and says what is not right yet") +
        row(" --hint",
            fmt::format(
                "opens a hint; there {} {}", lesson.hints.size() == 1 ? "is" : "are", lesson.hints.size()
            ));
}

// Where the exercise lies: the student's folder if it was handed out, else the lesson's.
std::string folder_now(const Lesson& lesson) {
    return fs::exists(fs::path(lesson.name) / lesson.edit.front()) ? lesson.name : lesson.folder;
}

int read_lesson(const Lesson& lesson, const Command& c) {
    const Style style = style_of(c.output);
    if (!c.output.json) {
        read_page(lesson, style.color, [&](const PageLine& line) { say(page_text(line, style)); });
        say(footer(lesson, c.learn, style));
        return kExitOk;
    }
    std::string text;
    std::vector<PageLine> lines;
    read_page(lesson, false, [&](const PageLine& line) {
        text += page_text(line, Style{});
        lines.push_back(line);
    });
    Json page = Json::array();
    for (const PagePiece& piece : pieces_of(lines))
        page.push_back({
            {"kind", piece.kind},
            {"text", piece.text}
        });
    say_json({
        {"lesson", lesson.name           },
        {"title",  lesson.title          },
        {"text",   text                  },
        {"page",   page                  },
        {"folder", folder_now(lesson)    },
        {"files",  exercise_files(lesson)},
        {"task",   lesson.task           },
        {"edit",   lesson.edit           },
        {"hints",  lesson.hints.size()   }
    });
    return kExitOk;
}

int start_lesson(const Lesson& lesson, const Command& c) {
    const fs::path folder = c.learn.start->empty() ? lesson.name : *c.learn.start;
    const std::vector<std::string> files = exercise_files(lesson);
    for (const std::string& file : files)
        if (fs::exists(folder / file))
            throw Error(fmt::format(
                "{} is there already, and is left as it is: name another folder after --start",
                (folder / file).string()
            ));
    std::error_code problem;
    fs::create_directories(folder, problem);
    for (const std::string& file : files)
        if (!problem) copy_file_atomically(fs::path(lesson.folder) / file, folder / file);
    if (problem) throw Error(fmt::format("{} cannot be filled: {}", folder.string(), problem.message()));
    for (const std::string& file : files)
        fs::permissions(folder / file, fs::perms::owner_write, fs::perm_options::add, problem);
    if (c.output.json) {
        say_json({
            {"lesson", lesson.name    },
            {"folder", folder.string()},
            {"files",  files          },
            {"edit",   lesson.edit    }
        });
        return kExitOk;
    }
    say(fmt::format(
        "{}: {}\nedit {}, then: {} --check{}\n",
        folder.string(),
        join(files, ", "),
        join(lesson.edit, ", "),
        command_of(lesson, c.learn),
        c.learn.start->empty() ? "" : " " + *c.learn.start
    ));
    return kExitOk;
}

int check_lesson(const Lesson& lesson, const Command& c) {
    const std::string folder = student_folder(lesson, *c.learn.check);
    const Style style = style_of(c.output);
    const std::optional<NotYet> left = check_solution(lesson, folder, !c.output.json && style.color);
    LessonProgress progress = progress_of(lesson.name);
    if (!left && !progress.solved) {
        progress.solved = true;
        remember(lesson.name, progress);
    }
    if (c.output.json) {
        Json json{
            {"lesson",  lesson.name                },
            {"verdict", left ? "not yet" : "solved"}
        };
        if (left) json["says"] = left->says, json["run"] = left->run, json["output"] = left->output;
        say_json(json);
        return left ? kExitFindings : kExitOk;
    }
    const std::string head = lesson.number + " " + lesson.title + ": ";
    if (!left) {
        say(head + paint(style, Color::good, "solved") + "\n");
        return kExitOk;
    }
    say(head + paint(style, Color::warn, "not yet") + "\n" + wrap(left->says, 2));
    if (!left->run.empty()) say("\n$ warplens " + left->run + "\n" + left->output);
    if (progress.hints < lesson.hints.size())
        say(fmt::format(
            "\n{} --hint opens hint {} of {}\n",
            command_of(lesson, c.learn),
            progress.hints + 1,
            lesson.hints.size()
        ));
    return kExitFindings;
}

// The next one; those that were opened before stand above it.
int open_hint(const Lesson& lesson, const Command& c) {
    LessonProgress progress = progress_of(lesson.name);
    progress.hints = std::min(progress.hints + 1, lesson.hints.size());
    remember(lesson.name, progress);
    const std::vector<std::string> open(
        lesson.hints.begin(), lesson.hints.begin() + static_cast<std::ptrdiff_t>(progress.hints)
    );
    if (c.output.json) {
        say_json({
            {"lesson", lesson.name        },
            {"hints",  open               },
            {"of",     lesson.hints.size()}
        });
        return kExitOk;
    }
    for (size_t k = 0; k < open.size(); ++k)
        say(fmt::format("Hint {} of {}\n{}", k + 1, lesson.hints.size(), wrap(open[k], 2)));
    return kExitOk;
}

}  // namespace

int verb_learn(const Command& c) {
    const std::string folder =
        c.learn.lessons.empty() ? manifest::shipped_folder("lessons", "WARPLENS_LESSONS") : c.learn.lessons;
    const std::vector<Lesson> lessons = load_lessons(folder);
    if (c.learn.lesson.empty()) {
        if (c.learn.start || c.learn.check || c.learn.hint)
            throw Error("which lesson? `warplens learn` lists them; write its number after learn");
        return list(lessons, c);
    }
    const Lesson& lesson = find_lesson(lessons, c.learn.lesson);
    if (c.learn.start) return start_lesson(lesson, c);
    if (c.learn.check) return check_lesson(lesson, c);
    return c.learn.hint ? open_hint(lesson, c) : read_lesson(lesson, c);
}

}  // namespace wl::app
