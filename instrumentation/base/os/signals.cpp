// A handler that counts, and a thread that ends what does not end by itself.
#include "instrumentation/base/os/signals.h"

#include "instrumentation/base/os/leftovers.h"
#include "instrumentation/base/os/stop.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <semaphore.h>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace wl {
namespace {

constexpr int64_t kOneSignal =
    250;                          // ms: timeout(1) sends its signal twice, a terminal and a parent one each
constexpr int64_t kGrace = 1500;  // ms, unless WARPLENS_GRACE gives seconds

// A handler has no other way to speak to the program.
constinit std::atomic<bool> by_terminal{false};
constinit std::atomic<int> handing{0}, handed_count{0}, handed_signal{0};
constinit std::atomic<int64_t> last{-kOneSignal};  // ms
sem_t asked;

int64_t now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void pause_ms(int64_t ms) {
    timespec left{ms / 1000, ms % 1000 * 1'000'000};
    while (nanosleep(&left, &left) != 0) {}
}

// Only calls that signal-safety(7) lists.
void heard(int signal, siginfo_t* info, void* /*context*/) {
    const int64_t now = now_ms(), before = last.exchange(now);
    const bool again = stop_signal() != 0 || handed_signal != 0;
    if (again && now - before < kOneSignal) return;
    if (handing > 0) {
        by_terminal = info->si_code == SI_KERNEL;
        handed_signal = signal, ++handed_count;
        return;
    }
    if (again) {
        std::signal(signal, SIG_DFL);
        raise(signal);  // which comes when the handler returns
        return;
    }
    by_terminal = info->si_code == SI_KERNEL;
    ask_to_stop(signal);
    const int error = errno;
    sem_post(&asked);
    errno = error;
}

int64_t grace() {
    const char* const seconds = std::getenv("WARPLENS_GRACE");
    return seconds == nullptr ? kGrace : static_cast<int64_t>(1000 * std::strtod(seconds, nullptr));
}

void end_late(int64_t grace) {
    while (sem_wait(&asked) != 0) {}
    pause_ms(grace);
    while (is_saving()) pause_ms(10);
    const char* const text = interruption_text();
    [[maybe_unused]] const ssize_t said = write(STDERR_FILENO, text, std::strlen(text));
    remove_leftovers();
    _exit(exit_status_of_interruption());
}

// Signals are for the threads that work, whose waits they end.
void start_ender() {
    sem_init(&asked, 0, 0);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    std::thread(end_late, grace()).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void catch_interrupts() {
    start_ender();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        action.sa_sigaction = heard, action.sa_flags = SA_RESTART | SA_SIGINFO;
        sigaction(signal, &action, nullptr);
    }
}

void catch_size_limit() {
    std::signal(SIGXFSZ, [](int) {});
}

bool interrupted() { return stop_signal() != 0 || handed_signal != 0; }

int exit_status_of_interruption() {
    const int own = stop_signal(), theirs = handed_signal;
    return 128 + (own != 0 ? own : theirs != 0 ? theirs : SIGINT);
}

const char* interruption_text() {
    return has_saved() ? "warplens: interrupted; files already written are complete\n"
                       : "warplens: interrupted; nothing was written\n";
}

HandedOn::HandedOn() { ++handing; }
HandedOn::~HandedOn() { --handing; }

int signals_handed_on() { return handed_count; }

bool interrupted_by_terminal() { return by_terminal; }

void hand_on(ProcessId child, int& handed) {
    const int all = signals_handed_on();
    if (all == handed) return;
    if (handed++ > 0)
        kill(child, SIGKILL);  // it was asked once, and went on
    else if (!interrupted_by_terminal())
        kill(child, handed_signal);
}

void end_with(ProcessId parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) std::_Exit(128 + SIGTERM);
}

}  // namespace wl
