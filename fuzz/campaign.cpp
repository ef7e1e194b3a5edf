// The parent holds nothing of the engine: it forks, watches and takes notes in shared memory.
#include "fuzz/campaign.h"

#include "instrumentation/base/text.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wl::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostBytes = size_t{64} << 20;  // of one mutant
constexpr double kMostProcessorSeconds = 20;     // for one mutant, whatever else the machine does
constexpr double kMostSeconds = 300;             // for one that waits for something
constexpr uint64_t kMostMemory = uint64_t{4}
    << 30;  // of a child without a sanitizer, which has its own limit

// What parent and child both see.
struct Shared {
    std::atomic<uint64_t> number, started, accepted, refused, wrong;  // started: grows with every mutant
    std::atomic<double> slowest;
    std::atomic<uint64_t> slowest_number;
    std::atomic<size_t> size, how_size, problem_size;  // of what follows
    char how[4096], problem[4096];
    char bytes[kMostBytes];
};

Shared* share() {
    void* at = mmap(
        nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0
    );
    if (at == MAP_FAILED) throw std::runtime_error("no shared memory");
    return new (at) Shared();
}

void put(char* to, size_t most, std::atomic<size_t>& size, const std::string& text) {
    const size_t n = std::min(text.size(), most);
    std::copy_n(text.data(), n, to);
    size = n;
}

double processor_seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string problem_of(const Kind& kind, const Mutant& mutant, Shared& shared) {
    try {
        const Tried tried = kind.attempt(mutant);
        ++(tried.accepted ? shared.accepted : shared.refused);
        return tried.problem;
    } catch (const std::exception& thrown) {
        return std::string("an exception that is none of ours: ") + thrown.what();
    }
}

void keep(const Kind& kind, const Campaign& campaign, Shared& shared, const std::string& what) {
    const std::string name = fmt::format("{}-{}", kind.name, shared.number.load());
    const std::string how(shared.how, shared.how_size);
    std::fprintf(
        stderr, "%s: %s (%s)\n", name.c_str(), what.substr(0, 600).c_str(), how.substr(0, 300).c_str()
    );
    if (campaign.findings.empty()) return;
    std::ofstream(campaign.findings + "/" + name + kind.suffix, std::ios::binary)
        << std::string(shared.bytes, shared.size);
    std::ofstream(campaign.findings + "/" + name + ".txt") << how << "\n" << what << "\n";
}

void forget_log(const std::string& log) {
    if (!log.empty() && ftruncate(STDERR_FILENO, 0) == 0) lseek(STDERR_FILENO, 0, SEEK_SET);
}

void be_quiet(const std::string& log) {
    const int file = open(log.empty() ? "/dev/null" : log.c_str(), O_CREAT | O_RDWR | O_APPEND, 0600);
    dup2(file, STDERR_FILENO);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDIN_FILENO);
}

// Nothing outside is started: manifests and captures that name Python, nvcc or clang find none.
void leave_the_world() {
    setenv("PATH", "/nonexistent", 1);
    for (const char* name : {"WARPLENS_PYTHON", "WARPLENS_NVCC", "WARPLENS_CLANG"})
        setenv(name, "/nonexistent/none", 1);
#ifndef __SANITIZE_ADDRESS__
    const rlimit memory{kMostMemory, kMostMemory};
    setrlimit(RLIMIT_AS, &memory);
#endif
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
}

[[noreturn]] void try_all(const Kind& kind, uint64_t end, Shared& shared, const std::string& log) {
    be_quiet(log);
    leave_the_world();
    for (uint64_t number = shared.number + 1; number < end; ++number) {
        shared.size = 0, shared.problem_size = 0;
        shared.number = number;
        ++shared.started;
        forget_log(log);
        const Mutant mutant = kind.make(number);
        put(shared.how, sizeof shared.how, shared.how_size, mutant.how);
        put(shared.bytes, kMostBytes, shared.size, mutant.bytes);
        const double before = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
        const std::string problem = problem_of(kind, mutant, shared);
        const double took = processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
        if (took > shared.slowest) shared.slowest = took, shared.slowest_number = number;
        if (problem.empty()) continue;
        put(shared.problem, sizeof shared.problem, shared.problem_size, problem);
        ++shared.wrong;
        _exit(3);  // the parent keeps it
    }
    _exit(0);
}

struct Watch {
    pid_t child;
    uint64_t started = 0;
    double begin_processor = 0;
    Clock::time_point begin = Clock::now();
};

