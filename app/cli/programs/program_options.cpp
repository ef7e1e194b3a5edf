// --first, and the words that are not ours.
#include "app/cli/programs/program_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace wl::app {

namespace {

void add_nvcc(CLI::App& app, Command& c) {
    CLI::App* nvcc = app.add_subcommand(
        "nvcc", "nvcc with what a program needs to be run by `warplens run --`: shared runtime, PTX, lines"
    );
    nvcc->footer("Example:\n  warplens nvcc scale.cu -o scale && warplens run -- ./scale");
    nvcc->callback([&c] { c.verb = "nvcc"; });
}

}  // namespace

void add_programs(CLI::App& app, CLI::App& run, Command& c) {
    CLI::Option* first = run.add_option(
        "--first",
        c.program.first,
        "of a program after --: execute only the first N launches of each kernel and shape; 0: all, also "
        "those whose outcome nothing reads"
    );
    first->check(CLI::NonNegativeNumber);
    CLI::Option* explore = run.add_option(
        "--explore",
        c.program.explore,
        "of a program after --: run it N times more, with the work of its streams in other orders that CUDA "
        "allows; "
        "default: once where operations race and it is short"
    );
    explore->check(CLI::NonNegativeNumber);
    run.add_option(
        "--reference",
        c.program.reference,
        "of a program after --: compare what --launch leaves with what the same launch of another program "
        "leaves, of "
        "a FILE.wllaunch, or with what a function of NumPy returns (FILE.py:FUNCTION)"
    );
    add_nvcc(app, c);
}

std::vector<std::string> take_program(std::vector<std::string>& words) {
    if (words.size() < 2) return {};
    auto from = words.end();
    const bool runs = words[1] == "run" || words[1] == "init";
    if (runs) from = std::find(words.begin(), words.end(), "--");
    const bool asks = words.size() == 3 && (words[2] == "--help" || words[2] == "-h");
    if (words[1] == "nvcc" && !asks) from = words.begin() + 2;
    std::vector<std::string> out(from, words.end());
    words.erase(from, words.end());
    if (!out.empty() && runs) out.erase(out.begin());
    return out;
}

}  // namespace wl::app
