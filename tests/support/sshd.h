// A real sshd on this machine, started for a test with keys of its own.
#pragma once

#include "tests/support/program.h"

#include <functional>
#include <string>
#include <sys/types.h>

namespace wl::test {

constexpr const char* kSshDaemon = "/usr/sbin/sshd";

// 30 seconds at most.
bool waited(const std::function<bool()>& done);

struct SshDaemon {
    TemporaryFolder folder;
    pid_t process = -1;
    std::string user;         // "me"
    std::string environment;  // WARPLENS_SSH=..., by which warplens finds it

    SshDaemon() = default;
    ~SshDaemon();
    SshDaemon(const SshDaemon&) = delete;
    SshDaemon& operator=(const SshDaemon&) = delete;
};
// False, with failed expectations, where it does not answer.
bool start(SshDaemon& daemon);

}  // namespace wl::test
