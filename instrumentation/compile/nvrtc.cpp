// A compilation: options, cache, NVRTC, and its messages turned into the user's paths.
#include "instrumentation/compile/nvrtc.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/cache.h"
#include "instrumentation/compile/headers.h"
#include "instrumentation/compile/toolkit.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

// NVRTC gets the source's absolute path as its name, so that #include "..." means what it means to the user;
// PTX and messages then show the path, and those of headers below its folder, as the user wrote them.
struct Names {
    std::string source, display;                // "/home/u/gemm.cu" -> "kernels/gemm.cu"
    std::string source_folder, display_folder;  // "/home/u/" -> "kernels/"
};

Names names_of(const CompileOptions& options) {
    Names names;
    const fs::path source = fs::absolute(options.source_path).lexically_normal();
    const fs::path display = options.display_path.empty() ? options.source_path : options.display_path;
    names.source = source.string();
    names.display = display.string();
    names.source_folder = (source.parent_path() / "").string();
    if (names.source_folder == "/") names.source_folder = names.source;  // each path begins with it
    names.display_folder = display.has_parent_path() ? (display.parent_path() / "").string() : "";
    return names;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

template <class Change>
std::string changed_lines(const std::string& text, const Change& change) {
    std::string out;
    out.reserve(text.size());
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        std::string line = text.substr(begin, end - begin);
        change(line);
        out += line;
        if (end < text.size()) out += '\n';
        begin = end + 1;
    }
    return out;
}

// "gemm.cu(12): error: ..." becomes "gemm.cu:12: error: ...", which terminals and editors turn into links.
void link_place(std::string& line) {
    const size_t close = line.find("): "), open = line.rfind('(', close);
    if (close == line.npos || open == line.npos || open == 0 || open + 1 == close) return;
    if (line.find_first_not_of("0123456789", open + 1) != close) return;
    line.replace(close, 1, "");
    line[open] = ':';
}

std::string readable_log(std::string log, const Names& names) {
    while (!log.empty() && log.back() == '\n') log.pop_back();
    replace_all(log, names.source, names.display);
    replace_all(log, names.source_folder, names.display_folder);
    return changed_lines(log, link_place);
}

// Only in .file directives: elsewhere a path is data of the kernel (__FILE__).
std::string with_display_files(const std::string& ptx, const Names& names) {
    return changed_lines(ptx, [&](std::string& line) {
        const size_t first = line.find_first_not_of(" \t");
        if (first == line.npos || line.compare(first, 5, ".file") != 0) return;
        replace_all(line, '"' + names.source + '"', '"' + names.display + '"');
        replace_all(line, '"' + names.source_folder, '"' + names.display_folder);
    });
}

struct Settings {
    std::vector<std::string> user_include;  // whose headers may change under us
    std::vector<std::string> flags;
};

Settings settings_of(const CompileOptions& options, const Toolkit& toolkit) {
    Settings settings;
    for (const std::string& folder : options.include)
        settings.user_include.push_back(fs::absolute(folder).lexically_normal().string());
    if (options.marks) settings.user_include.push_back(probe_folder());
    settings.flags = {
        "--gpu-architecture=" + options.arch,
        "--std=c++17",
        options.debug ? "--device-debug" : "--generate-line-info"};
    for (const auto& [name, value] : options.defines)
        settings.flags.push_back("--define-macro=" + name + (value.empty() ? "" : "=" + value));
    for (const std::string& folder : settings.user_include)
        settings.flags.push_back("--include-path=" + folder);
    for (const std::string& folder : toolkit.include) settings.flags.push_back("--include-path=" + folder);
    return settings;
}

