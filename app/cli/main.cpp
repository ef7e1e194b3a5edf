// warplens: one of the two places where errors are caught and become an exit status.
#include "app/cli/complete.h"
#include "app/cli/formats/report.h"
#include "app/cli/init/init.h"
#include "app/cli/parse.h"
#include "app/cli/verbs.h"
#include "app/worker/worker.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/memory_limit.h"
#include "instrumentation/base/os/signals.h"
#include "instrumentation/base/os/standard_streams.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/gpu/isolated.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

struct Verb {
    const char* name;
    int (*run)(const wl::app::Command&);
};
constexpr std::array<Verb, 27> kVerbs{
    {
     {"kernels", wl::app::verb_kernels},
     {"devices", wl::app::verb_devices},
     {"run", wl::app::verb_run},
     {"diagnose", wl::app::verb_diagnose},
     {"tiles", wl::app::verb_tiles},
     {"show", wl::app::verb_show},
     {"open", wl::app::verb_open},
     {"check", wl::app::verb_check},
     {"init", wl::app::verb_init},
     {"banks", wl::app::verb_banks},
     {"bench", wl::app::verb_bench},
     {"hazards", wl::app::verb_hazards},
     {"estimate", wl::app::verb_estimate},
     {"at", wl::app::verb_at},
     {"accept", wl::app::verb_accept},
     {"record", wl::app::verb_record},
     {"sweep", wl::app::verb_sweep},
     {"why", wl::app::verb_why},
     {"writers", wl::app::verb_writers},
     {"compare", wl::app::verb_compare},
     {"fragments", wl::app::verb_fragments},
     {"layout", wl::app::verb_layout},
     {"learn", wl::app::verb_learn},
     {"nvcc", wl::app::verb_nvcc},
     {"help", wl::app::verb_help},
     {"completion", wl::app::verb_completion},
     {"manual", wl::app::verb_manual},
     }
};

int run(int argc, char** argv) {
    if (argc > 1 && argv[1] == std::string_view(wl::app::kCompleteVerb))
        return wl::app::print_completions({argv + 2, argv + argc});
    if (argc > 2 && argv[1] == std::string_view(wl::gpu::kRunsVerb))
        return wl::gpu::serve_runs(std::atoi(argv[2]), STDIN_FILENO);
    const wl::app::Parsed parsed = wl::app::parse_command(argc, argv);
    if (parsed.exit) return *parsed.exit;
    wl::catch_interrupts();
    if (const char* parent = std::getenv(wl::app::kParentVariable))
        wl::end_with(static_cast<wl::ProcessId>(std::strtol(parent, nullptr, 10)));
    unsetenv(wl::app::kParentVariable);
    for (const Verb& verb : kVerbs) {
        if (parsed.command.verb == verb.name) return verb.run(parsed.command);
    }
    return wl::app::kExitError;
}

// The format that was asked for, as far as that can be told of a command line that may be wrong.
std::string format_asked(int argc, char** argv) {
    std::string format = "text";
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--json") format = "json";
        if (word == "--format" && i + 1 < argc) format = argv[i + 1];
        if (word.starts_with("--format=")) format = word.substr(std::string_view("--format=").size());
    }
    return format;
}

// What could not be written is an error, however well the verb itself went.
int finished(int status) {
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    errno = 0;
    if (!written) std::clearerr(stdout), std::fputc('\n', stdout), std::fflush(stdout);  // for the reason
    if (written) return wl::interrupted() ? wl::exit_status_of_interruption() : status;
    const int reason = errno;
    wl::print_notice(
        std::string("warplens: error: the results cannot be written to stdout") +
        (reason != 0 ? std::string(": ") + std::strerror(reason) : "") +
        "; free some room, or send them elsewhere\n"
    );
    return wl::app::kExitError;
}

int stopped() {
    wl::print_notice(wl::interruption_text());
    return wl::exit_status_of_interruption();
}

// Who asked for a format gets it, also where the command line itself cannot be read.
void print_problem(int argc, char** argv, std::string_view verdict, const std::string& what) {
    std::string prefix = "warplens: ";
    if (verdict == "error") prefix += "error: ";
    wl::print_notice(prefix + what + "\n");
    const std::string format = format_asked(argc, argv), verb = argc > 1 ? argv[1] : "";
    if (wl::app::is_report_format(format))
        wl::print_text(
            wl::app::report_text(wl::app::report_of_problem(verb, std::string(verdict), what), format)
        );
    if (format != "json") return;
    nlohmann::ordered_json json{
        {"warplens", WL_VERSION},
        {"verb",     verb      },
        {"verdict",  verdict   }
    };
    if (verdict == "error")
        json["error"] = what;
    else
        json["unsupported"] = {what};
    const std::string text = wl::json_text(json);
    wl::print_text(text + "\n");
}

int out_of_memory(int argc, char** argv) {
    if (wl::interrupted()) return stopped();
    print_problem(
        argc,
        argv,
        "error",
        "there is not enough memory for this (" + wl::memory_text(wl::memory_limit()) +
            " are there for it): give a smaller grid, smaller shapes or a smaller file, or raise the limit "
            "(ulimit -v)"
    );
    return finished(wl::app::kExitError);
}

}  // namespace

int main(int argc, char** argv) {
    wl::hold_standard_streams();
    wl::catch_size_limit();
    try {
        return finished(run(argc, argv));
    } catch (const wl::Stopped&) {
        // Where a signal was heard.
        return stopped();
    } catch (const wl::diagnosis::Cancelled&) { return stopped(); } catch (const wl::Unsupported& u) {
        print_problem(argc, argv, "unsupported", u.what());
        return finished(wl::app::kExitUnsupported);
    } catch (const std::bad_alloc&) {
        return out_of_memory(argc, argv);
    } catch (const std::length_error&) {  // of a container that no memory could hold
        return out_of_memory(argc, argv);
    } catch (const std::exception& e) {
        // What a signal has ended leaves work half done behind it: no error of its own.
        if (wl::interrupted()) return stopped();
        print_problem(argc, argv, "error", e.what());
        return finished(wl::app::kExitError);
    }
}
