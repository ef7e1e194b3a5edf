// Running the built warplens as a user would, and reading back what it said.
#pragma once

#include <string>
#include <vector>

namespace wl::test {

struct Said {
    int status = -1;  // exit status; 128 + signal when killed
    std::string out, err;
};

// Runs `warplens ARGS` in a fresh temporary folder (removed afterwards) with the given extra environment
// ("NAME=VALUE").
Said warplens(const std::vector<std::string>& args, const std::vector<std::string>& environment = {});

// A folder that lives as long as the object.
struct TemporaryFolder {
    std::string path;
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

void write_file(const std::string& path, const std::string& text);
std::string read_file(const std::string& path);
std::string source_path(const std::string& relative);  // in the repository
// The only line of a repository's file that has a text, as it is named from elsewhere:
// ".../kernels/v2c_3.cu:104"; fails the test otherwise.
std::string source_place(const std::string& relative, const std::string& text);

}  // namespace wl::test
