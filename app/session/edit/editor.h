// "Open in my editor": the user's own, by a command with FILE and LINE in it.
#pragma once

#include <string>
#include <vector>

namespace wl::app {

// The command's words with {file} and {line} filled in; quotes keep words together. Without {file} the file
// is the last word. Throws Error for an empty command or an open quote.
std::vector<std::string> editor_words(const std::string& command, const std::string& file, int line);

// What is set in the environment ($WARPLENS_EDITOR), else the first of the known editors that is installed:
// "code --goto {file}:{line}"; empty: none is.
std::string usual_editor();

struct KnownEditor {
    const char *name, *command;
};
const std::vector<KnownEditor>& known_editors();

// Starts it and does not wait. Throws Error naming the program that is not there.
void open_editor(const std::string& command, const std::string& file, int line);

}  // namespace wl::app
