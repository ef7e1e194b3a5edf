// Child processes for tests.
#include "tests/support/program.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace wl::test {

namespace {

// What programs and sessions of this test remember: nothing of the user's own.
void remember_apart() {
    static const TemporaryFolder kFolder;
    setenv("XDG_STATE_HOME", kFolder.path.c_str(), 0);
}

[[noreturn]] void exec_child(
    const std::vector<std::string>& args,
    const std::vector<std::string>& environment,
    const std::string& folder
) {
    const auto redirect = [&](const char* name, int to) {
        const int fd = open((folder + "/" + name).c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
        dup2(fd, to);
    };
    redirect(".stdout", STDOUT_FILENO);
    redirect(".stderr", STDERR_FILENO);
    if (chdir(folder.c_str()) != 0) _exit(126);
    setenv("COLUMNS", "100000", 1);  // where a sentence breaks hangs on the length of the clone's path
    for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
    std::vector<char*> argv{const_cast<char*>("warplens")};
    for (const std::string& a : args) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    execv(WL_PROGRAM, argv.data());
    _exit(127);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "warplens-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

Said warplens(const std::vector<std::string>& args, const std::vector<std::string>& environment) {
    const TemporaryFolder folder;
    remember_apart();
    const pid_t child = fork();
    if (child == 0) exec_child(args, environment, folder.path);
    int status = 0;
    waitpid(child, &status, 0);
    Said said;
    said.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    said.out = read_file(folder.path + "/.stdout"), said.err = read_file(folder.path + "/.stderr");
    return said;
}

void write_file(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string read_file(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

std::string source_path(const std::string& relative) { return std::string(WL_SOURCE_DIR) + "/" + relative; }

std::string source_place(const std::string& relative, const std::string& text) {
    std::istringstream lines(read_file(source_path(relative)));
    std::string line, place;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (line.find(text) == std::string::npos) continue;
        EXPECT_EQ(place, "") << text << " stands twice in " << relative;
        place = source_path(relative) + ":" + std::to_string(number);
    }
    EXPECT_NE(place, "") << text << " does not stand in " << relative;
    return place;
}

}  // namespace wl::test
