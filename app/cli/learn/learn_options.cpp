// What a student says.
#include "app/cli/learn/learn_options.h"

#include <CLI/CLI.hpp>

namespace wl::app {

namespace {

// An option that may name a folder: empty where it does not.
CLI::Option* add_folder(CLI::App& verb, const char* name, std::optional<std::string>& to, const char* about) {
    return verb
        .add_option_function<std::vector<std::string>>(
            name,
            [&to](const std::vector<std::string>& said) { to = said.empty() ? "" : said.front(); },
            about
        )
        ->expected(0, 1)
        ->type_name("DIR");
}

}  // namespace

void add_learn_options(CLI::App& verb, LearnOptions& o) {
    verb.add_option("lesson", o.lesson, "its number or name; default: list them");
    CLI::Option* start = add_folder(
        verb, "--start", o.start, "put the kernel to mend into this folder; default: one of the lesson's name"
    );
    CLI::Option* check = add_folder(
        verb,
        "--check",
        o.check,
        "run what is in that folder, and say what is not right yet; exit status 0: solved"
    );
    CLI::Option* hint = verb.add_flag("--hint", o.hint, "open the next hint");
    start->excludes(check)->excludes(hint);
    check->excludes(hint);
    verb.add_option("--lessons", o.lessons, "a folder of other lessons (docs/learn.md)");
}

}  // namespace wl::app
