// Processes of POSIX: the program that is watched, and nvcc in the place of this one.
#include "app/cli/programs/programs.h"
#include "app/cli/progress.h"
#include "instrumentation/base/error.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wl::app {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> out;
    for (std::string& word : words) out.push_back(word.data());
    out.push_back(nullptr);
    return out;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& set) {
    std::vector<std::string> out;
    for (const auto& [name, value] : set) out.push_back(std::string(name).append("=").append(value));
    for (char** e = environ; *e != nullptr; ++e) {
        const std::string entry = *e;
        const bool replaced = std::any_of(set.begin(), set.end(), [&](const auto& one) {
            return entry.starts_with(one.first + "=");
        });
        if (!replaced) out.push_back(entry);
    }
    return out;
}

[[noreturn]] void cannot_start(const std::string& program, int reason) {
    throw Error(program + " cannot be started: " + std::strerror(reason));
}

}  // namespace

Ended run_child(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& environment,
    bool quiet_out
) {
    std::vector<std::string> words = command, variables = environment_with(environment);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (quiet_out) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t child = 0;
    const int problem = posix_spawnp(
        &child, words[0].c_str(), &actions, nullptr, pointers(words).data(), pointers(variables).data()
    );
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) cannot_start(words[0], problem);
    let_interrupts_end_waits();
    int state = 0, told = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
        if (!interrupted()) continue;
        const int asked = exit_status_of_interruption() - 128;
        if (told++ > 0)
            kill(child, SIGKILL);  // it was asked once, and went on
        else if (!interrupted_by_terminal())
            kill(child, asked);
    }
    if (WIFSIGNALED(state)) return {0, WTERMSIG(state)};
    return {WEXITSTATUS(state), 0};
}

void become(const std::vector<std::string>& command) {
    std::vector<std::string> words = command;
    execvp(words[0].c_str(), pointers(words).data());
    cannot_start(words[0], errno);
}

}  // namespace wl::app
