// nvcc and clang: programs that compile a source for host and device; only the device's half is asked for.
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/process.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/attempt.h"
#include "instrumentation/compile/names.h"

#include <filesystem>
#include <fstream>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

constexpr double kTimeout = 600;  // seconds

using Words = std::vector<std::string>;

// nvcc takes a library of separately compiled parts (kernels that launch kernels) only when told so.
Words nvcc_words(const Request& request, bool separate) {
    Words words = {
        "--ptx",
        "--std=" + request.standard,
        "--gpu-architecture=" + request.options.arch,
        "--expt-relaxed-constexpr",
        "--extended-lambda",
        request.options.debug ? "--device-debug" : "--generate-line-info"};
    if (separate) words.emplace_back("--relocatable-device-code=true");
    return words;
}

// Clang 19 and older include texture_fetch_functions.h, which CUDA 13 no longer has: `folder` holds an empty
// one.
Words clang_words(const Request& request, const std::string& folder) {
    std::string arch = request.options.arch;
    if (arch.starts_with("compute_")) arch.replace(0, 8, "sm_");
    Words words = {
        "-x",
        "cuda",
        "--cuda-device-only",
        "-S",
        "-O3",
        "-std=" + request.standard,
        "--cuda-gpu-arch=" + arch,
        "-Wno-unknown-cuda-version"};
    words.emplace_back(request.options.debug ? "-g" : "-gline-tables-only");
    for (const std::string& path : request.toolkit.include) words.push_back("-I" + path);
    if (!request.toolkit.include.empty())
        words.push_back("--cuda-path=" + fs::path(request.toolkit.include.front()).parent_path().string());
    std::ofstream(folder + "/texture_fetch_functions.h") << "#pragma once\n";
    words.insert(words.end(), {"-idirafter", folder});
    return words;
}

// What is compiled: the source itself, or, where instances of templates are asked for, a file that includes
// it and takes their addresses.
std::string input_of(const Request& request, const std::string& source, const std::string& folder) {
    if (request.options.name_expressions.empty()) return source;
    const std::string path = folder + "/instances.cu";
    std::ofstream file(path);
    file << "#include \"" << source << "\"\n";
    int count = 0;
    for (const std::string& name : request.options.name_expressions)
        file << "auto* wl_instance_" << count++ << " = &" << name << ";\n";
    return path;
}

// The entry of the PTX that C++ calls `expression`.
std::string lowered_name(const std::string& ptx, const std::string& expression) {
    constexpr std::string_view kEntry = ".entry ";
    for (size_t at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry, at)) {
        at += kEntry.size();
        const std::string name = ptx.substr(at, ptx.find_first_of("( \n", at) - at);
        if (is_name_of(expression, name)) return name;
    }
    return {};
}

}  // namespace

Attempt try_host_compiler(const Request& request, const std::string& program) {
    const bool is_nvcc = program == request.toolkit.nvcc;
    const Names names = names_of(request.options);
    const Scratch scratch;
    if (scratch.path.empty()) return {{}, "no temporary folder could be made for " + program};
    const std::string input = input_of(request, names.source, scratch.path),
                      output = scratch.path + "/out.ptx";
    // Clang has no asm constraint "C", which carries the names of marks: there is no probe header for it.
    const std::string probe = request.options.marks ? probe_folder() : "";
    Attempt attempt;
    for (const bool separate : {false, true}) {
        Words words = is_nvcc ? nvcc_words(request, separate) : clang_words(request, scratch.path);
        words.insert(words.begin(), program);
        for (const auto& [name, value] : request.options.defines)
            words.push_back("-D" + name + (value.empty() ? "" : "=" + value));
        for (const std::string& folder : request.include)
            if (is_nvcc || folder != probe) words.push_back("-I" + folder);
        words.insert(words.end(), {input, "-o", output});
        const std::string log = scratch.path + (separate ? "/log2" : "/log");
        const Finished done = run_process(words, log, kTimeout);
        attempt.refusal.clear();
        if (!done.started)
            attempt.refusal = program + " does not start";
        else if (done.timed_out)
            attempt.refusal = program + " did not end within ten minutes";
        else if (done.status != 0)
            attempt.refusal = readable_log(done.output, names);
        if (!is_nvcc || done.output.find("separate compilation mode") == std::string::npos) break;
        attempt.entry.log = readable_log(done.output, names);
    }
    if (!attempt.refusal.empty()) return attempt;
    attempt.entry.compiler = is_nvcc ? "nvcc" : "clang";
    attempt.entry.ptx = with_display_files(read_text_file(output), names);
    for (const std::string& name : request.options.name_expressions) {
        attempt.entry.lowered_names.push_back(lowered_name(attempt.entry.ptx, name));
        if (attempt.entry.lowered_names.back().empty())
            attempt.refusal = join(
                std::vector<std::string>{
                    "no entry of the PTX that",
                    program,
                    "made is called",
                    name + ";",
                    "write its arguments as the compiler does, without names: reduce<256>"},
                " "
            );
    }
    return attempt;
}

}  // namespace wl::compile
