// Markdown as far as lessons use it, and the few filters behind a command.
#include "app/cli/learn/page.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace wl::app {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
constexpr double kPatience = 600;  // s

// As a shell splits a line without variables: quotes hold words together, | begins the next stage.
std::vector<Words> stages_of(const std::string& line) {
    std::vector<Words> stages(1);
    std::string word;
    bool inside = false;
    char quote = 0;
    const auto end_word = [&] {
        if (inside) stages.back().push_back(word);
        word.clear(), inside = false;
    };
    for (const char c : line) {
        if (quote != 0 ? c == quote : c == '\'' || c == '"') {
            quote = quote != 0 ? '\0' : c, inside = true;
        } else if (quote == 0 && (c == ' ' || c == '|')) {
            end_word();
            if (c == '|') stages.emplace_back();
        } else {
            word += c, inside = true;
        }
    }
    end_word();
    return stages;
}

Words lines_of(const std::string& text) {
    Words lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

size_t number_of(const std::string& word) {
    size_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    return problem == std::errc{} && end == word.data() + word.size() ? number : 0;
}

Words filtered(Words lines, const Words& stage, const std::string& line) {
    const std::string name = stage.empty() ? "" : stage.front();
    if (name == "grep" && stage.size() == 2) {
        std::erase_if(lines, [&](const std::string& l) { return l.find(stage[1]) == std::string::npos; });
        return lines;
    }
    if (name == "cut" && stage.size() == 3 && stage[1] == "-c" && stage[2].starts_with("1-")) {
        for (std::string& l : lines) l.resize(std::min(l.size(), number_of(stage[2].substr(2))));
        return lines;
    }
    const size_t count = stage.size() == 3 && stage[1] == "-n" ? number_of(stage[2]) : 0;
    if (count == 0 || (name != "head" && name != "tail"))
        throw Error(
            "a lesson runs `warplens WORDS`, and after a | only head -n N, tail -n N, grep TEXT and cut -c "
            "1-N: \"" +
            line + "\""
        );
    const auto surplus = static_cast<std::ptrdiff_t>(lines.size() - std::min(lines.size(), count));
    if (name == "head")
        lines.erase(lines.end() - surplus, lines.end());
    else
        lines.erase(lines.begin(), lines.begin() + surplus);
    return lines;
}

// **bold** as such; what is `code` stays as it is written.
std::string emphasised(const std::string& line, const Style& style) {
    if (!style.color) return line;
    std::string out;
    size_t at = 0;
    for (size_t open = line.find("**"); open != std::string::npos; open = line.find("**", at)) {
        const size_t close = line.find("**", open + 2);
        if (close == std::string::npos) break;
        out +=
            line.substr(at, open - at) + paint(style, Color::bold, line.substr(open + 2, close - open - 2));
        at = close + 2;
    }
    return out + line.substr(at);
}

std::string prose(const std::string& line, const Style& style) {
    if (line.starts_with("## ")) return paint(style, Color::bold, line.substr(3));
    if (line.starts_with("# ")) return paint(style, Color::bold, line.substr(2));
    return emphasised(line, style);
}

std::string indented(const std::string& text) {
    std::string out;
    for (const std::string& line : lines_of(text)) out += line.empty() ? "\n" : "    " + line + "\n";
    return out;
}

}  // namespace

InFolder::InFolder(const std::string& folder) : before(fs::current_path().string()) {
    fs::current_path(folder);
}

InFolder::~InFolder() {
    std::error_code none;
    fs::current_path(before, none);
}

Ran run_line(const std::string& line, bool colour) {
    const std::vector<Words> stages = stages_of(line);
    Words words = stages.front();
    if (words.empty() || words.front() != "warplens")
        throw Error("a lesson runs nothing but warplens: \"" + line + "\"");
    words.front() = fs::read_symlink("/proc/self/exe").string();
    const bool has_option = std::find(words.begin(), words.end(), "--color") != words.end();
    if (!has_option) words.insert(words.end(), {"--color", colour ? "always" : "never"});
    const Scratch scratch;
    const Finished done = run_process(words, scratch.path + "/said", kPatience);
    if (!done.started) throw Error("warplens does not start: " + words.front());
    if (done.timed_out) return {kExitError, fmt::format("ended after {} s\n", kPatience)};
    Words lines = lines_of(done.output);
    for (size_t k = 1; k < stages.size(); ++k) lines = filtered(std::move(lines), stages[k], line);
    const std::string said = lines.empty() ? "" : join(lines, "\n") + "\n";
    return {done.status, colour ? with_its_colours(said) : said};
}

void read_page(const Lesson& lesson, bool colour, const std::function<void(const PageLine&)>& tell) {
    using Kind = PageLine::Kind;
    const InFolder there(lesson.folder);
    bool code = false, session = false;
    for (const std::string& line : lines_of(read_text_file("lesson.md"))) {
        if (line.starts_with("```")) {
            code = !code, session = line == "```console";
        } else if (code && session && line.starts_with("$ ")) {
            tell({Kind::command, line});
            tell({Kind::output, run_line(line.substr(2), colour).output});
        } else {
            tell({code ? Kind::code : Kind::prose, line});
        }
    }
}

std::string page_text(const PageLine& line, const Style& style) {
    switch (line.kind) {
        case PageLine::Kind::command: return paint(style, Color::bold, "    " + line.text) + "\n";
        case PageLine::Kind::output: return indented(line.text);
        case PageLine::Kind::code: return (line.text.empty() ? line.text : "    " + line.text) + "\n";
        case PageLine::Kind::prose: return prose(line.text, style) + "\n";
    }
    return "";
}

std::vector<PagePiece> pieces_of(const std::vector<PageLine>& lines) {
    std::vector<PagePiece> pieces;
    bool open = false;  // the last piece goes on
    const auto add = [&](const char* kind, const std::string& text, const char* between) {
        const bool on = open && pieces.back().kind == kind;
        if (on)
            pieces.back().text += between + text;
        else
            pieces.push_back({kind, text});
        open = true;
    };
    for (const PageLine& line : lines) {
        const std::string& text = line.text;
        const bool item = text.starts_with("- ");
        switch (line.kind) {
            case PageLine::Kind::command: open = false, add("command", text, ""), open = false; break;
            case PageLine::Kind::output: add("output", text, ""), open = false; break;
            case PageLine::Kind::code: add("code", text, "\n"); break;
            case PageLine::Kind::prose:
                open = open && !item && !text.empty();
                if (text.starts_with("## "))
                    add("heading", text.substr(3), " "), open = false;
                else if (text.starts_with("# "))
                    add("title", text.substr(2), " "), open = false;
                else if (item)
                    add("item", text.substr(2), " ");
                else if (open && pieces.back().kind == "item")
                    add("item", text.substr(text.find_first_not_of(' ')), " ");
                else if (!text.empty())
                    add("paragraph", text, " ");
        }
    }
    return pieces;
}

}  // namespace wl::app
