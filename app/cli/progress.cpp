// Progress and interruption of a run.
#include "app/cli/progress.h"

#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/output/visible.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

namespace wl::app {

namespace {

// The signal that asked to stop. A handler has no other way to speak to the program.
volatile std::sig_atomic_t stop_requested = 0, stop_of_terminal = 0;

void request_stop(int signal, siginfo_t* info, void* /*context*/) {
    if (stop_requested != 0) std::signal(signal, SIG_DFL);
    stop_requested = signal;
    stop_of_terminal = info->si_code == SI_KERNEL ? 1 : 0;
}

struct Reporter {
    OutputOptions options;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now(), last = start;
    std::string stage;
    bool shown = false;

    explicit Reporter(OutputOptions o) : options(std::move(o)) {}
    bool operator()(const diagnosis::Progress& p) {
        const auto now = std::chrono::steady_clock::now();
        const bool fresh = p.stage != stage;
        stage = p.stage;
        if (options.progress) {
            if (fresh || now - last > std::chrono::milliseconds(50))
                print_notice(fmt::format("progress {} {:.3f}\n", visible_line(p.stage), p.fraction)),
                    last = now;
        } else if (!options.quiet && isatty(STDERR_FILENO) != 0 && now - start > std::chrono::seconds(1) && now - last > std::chrono::milliseconds(100)) {
            print_progress(fmt::format("{} {:3.0f} %", p.stage, 100 * p.fraction));
            shown = true, last = now;
        }
        return !interrupted();
    }
    ~Reporter() {
        if (shown) print_progress("");
    }
};

}  // namespace

void catch_interrupts() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        action.sa_sigaction = request_stop, action.sa_flags = SA_RESTART | SA_SIGINFO;
        sigaction(signal, &action, nullptr);
    }
}

void catch_size_limit() {
    std::signal(SIGXFSZ, [](int) {});
}

bool interrupted() { return stop_requested != 0; }

bool interrupted_by_terminal() { return stop_of_terminal != 0; }

void let_interrupts_end_waits() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        action.sa_flags &= ~SA_RESTART;
        sigaction(signal, &action, nullptr);
    }
}

int exit_status_of_interruption() { return 128 + (stop_requested != 0 ? stop_requested : SIGINT); }

void end_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) std::_Exit(128 + SIGTERM);
}

std::function<bool(const diagnosis::Progress&)> progress_reporter(const OutputOptions& options) {
    auto reporter = std::make_shared<Reporter>(Reporter(options));
    return [reporter](const diagnosis::Progress& p) { return (*reporter)(p); };
}

}  // namespace wl::app
