// warplens: one of the two places where errors are caught and become an exit status.
#include "app/cli/complete.h"
#include "app/cli/init/init.h"
#include "app/cli/parse.h"
#include "app/cli/progress.h"
#include "app/cli/verbs.h"
#include "app/worker/worker.h"
#include "instrumentation/base/error.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace {

struct Verb {
    const char* name;
    int (*run)(const wl::app::Command&);
};
constexpr std::array<Verb, 18> kVerbs{
    {
     {"kernels", wl::app::verb_kernels},
     {"run", wl::app::verb_run},
     {"diagnose", wl::app::verb_diagnose},
     {"tiles", wl::app::verb_tiles},
     {"show", wl::app::verb_show},
     {"open", wl::app::verb_open},
     {"check", wl::app::verb_check},
     {"init", wl::app::verb_init},
     {"banks", wl::app::verb_banks},
     {"hazards", wl::app::verb_hazards},
     {"estimate", wl::app::verb_estimate},
     {"at", wl::app::verb_at},
     {"accept", wl::app::verb_accept},
     {"why", wl::app::verb_why},
     {"compare", wl::app::verb_compare},
     {"help", wl::app::verb_help},
     {"completion", wl::app::verb_completion},
     {"manual", wl::app::verb_manual},
     }
};

int run(int argc, char** argv) {
    if (argc > 1 && argv[1] == std::string_view(wl::app::kCompleteVerb))
        return wl::app::print_completions({argv + 2, argv + argc});
    const wl::app::Parsed parsed = wl::app::parse_command(argc, argv);
    if (parsed.exit) return *parsed.exit;
    wl::app::catch_interrupts();
    if (const char* parent = std::getenv(wl::app::kParentVariable))
        wl::app::end_with(static_cast<pid_t>(std::strtol(parent, nullptr, 10)));
    unsetenv(wl::app::kParentVariable);
    for (const Verb& verb : kVerbs) {
        if (parsed.command.verb == verb.name) return verb.run(parsed.command);
    }
    return wl::app::kExitError;
}

// Who asked for JSON gets an object, also where the command line itself cannot be read.
void print_problem(int argc, char** argv, std::string_view verdict, const std::string& what) {
    std::string prefix = "warplens: ";
    if (verdict == "error") prefix += "error: ";
    std::fprintf(stderr, "%s%s\n", prefix.c_str(), what.c_str());
    if (std::find(argv, argv + argc, std::string_view("--json")) == argv + argc) return;
    nlohmann::ordered_json json{
        {"warplens", WL_VERSION             },
        {"verb",     argc > 1 ? argv[1] : ""},
        {"verdict",  verdict                }
    };
    if (verdict == "error")
        json["error"] = what;
    else
        json["unsupported"] = {what};
    const std::string text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::fprintf(stdout, "%s\n", text.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const wl::diagnosis::Cancelled&) {
        std::fputs("warplens: interrupted; nothing was written\n", stderr);
        return wl::app::exit_status_of_interruption();
    } catch (const wl::Unsupported& u) {
        print_problem(argc, argv, "unsupported", u.what());
        return wl::app::kExitUnsupported;
    } catch (const std::exception& e) {
        print_problem(argc, argv, "error", e.what());
        return wl::app::kExitError;
    }
}
