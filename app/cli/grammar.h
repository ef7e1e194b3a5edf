// The command line's grammar: every verb with its options, what they mean, and an example. Parsing, help,
// completion and the manual read it.
#pragma once

#include "app/cli/options.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wl::app {

// What is parsed by it goes into `command`, which must live as long.
std::unique_ptr<CLI::App> make_grammar(Command& command);

// Those about the command line itself: help, completion, manual.
void add_help_verbs(CLI::App& app, Command& command);

std::vector<const CLI::App*> verbs_of(const CLI::App& app);
const CLI::App* find_verb(const CLI::App& app, const std::string& name);  // nullptr: there is none
// "there is no verb 'rnu'; did you mean 'run'?"
std::string unknown_verb(const CLI::App& app, const std::string& name);

}  // namespace wl::app
