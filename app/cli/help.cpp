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

void add_help_verbs(CLI::App& app, Command& c) {
    const auto add = [&](const char* name, const char* about, const char* example) {
        CLI::App* verb = app.add_subcommand(name, about);
        verb->footer(std::string("Example:\n  ") + example);
        verb->callback([&c, name] { c.verb = name; });
        return verb;
    };
    add("help", "what a verb does, its options and an example", "warplens help diagnose")
        ->add_option("verb", c.topic, "default: all verbs");
    add("completion",
        "a script by which a shell completes verbs, options, kernels, faults and presets",
        "source <(warplens completion bash)")
        ->add_option("shell", c.topic, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    add("manual", "this manual as a page for man", "warplens manual | man -l -");
}

}  // namespace wl::app
