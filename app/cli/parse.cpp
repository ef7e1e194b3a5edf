// Reading the command line with CLI11.
#include "app/cli/parse.h"

#include "app/cli/grammar.h"
#include "app/cli/programs/program_options.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/matched.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <sstream>

namespace wl::app {

namespace {

std::vector<std::string> long_options(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::Option* o : app.get_options()) {
        for (const std::string& name : o->get_lnames()) out.push_back("--" + name);
    }
    return out;
}

// What CLI11 says of a value, an option or an argument that is not there, as a sentence with what to write.
std::string said_plainly(const CLI::App& verb, const std::string& what) {
    static const std::regex kNoNumber("Could not convert: (\\S+) = (.*)"),
        kNoWord(R"((\S+): (.*) not in \{(.*)\})"), kNoValue(R"((\S+): 1 required .* missing)"),
        kRange(R"((\S+): Value (\S+) not in range.*)"), kAbsent(R"((\S+) is required)");
    std::smatch found;
    if (what.size() > kLongestMatched) return what;
    if (std::regex_match(what, found, kNoNumber))
        return fmt::format("{} {}: this is no number", found[1].str(), found[2].str());
    if (std::regex_match(what, found, kNoWord)) {
        std::vector<std::string> known;
        std::istringstream words(found[3].str());
        for (std::string word; std::getline(words, word, ',');) known.push_back(word);
        const std::string near = nearest_word(found[2].str(), known);
        return fmt::format("{} {}: ", found[1].str(), found[2].str()) +
            (near.empty() ? "write one of " + join(known, ", ") : "did you mean " + near + "?");
    }
    if (std::regex_match(what, found, kNoValue)) return found[1].str() + " needs a value";
    if (std::regex_match(what, found, kRange))
        return fmt::format("{} {}: this is outside what it may be", found[1].str(), found[2].str());
    if (!std::regex_match(what, found, kAbsent)) return what;
    const CLI::Option* option = verb.get_option_no_throw(found[1].str());
    return fmt::format(
        "`warplens {}` needs {}{}",
        verb.get_name(),
        found[1].str(),
        option == nullptr ? "" : ", " + option->get_description()
    );
}

// "`warplens diagnose` and `warplens run` have"; empty: none has the option.
std::string verbs_with(const CLI::App& app, const std::string& option) {
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands({})) {
        const std::vector<std::string> options = long_options(*verb);
        if (std::find(options.begin(), options.end(), option) != options.end())
            verbs.push_back("`warplens " + verb->get_name() + "`");
    }
    constexpr size_t kMost = 3;
    if (verbs.size() > kMost) verbs.resize(kMost), verbs.emplace_back("others");
    if (verbs.empty()) return {};
    if (verbs.size() == 1) return verbs.front() + " has";
    const std::string last = verbs.back();
    verbs.pop_back();
    return join(verbs, ", ") + " and " + last + " have";
}

// The first word that the grammar does not know, with the nearest one that it does.
std::string explain(const CLI::App& app, const CLI::ParseError& problem, int argc, char** argv) {
    const std::string verb_name = argc > 1 ? argv[1] : "";
    if (!verb_name.starts_with('-') && find_verb(app, verb_name) == nullptr)
        return unknown_verb(app, verb_name);
    const CLI::App* verb = verb_name.starts_with('-') ? &app : app.get_subcommand(verb_name);
    const std::vector<std::string> options = long_options(*verb);
    for (int i = 2; i < argc; ++i) {
        const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
        if (!word.starts_with("--") || std::find(options.begin(), options.end(), word) != options.end())
            continue;
        const std::string said = fmt::format("`warplens {}` has no option {}", verb_name, word);
        if (const std::string others = verbs_with(app, word); !others.empty())
            return fmt::format("{}; {} it", said, others);
        const std::string near = nearest_word(word, options);
        return said +
            (near.empty() ? fmt::format("; see `warplens {} --help`", verb_name)
                          : fmt::format("; did you mean {}?", near));
    }
    return said_plainly(*verb, problem.what()) + "; see `warplens " + verb_name + " --help`";
}

}  // namespace

Parsed parse_command(int argc, char** argv) {
    Parsed out;
    const std::unique_ptr<CLI::App> app = make_grammar(out.command);
    if (argc == 1) {
        print_text(app->help());
        out.exit = kExitError;
        return out;
    }
    std::vector<std::string> words(argv, argv + argc);
    const bool has_program = words[1] == "run" && std::find(words.begin(), words.end(), "--") != words.end();
    out.command.program.words = take_program(words);
    if (has_program && out.command.program.words.empty())
        throw Error("`warplens run --` needs a program after --; see `warplens run --help`");
    app->get_subcommand("run")->get_option("kernel")->required(!has_program);
    try {
        words.erase(words.begin());
        std::reverse(words.begin(), words.end());  // as CLI11 takes them
        app->parse(words);
    } catch (const CLI::Success& help) {
        std::ostringstream said;
        out.exit = app->exit(help, said, said);
        print_text(said.str());
    } catch (const CLI::ParseError& problem) { throw Error(explain(*app, problem, argc, argv)); }
    return out;
}

}  // namespace wl::app
