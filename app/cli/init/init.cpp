// Compiled, guessed, measured, written; then what is left to do.
#include "app/cli/init/init.h"

#include "app/cli/check.h"
#include "app/cli/init/entries.h"
#include "app/cli/init/launches.h"
#include "app/cli/init/measure.h"
#include "app/cli/init/program/init_program.h"
#include "app/cli/init/write.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/compile.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

void require_new(const std::vector<std::string>& paths, bool force) {
    std::error_code none;
    for (const std::string& path : paths)
        if (!force && fs::exists(path, none))
            throw Error(path + " is there already; --force writes over it, -o NAME.toml writes another");
}

bool is_launched(const Guess& guess, const std::string& key) {
    const auto& all = guess.kernel.launches;
    return std::any_of(all.begin(), all.end(), [&](const auto& launch) { return launch.entry == key; });
}

// The kernel, or the launches in order.
std::string subject_text(const Guess& guess, const ptx::Function& entry) {
    if (guess.kernel.launches.size() == 1) return entry_words(entry.name);
    std::vector<std::string> names;
    for (const manifest::LaunchRule& rule : guess.kernel.launches) names.push_back(rule.entry);
    return fmt::format("{} launches, {}", names.size(), join(names, ", "));
}

void require_file(const Command& command) {
    if (!command.kernel.launch.empty())
        throw Error("--launch chooses among the launches of a program: it goes with --run -- PROGRAM");
    if (command.kernel.kernel.empty())
        throw Error("init takes a .cu or a .ptx, or --run -- PROGRAM; see `warplens help init`");
}

}  // namespace

int verb_init(const Command& command) {
    if (!command.program.words.empty()) return init_program(command);
    require_file(command);
    const std::string& file = command.kernel.kernel;
    const CheckReport report = check_file(file, command.check);
    const std::vector<std::string> entries = own_entries(report);
    if (entries.empty()) throw Error(file + ": there is no kernel in it to describe");
    const std::string toml =
        command.out.empty() ? fs::path(file).replace_extension(".toml").string() : command.out;
    const std::string python = fs::path(toml).replace_extension(".py").string();
    require_new({toml, python}, command.init.force);

    const bool is_source = fs::path(file).extension() == ".cu";
    const SourceText source = is_source ? read_source(read_text_file(file)) : SourceText{};
    const ptx::Function& entry = ptx::entry_of(report.module, entries.front());
    std::vector<std::string> keys;
    for (const std::string& symbol : entries) keys.push_back(entry_key(report, symbol));
    const std::string shown = fs::path(file).filename().string();
    std::optional<Guess> several = command.check.entry.empty()
        ? guess_launches(report.module, entries, keys, source, shown)
        : std::nullopt;
    Guess guess = several ? std::move(*several) : guess_kernel(report.module, entry, source, shown);
    if (!several) measure_arrays(guess, report.module, entry);

    Files files;
    const fs::path folder = fs::absolute(toml).parent_path();
    files.source =
        fs::absolute(file).lexically_normal().lexically_relative(folder.lexically_normal()).string();
    if (!several) files.entry = keys.front();
    files.reference = fs::path(python).filename().string();
    for (const std::string& name : command.check.include)
        files.include.push_back(seen_from(folder, fs::absolute(name)));
    files.defines = command.check.defines;
    write_text_file(toml, manifest_text(guess, files));
    write_text_file(python, reference_text(guess, files));

    print_text(
        fmt::format("{}: {}\n{}: its reference, to fill in\n", toml, subject_text(guess, entry), python)
    );
    print_text("left to do:\n");
    int number = 1;
    for (const std::string& what : guess.unknown) print_text(fmt::format("  {}. {}\n", number++, what));
    print_text(fmt::format(
        "  {}. {}: return what the kernel should compute; until then nothing is compared\n", number, python
    ));
    print_text(fmt::format(
        "  {}. {}: take out of assumed what you have checked; until then findings are no verdict\n",
        number + 1,
        toml
    ));
    std::vector<std::string> others;
    for (size_t i = 0; i < entries.size(); ++i)
        if (!is_launched(guess, keys[i]) && (several || i > 0)) others.push_back(keys[i]);
    if (!others.empty())
        print_text(fmt::format(
            "other kernels of {}, each by --entry NAME -o NAME.toml: {}\n", file, join(others, ", ")
        ));
    print_text(fmt::format("then: warplens run {}\n", toml));
    return kExitOk;
}

}  // namespace wl::app
