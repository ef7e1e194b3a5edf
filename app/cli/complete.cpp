// Verbs and options from the grammar; kernels, faults and presets from the manifests.
#include "app/cli/complete.h"

#include "app/cli/formats/report.h"
#include "app/cli/grammar.h"
#include "app/cli/learn/lesson.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/output/visible.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/shipped.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

namespace wl::app {

namespace {

std::string first_words(const std::string& about) { return about.substr(0, about.find(';')); }

std::vector<Candidate> verbs(const CLI::App& app) {
    std::vector<Candidate> found;
    for (const CLI::App* verb : verbs_of(app)) found.push_back({verb->get_name(), verb->get_description()});
    return found;
}

std::vector<Candidate> options_of(const CLI::App& verb) {
    std::vector<Candidate> found;
    for (const CLI::Option* option : verb.get_options())
        for (const std::string& name : option->get_lnames())
            found.push_back({"--" + name, first_words(option->get_description())});
    return found;
}

std::vector<Candidate> shipped_kernels() {
    std::vector<Candidate> found;
    for (const std::string& path : manifest::shipped())
        found.push_back({std::filesystem::path(path).stem().string(), manifest::load(path).title});
    return found;
}

std::vector<Candidate> shipped_lessons() {
    std::vector<Candidate> found;
    for (const Lesson& lesson : load_lessons(manifest::shipped_folder("lessons", "WARPLENS_LESSONS")))
        found.push_back({lesson.name, lesson.title});
    return found;
}

// The manifest of the first word that is one's name.
std::optional<manifest::Kernel> kernel_among(std::span<const std::string> words) {
    for (const std::string& word : words) {
        if (word.starts_with('-')) continue;
        try {
            return manifest::load(manifest::resolve(word));
        } catch (const std::exception&) { continue; }
    }
    return std::nullopt;
}

// Of an option that takes a value: what it may be, as far as a grammar or a manifest says.
std::vector<Candidate> values_of(const std::string& option, std::span<const std::string> words) {
    std::vector<Candidate> found;
    if (option == "--format") {
        for (const std::string& name : format_names()) found.push_back({name, ""});
        return found;
    }
    if (option == "--color")
        return {
            {"auto",   ""},
            {"always", ""},
            {"never",  ""}
        };
    if (option != "--fault" && option != "--preset" && option != "--presets") return found;
    const std::optional<manifest::Kernel> kernel = kernel_among(words);
    if (!kernel) return found;
    if (option == "--fault") {
        for (const manifest::Fault& fault : kernel->faults) found.push_back({fault.name, fault.about});
    } else {
        for (const auto& [name, unused] : kernel->presets) found.push_back({name, ""});
    }
    return found;
}

bool takes_value(const CLI::App& verb, const std::string& word) {
    const CLI::Option* option = word.starts_with('-') ? verb.get_option_no_throw(word) : nullptr;
    return option != nullptr && option->get_expected_min() > 0;
}

// Kernels are where a verb's first word is one.
bool wants_kernel(const CLI::App& verb) {
    return std::ranges::any_of(verb.get_options(), [](const CLI::Option* option) {
        return option->get_positional() && option->get_name(true).starts_with("kernel");
    });
}

std::vector<Candidate> candidates(std::span<const std::string> words) {
    Command unused;
    const std::unique_ptr<CLI::App> app = make_grammar(unused);
    if (words.size() < 2) return verbs(*app);
    const CLI::App* verb = find_verb(*app, words.front());
    if (verb == nullptr) return {};
    const std::string& word = words.back();
    const std::string& before = words[words.size() - 2];
    const std::span<const std::string> typed = words.subspan(1, words.size() - 2);
    if (words.size() > 2 && takes_value(*verb, before)) return values_of(before, typed);
    if (word.starts_with('-')) return options_of(*verb);
    if (words.front() == "help") return verbs(*app);
    if (words.front() == "learn") return shipped_lessons();
    if (words.front() == "completion")
        return {
            {"bash", ""},
            {"zsh",  ""},
            {"fish", ""}
        };
    const bool is_path = word.find('/') != std::string::npos || word.starts_with('.');
    return wants_kernel(*verb) && !is_path ? shipped_kernels() : std::vector<Candidate>{};
}

constexpr const char* kBash = R"(# bash completion of warplens: source <(warplens completion bash)
_warplens() {
    local IFS=$'\n'
    COMPREPLY=($(warplens __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _warplens warplens
)";

constexpr const char* kZsh = R"(#compdef warplens
# zsh completion of warplens: source <(warplens completion zsh)
_warplens() {
    local line
    local -a found
    while IFS= read -r line; do
        local word=${line%%$'\t'*}
        found+=("${word//:/\\:}:${line#*$'\t'}")
    done < <(warplens __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#found} )); then _describe warplens found; else _files; fi
}
compdef _warplens warplens
)";

constexpr const char* kFish = R"(# fish completion of warplens: warplens completion fish | source
complete -c warplens -a '(warplens __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
)";

}  // namespace

std::vector<Candidate> complete(const std::vector<std::string>& words) {
    try {
        std::vector<Candidate> found = candidates(words);
        const std::string start = words.empty() ? "" : words.back();
        std::erase_if(found, [&](const Candidate& c) { return !c.word.starts_with(start); });
        return found;
    } catch (const std::exception&) { return {}; }
}

int print_completions(const std::vector<std::string>& words) {
    for (const Candidate& candidate : complete(words))
        print_text(visible_line(candidate.word) + "\t" + visible_line(candidate.about) + "\n");
    return kExitOk;
}

int verb_completion(const Command& command) {
    print_text(command.topic == "bash" ? kBash : command.topic == "zsh" ? kZsh : kFish);
    return kExitOk;
}

}  // namespace wl::app
