// A line a kernel: "SHA256 CONTENT PATH", the latest last.
#include "app/worker/trusted.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <span>
#include <sstream>
#include <vector>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMost = 1000;  // kernels; the earliest are forgotten

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<std::string> lines_of_file() {
    std::vector<std::string> lines;
    try {
        std::istringstream in(read_text_file(trusted_file()));
        for (std::string line; std::getline(in, line);) lines.push_back(line);
    } catch (const Error&) {}  // there is none yet
    return lines;
}

void remember(const std::string& line) {
    const std::string file = trusted_file();
    std::vector<std::string> lines = lines_of_file();
    const bool known = std::find(lines.begin(), lines.end(), line) != lines.end();
    if (file.empty() || known || line.find('\n') != std::string::npos) return;
    fs::create_directories(fs::path(file).parent_path());
    if (lines.size() < kMost) {  // in one write: several programs may do so at once
        std::ofstream(file, std::ios::app) << line + "\n" << std::flush;
        return;
    }
    lines.erase(lines.begin(), lines.begin() + kMost / 2);
    lines.push_back(line);
    const std::string text = join(lines, "\n") + "\n";
    write_file_atomically(file, std::as_bytes(std::span(text)));
}

}  // namespace

std::string trusted_file() {
    fs::path folder = variable("XDG_STATE_HOME");
    if (folder.empty() && !variable("HOME").empty()) folder = fs::path(variable("HOME")) / ".local/state";
    return folder.is_absolute() ? (folder / "warplens/kernels").string() : "";
}

void trust(const std::string& path) {
    try {
        const std::string whole = fs::canonical(path).string();
        remember(sha256_hex(read_text_file(whole)) + " " + manifest::content_of(whole) + " " + whole);
    } catch (const std::exception&) {}  // asked again next time
}

std::string trusted_path(const std::string& sha256) {
    if (sha256.empty()) return {};
    const std::vector<std::string> lines = lines_of_file();
    for (const std::string& line : std::views::reverse(lines)) {
        if (!line.starts_with(sha256 + " ")) continue;
        const std::string rest = line.substr(sha256.size() + 1);
        const size_t space = std::min(rest.find(' '), rest.size() - 1);
        const std::string content = rest.substr(0, space), path = rest.substr(space + 1);
        try {
            if (manifest::content_of(path) == content) return path;
        } catch (const std::exception&) {}  // it is gone
    }
    return {};
}

}  // namespace wl::app