bool takes_too_long(Watch& watch, const Shared& shared) {
    clockid_t clock = 0;
    if (clock_getcpuclockid(watch.child, &clock) != 0) return false;
    const double used = processor_seconds(clock);
    if (watch.started != shared.started)
        watch.started = shared.started, watch.begin_processor = used, watch.begin = Clock::now();
    return used - watch.begin_processor > kMostProcessorSeconds ||
        std::chrono::duration<double>(Clock::now() - watch.begin).count() > kMostSeconds;
}

enum class End : uint8_t { done, wrong, crash, hang, time };

End watch_child(pid_t child, const Shared& shared, Clock::time_point end, int& status) {
    Watch watch{child};
    for (useconds_t pause = 200;; pause = std::min<useconds_t>(pause * 2, 50'000)) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) {
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return End::done;
            return WIFEXITED(status) && WEXITSTATUS(status) == 3 ? End::wrong : End::crash;
        }
        const bool hangs = takes_too_long(watch, shared);
        const bool over = Clock::now() > end;
        if (hangs || over) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return hangs ? End::hang : End::time;
        }
        usleep(pause);
    }
}

std::string words_of(int status, const std::string& log) {
    std::string text;
    if (!log.empty()) {
        std::ifstream in(log, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(in), {});
    }
    constexpr size_t kMostLog = 6000;
    const size_t from = std::min(text.find("ERROR:"), text.find("runtime error:"));
    const std::string said =
        text.substr(from == std::string::npos ? 0 : text.rfind('\n', from) + 1, kMostLog);
    return (WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                : fmt::format("exit status {}", WEXITSTATUS(status))) +
        "\n" + said;
}

// True: there is more to do.
bool take_note(
    const Kind& kind,
    const Campaign& campaign,
    Outcome& outcome,
    Shared& shared,
    End end,
    const std::string& words
) {
    switch (end) {
        case End::done:
        case End::time: return false;
        case End::wrong:
            keep(kind, campaign, shared, std::string(shared.problem, shared.problem_size));
            break;
        case End::crash:
            if (shared.size == 0) throw std::runtime_error("the mutant could not be made: " + words);
            ++outcome.crashes;
            keep(kind, campaign, shared, words);
            break;
        case End::hang: ++outcome.hangs; keep(kind, campaign, shared, "it does not end");
    }
    return outcome.crashes + outcome.hangs + shared.wrong < static_cast<uint64_t>(campaign.most_findings);
}

}  // namespace

Outcome run(const Kind& kind, const Campaign& campaign) {
    Shared& shared = *share();
    Outcome outcome;
    const Clock::time_point begin = Clock::now();
    const auto end = campaign.seconds > 0
        ? begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(campaign.seconds))
        : Clock::time_point::max();
    if (!campaign.findings.empty()) std::filesystem::create_directories(campaign.findings);
    const std::string log = campaign.findings.empty()
        ? ""
        : fmt::format("{}/{}-{}.log", campaign.findings, kind.name, campaign.first);
    shared.number = campaign.first - 1;
    for (bool more = true; more;) {
        const pid_t child = fork();
        if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
        if (child == 0) try_all(kind, campaign.first + campaign.count, shared, log);
        int status = 0;
        const End how = watch_child(child, shared, end, status);
        more =
            take_note(kind, campaign, outcome, shared, how, how == End::crash ? words_of(status, log) : "");
    }
    if (!log.empty()) unlink(log.c_str());
    outcome.tried = shared.started, outcome.accepted = shared.accepted, outcome.refused = shared.refused;
    outcome.wrong = shared.wrong;
    outcome.slowest = shared.slowest, outcome.slowest_number = shared.slowest_number;
    outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    munmap(&shared, sizeof shared);
    return outcome;
}

Tried replay(const Kind& kind, const std::string& path) {
    leave_the_world();
    const std::string text = read_text_file(path);
    const bool edits = kind.edited != nullptr && path.ends_with(".edit");
    Mutant mutant = edits ? kind.edited(text) : Mutant{};
    if (!edits) mutant.bytes = text;
    constexpr int kTimes = 8;  // what is asked of it follows from `how`
    Tried tried;
    for (int time = 0; time < kTimes && tried.problem.empty(); ++time) {
        mutant.how = std::to_string(time);
        tried = kind.attempt(mutant);
    }
    return tried;
}

}  // namespace wl::fuzz
