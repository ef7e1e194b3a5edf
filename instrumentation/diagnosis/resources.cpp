// ptxas found at run time, run on the PTX, and its report read.
#include "instrumentation/diagnosis/resources.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/files.h"
#include "instrumentation/base/os/path_list.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/compile/toolkit.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace wl::diagnosis {
namespace {

namespace fs = std::filesystem;

constexpr double kTimeout = 300;  // seconds

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// The whole number right before `word`: 64 in "Used 64 registers"; nothing when there is none.
std::optional<int> number_before(const std::string& text, const std::string& word) {
    const size_t end = text.find(" " + word);
    if (end == std::string::npos) return std::nullopt;
    size_t begin = end;
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
    int value = 0;
    const auto [stop, problem] = std::from_chars(text.data() + begin, text.data() + end, value);
    return problem == std::errc() ? std::optional(value) : std::nullopt;
}

// "13.0" of "Cuda compilation tools, release 13.0, V13.0.88".
std::string version_of(const std::string& ptxas, const Scratch& scratch) {
    const std::string said = run_process({ptxas, "--version"}, scratch.path + "/version", 10).output;
    const std::string word = "release ";
    const size_t at = said.find(word);
    if (at == std::string::npos) return "of unknown version";
    return said.substr(at + word.size(), said.find(',', at) - at - word.size());
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string find_ptxas() {
    if (std::string chosen = environment("WARPLENS_PTXAS"); !chosen.empty()) return chosen;
    std::vector<fs::path> folders;
    if (const std::string nvrtc = compile::find_toolkit().library; !nvrtc.empty())
        folders.push_back(fs::path(nvrtc).parent_path().parent_path() / "bin");
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string home = environment(name); !home.empty())
            folders.push_back(fs::path(home) / "bin");
    for (const std::string& folder : folders_of("PATH")) folders.emplace_back(folder);
    for (const fs::path& folder : folders)
        if (std::string file = (folder / "ptxas").string(); is_executable(file)) return file;
    return {};
}

Resources parse_ptxas_log(const std::string& log, const std::string& entry) {
    Resources out;
    std::istringstream lines(log);
    bool ours = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.find("Compiling entry function") != std::string::npos)
            ours = line.find("'" + entry + "'") != std::string::npos;
        if (!ours) continue;
        out.spilled += number_before(line, "bytes spill stores").value_or(0) +
            number_before(line, "bytes spill loads").value_or(0);
        if (line.find("Used ") != std::string::npos) out.registers = number_before(line, "registers");
    }
    if (!out.registers) out.origin = "ptxas did not say";
    return out;
}

Resources measure_resources(const capture::Capture& c) {
    const auto unknown = [](const std::string& why) {
        Resources r;
        r.origin = why;
        return r;
    };
    const std::string ptxas = find_ptxas();
    if (ptxas.empty()) return unknown("there is no ptxas on this machine");
    const Scratch scratch;
    if (scratch.path.empty()) return unknown("no temporary folder could be made for ptxas");
    const std::string file = scratch.path + "/kernel.ptx";
    std::ofstream(file) << c.ptx;
    std::string arch = c.launch.arch;
    if (arch.starts_with("compute_")) arch.replace(0, 8, "sm_");
    const Finished done = run_process(
        {ptxas, "--verbose", "--gpu-name", arch, "--output-file", scratch.path + "/kernel.cubin", file},
        scratch.path + "/log",
        kTimeout
    );
    if (!done.started) return unknown(ptxas + " does not start");
    if (done.timed_out) return unknown(fmt::format("ptxas did not end within {} s", kTimeout));
    if (done.status != 0) return unknown("ptxas refuses the kernel: " + first_line(done.output));
    Resources out = parse_ptxas_log(done.output, c.launch.entry);
    if (out.registers) out.origin = fmt::format("ptxas {} for {}", version_of(ptxas, scratch), arch);
    return out;
}

}  // namespace wl::diagnosis
