// `warplens help VERB` is `warplens VERB --help`.
#include "app/cli/grammar.h"
#include "app/cli/parse.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"

#include <CLI/CLI.hpp>
#include <array>

namespace wl::app {

int verb_help(const Command& command) {
    Command unused;
    const std::unique_ptr<CLI::App> grammar = make_grammar(unused);
    if (!command.topic.empty() && find_verb(*grammar, command.topic) == nullptr)
        throw Error(unknown_verb(*grammar, command.topic));
    std::string program = "warplens", topic = command.topic, option = "--help";
    std::array<char*, 3> words{program.data(), option.data(), nullptr};
    if (!topic.empty()) words = {program.data(), topic.data(), option.data()};
    return parse_command(topic.empty() ? 2 : 3, words.data()).exit.value_or(kExitError);
}

}  // namespace wl::app
