// A compilation: which headers it can see, the cache, and the compilers one after the other.
#include "instrumentation/compile/compile.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/path_list.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/attempt.h"
#include "instrumentation/compile/cache.h"
#include "instrumentation/compile/headers.h"
#include "instrumentation/compile/host_code.h"
#include "instrumentation/compile/names.h"
#include "instrumentation/compile/ptx_file.h"
#include "instrumentation/compile/reads.h"
#include "instrumentation/compile/toolkit.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

// A program or library counts by path, size and time: to ask for its version would start it.
nlohmann::json identity(const std::string& path) {
    std::error_code ignored;
    if (path.empty()) return nullptr;
    const auto changed = fs::last_write_time(path, ignored).time_since_epoch().count();
    return {path, fs::file_size(path, ignored), changed};
}

// Of the environment, what changes what compilers read or make: nvcc (its manual, "NVCC Environment
// Variables"), GCC (its manual, "Environment Variables Affecting GCC"), Clang, and the front end that NVRTC
// and nvcc share.
std::vector<std::string> variables_that_count() {
    std::vector<std::string> out;
    for (const char* name :
         {"NVCC_PREPEND_FLAGS",
          "NVCC_APPEND_FLAGS",
          "NVCC_CCBIN",
          "CPATH",
          "C_INCLUDE_PATH",
          "CPLUS_INCLUDE_PATH",
          "COMPILER_PATH",
          "GCC_EXEC_PREFIX",
          "GCC_COMPARE_DEBUG",
          "CCC_OVERRIDE_OPTIONS",
          "CPPCX_INCLUDE_PATH"})
        if (const char* value = std::getenv(name)) out.push_back(std::string(name) + "=" + value);
    return out;
}

// Everything the PTX depends on, but for the files that the compilers find: those are in the entry (reads.h).
std::string cache_key(
    const CompileOptions& options, const std::string& source, const Toolkit& toolkit, const Sight& sight
) {
    const Names names = names_of(options);
    std::error_code ignored;
    const nlohmann::json facts = {
        6,  // of this list, of the stand-ins, of the standards of C++, and of what is done to the PTX
        source,
        names.source,
        names.display,
        options.arch,
        options.debug,
        options.device_code,
        options.defines,
        sight.include,
        toolkit.include,
        options.name_expressions,
        sight.headers.files,
        identity(toolkit.library),
        identity(toolkit.nvcc),
        identity(toolkit.clang),
        identity(toolkit.nvcc.empty() ? "" : toolkit.nvcc + ".profile"),
        identity(program_in_path("gcc")),
        identity(program_in_path("g++")),
        variables_that_count(),
        fs::current_path(ignored).string()};                            // the debug build's DW_AT_comp_dir
    const std::vector<uint8_t> bytes = nlohmann::json::to_cbor(facts);  // of paths that are no UTF-8 too
    return sha256_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// What NVRTC cannot take, line by line, for somebody who has no other compiler.
std::string needs_text(const std::vector<HostNeed>& needs, const Names& names) {
    std::string out;
    for (const HostNeed& need : needs)
        out += "\n" + names.display + ":" + std::to_string(need.line) + ": " + need.what;
    return out;
}

constexpr const char* kHowToGetHost =
    "install the CUDA toolkit or `pip install nvidia-cuda-nvcc nvidia-nvvm` with a g++, or set WARPLENS_NVCC "
    "or "
    "WARPLENS_CLANG; or move the kernels into a file of their own";

[[noreturn]] void refuse(
    const CompileOptions& options,
    const Toolkit& toolkit,
    const std::string& by_nvrtc,
    const std::string& by_host,
    const std::vector<HostNeed>& needs
) {
    const Names names = names_of(options);
    const bool has_host = !toolkit.nvcc.empty() || !toolkit.clang.empty();
    const bool unopened = by_nvrtc.find("cannot open source file") != by_nvrtc.npos;
    std::string message = "cannot compile " + names.display + ":";
    if (!by_host.empty() && (!needs.empty() || unopened)) throw Error(message + "\n" + by_host);
    if (!has_host && !needs.empty())
        throw Error(
            message +
            " it holds code of the host, which NVRTC does not take, and neither nvcc nor clang is here:" +
            needs_text(needs, names) + "\n" + kHowToGetHost + "."
        );
    message += "\n" + by_nvrtc;
    if (toolkit.include.empty())
        message += "\nCUDA's own headers were not found near " + toolkit.library + ".";
    throw Error(message);
}

Request in_cpp20(const Request& request) {
    Request newer = request;
    newer.standard = "c++20";
    return newer;
}

// C++17, as nvcc does unless told otherwise; C++20 where that fails, for headers such as PyTorch's and for
// concepts.
CacheEntry build(const Request& request) {
    const Toolkit& toolkit = request.toolkit;
    const std::vector<HostNeed> needs = host_needs(request.source);
    Attempt attempt = try_nvrtc(request, false);
    if (attempt.refusal.empty()) return attempt.entry;
    if (!toolkit.include.empty()) attempt = try_nvrtc(request, true);
    if (attempt.refusal.empty()) return attempt.entry;
    const std::string by_nvrtc = attempt.refusal;
    attempt = try_nvrtc(in_cpp20(request), !toolkit.include.empty());
    if (attempt.refusal.empty()) return attempt.entry;
    if (request.options.device_code) {
        for (const Request& asked : {request, in_cpp20(request)}) {
            attempt = try_device_code(asked, !toolkit.include.empty()).attempt;
            if (attempt.refusal.empty()) return attempt.entry;
        }
    }
    std::string by_host;
    // Without an #include and without host code there is nothing that NVRTC does not know.
    const bool plain = needs.empty() && request.source.find("#include") == std::string::npos;
    for (const std::string& program : {toolkit.nvcc, toolkit.clang}) {
        if (program.empty() || plain) continue;
        attempt = try_host_compiler(request, program);
        if (attempt.refusal.find("C++20") != std::string::npos)
            attempt = try_host_compiler(in_cpp20(request), program);
        if (attempt.refusal.empty()) return attempt.entry;
        if (by_host.empty()) by_host = attempt.refusal;
    }
    refuse(request.options, toolkit, by_nvrtc, by_host, needs);
}

}  // namespace

