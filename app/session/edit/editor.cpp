// A process of its own session, so that it outlives the window; a terminal's editor gets a terminal.
#include "app/session/edit/editor.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/files.h"
#include "instrumentation/base/os/path_list.h"
#include "instrumentation/base/os/process.h"

#include <cstdlib>

namespace wl::app {

namespace {

std::vector<std::string> split(const std::string& command) {
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    bool any = false;
    for (const char c : command) {
        if (quote != 0 ? c == quote : c == '"' || c == '\'') {
            quote = quote != 0 ? '\0' : c;
            any = true;
        } else if (quote == 0 && c == ' ') {
            if (any) words.push_back(word);
            word.clear(), any = false;
        } else {
            word += c, any = true;
        }
    }
    if (quote != 0) throw Error("The editor's command has an open quote: " + command);
    if (any) words.push_back(word);
    return words;
}

bool fill_in(std::string& word, const std::string& mark, const std::string& value) {
    bool found = false;
    for (size_t at = 0; (at = word.find(mark, at)) != std::string::npos; at += value.size()) {
        word.replace(at, mark.size(), value);
        found = true;
    }
    return found;
}

bool is_installed(const std::string& program) {
    if (program.find('/') != std::string::npos) return is_executable(program);
    return !program_in_path(program).empty();
}

}  // namespace

std::vector<std::string> editor_words(const std::string& command, const std::string& file, int line) {
    std::vector<std::string> words = split(command);
    if (words.empty())
        throw Error(
            "No editor is set: choose one under File > My editor, for example code --goto {file}:{line}"
        );
    // No editor may take a name for an option, or for a command as vim takes "+!...".
    const std::string path = file.starts_with('-') || file.starts_with('+') ? "./" + file : file;
    bool named = false;
    for (std::string& word : words) {
        fill_in(word, "{line}", std::to_string(line));
        named = fill_in(word, "{file}", path) || named;
    }
    if (!named) words.push_back(path);
    return words;
}

const std::vector<KnownEditor>& known_editors() {
    static const std::vector<KnownEditor> kKnown = {
        {"VS Code", "code --goto {file}:{line}"                },
        {"CLion",   "clion --line {line} {file}"               },
        {"vim",     "x-terminal-emulator -e vim +{line} {file}"},
        {"Emacs",   "emacsclient -n +{line} {file}"            },
        {"Kate",    "kate --line {line} {file}"                },
    };
    return kKnown;
}

std::string usual_editor() {
    if (const char* set = std::getenv("WARPLENS_EDITOR"); set != nullptr && *set != '\0') return set;
    for (const KnownEditor& editor : known_editors())
        if (is_installed(split(editor.command).front())) return editor.command;
    return "";
}

void open_editor(const std::string& command, const std::string& file, int line) {
    const std::vector<std::string> words = editor_words(command, file, line);
    if (!is_installed(words.front()))
        throw Error(
            "The editor " + words.front() + " is not installed; choose another one under File > My editor"
        );
    start_apart(words);
}

}  // namespace wl::app