// Everything the PTX depends on. NVRTC itself counts by path, size and time: to ask for its version would
// load it.
std::string cache_key(
    const CompileOptions& options,
    const Compiled& compiled,
    const Toolkit& toolkit,
    const Settings& settings,
    const UserHeaders& headers
) {
    std::error_code ignored;
    const auto changed = fs::last_write_time(toolkit.library, ignored).time_since_epoch().count();
    const Names names = names_of(options);
    const nlohmann::json facts = {
        1,  // of this list and of what is done to the PTX
        compiled.source_text,
        names.source,
        names.display,
        settings.flags,
        options.name_expressions,
        headers.files,
        toolkit.library,
        fs::file_size(toolkit.library, ignored),
        changed,
        fs::current_path(ignored).string()};  // the debug build's DW_AT_comp_dir
    return sha256_hex(facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// One NVRTC program.
struct Build {
    const Nvrtc& nvrtc;
    Names names;
    std::string hint;  // ends every message
    Program program = nullptr;

    Build(const Nvrtc& functions, const CompileOptions& options, const std::string& source) :
        nvrtc(functions), names(names_of(options)) {
        check(nvrtc.create(&program, source.c_str(), names.source.c_str(), 0, nullptr, nullptr));
    }
    ~Build() { nvrtc.destroy(&program); }
    Build(const Build&) = delete;
    Build& operator=(const Build&) = delete;

    void check(int result) const {
        if (result == 0) return;
        const std::string said = log(), reason = said.empty() ? nvrtc.error_string(result) : "\n" + said;
        throw Error("cannot compile " + names.display + ":" + (said.empty() ? " " : "") + reason + hint);
    }
    std::string log() const { return readable_log(text(nvrtc.log_size, nvrtc.log), names); }
    std::string ptx() const { return with_display_files(text(nvrtc.ptx_size, nvrtc.ptx), names); }
    std::string text(int (*size)(Program, size_t*), int (*get)(Program, char*)) const {
        size_t bytes = 0;
        if (!program || size(program, &bytes) != 0 || bytes <= 1) return {};
        std::string out(bytes, '\0');
        get(program, out.data());
        out.resize(bytes - 1);  // NVRTC counts the terminating zero
        return out;
    }
};

CacheEntry build(
    const CompileOptions& options, const Toolkit& toolkit, const std::string& source, const Settings& settings
) {
    const Nvrtc nvrtc = open_nvrtc(toolkit);
    Build build(nvrtc, options, source);
    if (toolkit.include.empty())
        build.hint = "\nCUDA's own headers were not found near " + toolkit.library + ".";
    for (const std::string& name : options.name_expressions)
        build.check(nvrtc.add_name(build.program, name.c_str()));
    std::vector<const char*> flags;
    for (const std::string& flag : settings.flags) flags.push_back(flag.c_str());
    build.check(nvrtc.compile(build.program, static_cast<int>(flags.size()), flags.data()));
    CacheEntry entry{build.ptx(), build.log(), {}};
    for (const std::string& name : options.name_expressions) {
        const char* lowered = nullptr;
        build.check(nvrtc.lowered_name(build.program, name.c_str(), &lowered));
        entry.lowered_names.emplace_back(lowered);
    }
    return entry;
}

}  // namespace

Compiled compile(const CompileOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    Compiled compiled;
    compiled.source_text = read_text_file(options.source_path);
    const Toolkit toolkit = find_toolkit();
    const Settings settings = settings_of(options, toolkit);
    const UserHeaders headers =
        user_headers(fs::absolute(options.source_path).string(), compiled.source_text, settings.user_include);
    const bool cacheable = headers.complete && !toolkit.library.empty();
    const std::string key =
        cacheable ? cache_key(options, compiled, toolkit, settings, headers) : std::string();

    std::optional<CacheEntry> entry = cacheable ? load_entry(key) : std::nullopt;
    compiled.cached = entry.has_value();
    if (!entry) {
        entry = build(options, toolkit, compiled.source_text, settings);
        if (cacheable) store_entry(key, *entry);
        compiled.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    compiled.ptx = std::move(entry->ptx);
    compiled.log = std::move(entry->log);
    compiled.lowered_names = std::move(entry->lowered_names);
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
