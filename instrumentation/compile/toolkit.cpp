// The search for NVRTC, CUDA's headers and the probe header.
#include "instrumentation/compile/toolkit.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/files.h"
#include "instrumentation/base/os/library_opens.h"
#include "instrumentation/base/os/path_list.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/reads.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::array kNames = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
constexpr const char* kHowToGetIt =
    "`./dev setup` in the source tree fetches it; else install the CUDA toolkit (12 or 13), or `pip install "
    "nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl` and set WARPLENS_NVRTC to its "
    "libnvrtc.so";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

fs::path program_folder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::string library_in(const fs::path& folder) {
    std::error_code ignored;
    for (const char* name : kNames)
        if (fs::is_regular_file(folder / name, ignored)) return (folder / name).string();
    return {};
}

// The newest of /usr/local/cuda-12.8, cuda-13.0, ... first, after the one that the machine's owner chose.
std::vector<fs::path> system_toolkits() {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
        if (entry.path().filename().string().starts_with("cuda-")) found.push_back(entry.path());
    const auto version = [](const fs::path& p) { return std::atof(p.filename().c_str() + 5); };
    std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
        return version(a) > version(b);
    });
    found.insert(found.begin(), "/usr/local/cuda");
    return found;
}

std::vector<fs::path> library_folders() {
    std::vector<fs::path> folders = {fs::path(WL_CUDA_DIR) / "lib"};
    if (const fs::path program = program_folder(); !program.empty()) {
        folders.push_back(program);
        folders.push_back(program.parent_path() / "lib");
    }
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string home = environment(name); !home.empty())
            folders.push_back(fs::path(home) / "lib64");
    for (const fs::path& toolkit : system_toolkits()) folders.push_back(toolkit / "lib64");
    return folders;
}

// The loader knows folders that we do not (ld.so.conf, LD_LIBRARY_PATH, RUNPATH): ask it, and for the path.
std::string library_of_the_loader() {
    for (const char* name : kNames) {
        if (Library library = load_library(name)) return path_of(library);
    }
    return {};
}

// Layouts: wheels of CUDA 13 and toolkits (lib/../include), Debian's package (/usr/include), wheels of CUDA
// 12 (nvidia/cuda_nvrtc/lib beside nvidia/cuda_runtime/include).
std::vector<std::string> header_folders(const fs::path& library) {
    std::error_code ignored;
    const fs::path real = fs::canonical(library, ignored);
    std::vector<fs::path> candidates;
    for (const fs::path& folder : {library.parent_path(), real.parent_path()})
        for (const char* way : {"../include", "../../include", "../../cuda_runtime/include"})
            candidates.push_back(folder / way);
    for (const fs::path& candidate : candidates) {
        if (!fs::exists(candidate / "cuda_fp16.h", ignored)) continue;
        std::vector<std::string> folders = {candidate.lexically_normal().string()};
        if (fs::is_directory(candidate / "cccl", ignored))
            folders.push_back((candidate / "cccl").lexically_normal().string());
        return folders;
    }
    return {};
}

std::vector<fs::path> path_folders() {
    const std::vector<std::string> folders = folders_of("PATH");
    return {folders.begin(), folders.end()};
}

// Where CUDA's programs lie, those of the toolkit that NVRTC is of first.
std::vector<fs::path> program_folders(const fs::path& library) {
    std::vector<fs::path> folders;
    if (!library.empty()) folders.push_back(library.parent_path().parent_path() / "bin");
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string home = environment(name); !home.empty())
            folders.push_back(fs::path(home) / "bin");
    for (const fs::path& toolkit : system_toolkits()) folders.push_back(toolkit / "bin");
    const std::vector<fs::path> path = path_folders();
    folders.insert(folders.end(), path.begin(), path.end());
    return folders;
}

// The program that the variable names, else the first `name` in the folders; empty: none that runs.
std::string chosen_or(const char* variable, const char* name, const std::vector<fs::path>& folders) {
    std::vector<fs::path> candidates;
    for (const fs::path& folder : folders) candidates.push_back(folder / name);
    if (const std::string chosen = environment(variable); !chosen.empty()) candidates = {chosen};
    for (const fs::path& file : candidates)
        if (std::error_code ignored; fs::is_regular_file(file, ignored) && is_executable(file.string()))
            return file.string();
    return {};
}