Compiled compile(const CompileOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    Compiled compiled;
    if (!options.ptx.empty() || is_ptx_file(options.source_path)) {
        compiled.ptx = options.ptx.empty() ? read_ptx_file(options.source_path) : options.ptx;
        return compiled;
    }
    compiled.source_text = options.text ? *options.text : read_text_file(options.source_path);
    const Toolkit toolkit = find_toolkit();
    const Sight sight = look_around(options, compiled.source_text, toolkit);
    compiled.found = sight.found;
    const bool cacheable = !toolkit.library.empty();
    const std::string key =
        cacheable ? cache_key(options, compiled.source_text, toolkit, sight) : std::string();

    std::optional<CacheEntry> entry = cacheable ? load_entry(key) : std::nullopt;
    compiled.cached = entry.has_value();
    if (!entry) {
        const Reading reading;
        entry = build({options, toolkit, compiled.source_text, sight.include});
        // Of a source with headers a compiler that tells of no file does not tell all.
        const bool told = cacheable && (!reading.paths.empty() || sight.headers.files.empty());
        std::optional<std::vector<ReadFile>> reads = told ? files_of(reading) : std::nullopt;
        if (reads) {
            entry->reads = std::move(*reads);
            store_entry(key, *entry);
        }
        compiled.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    compiled.ptx = std::move(entry->ptx);
    compiled.log = std::move(entry->log);
    compiled.lowered_names = std::move(entry->lowered_names);
    compiled.compiler = std::move(entry->compiler);
    return compiled;
}

std::string describe_compiler() {
    try {
        const Toolkit toolkit = find_toolkit();
        const Nvrtc nvrtc = open_nvrtc(toolkit);
        int major = 0, minor = 0;
        nvrtc.version(&major, &minor);
        const std::string version = std::to_string(major) + "." + std::to_string(minor);
        const std::string headers = toolkit.include.empty() ? "; CUDA's headers were not found near it" : "";
        return "NVRTC " + version + " (" + toolkit.library + ")" + headers;
    } catch (const Error& e) { return e.what(); }
}

}  // namespace wl::compile
