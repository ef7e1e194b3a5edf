// Keys, two configurations, and a port that is free.
#include "tests/support/sshd.h"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace wl::test {

namespace {

int free_port() {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET, address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(s, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(s, reinterpret_cast<sockaddr*>(&address), &size), 0);
    close(s);
    return ntohs(address.sin_port);
}

bool answers(int port) {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET, address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    const bool there = connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(s);
    return there;
}

pid_t spawn(const std::vector<std::string>& words, const std::string& log) {
    const pid_t child = fork();
    if (child != 0) return child;
    if (std::freopen(log.c_str(), "w", stderr) == nullptr) _exit(126);
    std::vector<char*> arguments;
    for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
}

}  // namespace

bool waited(const std::function<bool()>& done) {
    for (int k = 0; k < 300 && !done(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return done();
}

SshDaemon::~SshDaemon() {
    if (process <= 0) return;
    kill(process, SIGTERM);
    waitpid(process, nullptr, 0);
}

bool start(SshDaemon& daemon) {
    const std::string& f = daemon.folder.path;
    for (const char* key : {"host", "user"})
        if (std::system(fmt::format("ssh-keygen -q -t ed25519 -N '' -f {}/{}", f, key).c_str()) != 0)
            return false;
    if (getuid() == 0) mkdir("/run/sshd", 0755);  // sshd wants it of root
    const int port = free_port();
    write_file(
        f + "/sshd_config",
        fmt::format(
            "ListenAddress 127.0.0.1\nPort {0}\nHostKey {1}/host\nAuthorizedKeysFile {1}/user.pub\n"
            "PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
            "PermitRootLogin prohibit-password\nMaxStartups 100\n",
            port,
            f
        )
    );
    write_file(
        f + "/ssh_config",
        fmt::format(
            "Host *\nPort {0}\nIdentityFile {1}/user\nIdentitiesOnly yes\nUserKnownHostsFile {1}/known\n"
            "StrictHostKeyChecking accept-new\nBatchMode yes\nLogLevel ERROR\nAddressFamily inet\n",
            port,
            f
        )
    );
    daemon.process = spawn({kSshDaemon, "-D", "-e", "-f", f + "/sshd_config"}, f + "/sshd.log");
    daemon.user = getpwuid(getuid())->pw_name;
    daemon.environment = "WARPLENS_SSH=ssh -F " + f + "/ssh_config";
    const bool there = waited([&] { return answers(port); });
    EXPECT_TRUE(there) << read_file(f + "/sshd.log");
    return there;
}

}  // namespace wl::test