// NVRTC opens libnvrtc-builtins by its bare name, which the loader resolves only for an installed toolkit or
// a library that is loaded already: so load the one that lies beside it. When it is absent, NVRTC's own
// message names it.
void load_builtins(const fs::path& library) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fs::canonical(library, ignored).parent_path(), ignored))
        if (entry.path().filename().string().starts_with("libnvrtc-builtins.so"))
            load_library(entry.path().string(), true);
}

}  // namespace

Toolkit find_toolkit() {
    Toolkit toolkit;
    if (const std::string chosen = environment("WARPLENS_NVRTC"); !chosen.empty()) {
        toolkit.looked = {"WARPLENS_NVRTC=" + chosen};
        std::error_code ignored;
        toolkit.library = fs::is_regular_file(chosen, ignored) ? chosen : library_in(chosen);
    } else {
        for (const fs::path& folder : library_folders()) {
            toolkit.looked.push_back(folder.string());
            toolkit.library = library_in(folder);
            if (!toolkit.library.empty()) break;
        }
        if (toolkit.library.empty()) {
            toolkit.looked.emplace_back("the loader's search path");
            toolkit.library = library_of_the_loader();
        }
    }
    if (!toolkit.library.empty()) toolkit.include = header_folders(toolkit.library);
    toolkit.nvcc = chosen_or("WARPLENS_NVCC", "nvcc", program_folders(toolkit.library));
    toolkit.clang = chosen_or("WARPLENS_CLANG", "clang++", path_folders());
    return toolkit;
}

std::string probe_folder() {
    const fs::path program = program_folder();
    const std::array candidates = {
        program / "probe", program.parent_path() / "share/warplens/probe", fs::path(WL_PROBE_DIR)};
    std::vector<std::string> looked;
    std::error_code ignored;
    for (const fs::path& folder : candidates) {
        if (fs::exists(folder / "warplens.cuh", ignored)) return folder.string();
        looked.push_back(folder.string());
    }
    throw Error(
        "The probe header warplens.cuh, without which a kernel has no marks, was not found in " +
        join(looked, ", ") + ": reinstall WarpLens."
    );
}

Nvrtc open_nvrtc(const Toolkit& toolkit) {
    if (toolkit.library.empty())
        throw Error(
            "NVRTC, CUDA's run-time compiler, was not found; looked in " + join(toolkit.looked, ", ") + ". " +
            kHowToGetIt + "."
        );
    load_builtins(toolkit.library);
    Library library = load_library(toolkit.library, true);
    if (library == nullptr) {
        const std::string reason = library_problem();
        throw Error(
            "NVRTC does not load: " + (reason.empty() ? toolkit.library : reason) + ". " + kHowToGetIt + "."
        );
    }
    const auto bind = [&](auto& function, const char* name) {
        if (!bind_symbol(library, function, name))
            throw Error(toolkit.library + " is no usable NVRTC: it lacks " + name + ".");
    };
    Nvrtc nvrtc{};
    bind(nvrtc.version, "nvrtcVersion");
    bind(nvrtc.error_string, "nvrtcGetErrorString");
    bind(nvrtc.create, "nvrtcCreateProgram");
    bind(nvrtc.destroy, "nvrtcDestroyProgram");
    bind(nvrtc.compile, "nvrtcCompileProgram");
    bind(nvrtc.log_size, "nvrtcGetProgramLogSize");
    bind(nvrtc.log, "nvrtcGetProgramLog");
    bind(nvrtc.ptx_size, "nvrtcGetPTXSize");
    bind(nvrtc.ptx, "nvrtcGetPTX");
    bind(nvrtc.add_name, "nvrtcAddNameExpression");
    bind(nvrtc.lowered_name, "nvrtcGetLoweredName");
    if (!note_opens_of(library, [](const char* path) { note_read(path); })) note_unknown_reads();
    return nvrtc;
}

}  // namespace wl::compile
