// nvcc and clang: programs that compile a source for host and device; only the device's half is asked for.
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/attempt.h"
#include "instrumentation/compile/dependencies.h"
#include "instrumentation/compile/names.h"
#include "instrumentation/compile/plain_names.h"
#include "instrumentation/compile/reads.h"

#include <algorithm>
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

// The source as a program may be given it: a file of its own where its text is not what the disk has.
std::string source_for(const Request& request, const Names& names, PlainNames& plain, bool is_nvcc) {
    if (request.options.text) return plain_text(plain, names.source, request.source);
    return is_nvcc ? plain_source(plain, names.source) : names.source;
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

// -D for what nvcc may read as it is, else lines of a header that it includes first. A value ends at its
// first line end, as -D has it (GCC's manual, "Preprocessor Options").
Words nvcc_defines(const Request& request, const std::string& folder) {
    Words words;
    std::string lines;
    for (const auto& [name, value] : request.options.defines) {
        const std::string word = "-D" + name + (value.empty() ? "" : "=" + value);
        if (is_plain(word)) {
            words.push_back(word);
            continue;
        }
        const std::string line = "#define " + name + " " + (value.empty() ? "1" : value);
        lines += line.substr(0, line.find_first_of("\r\n")) + "\n";
    }
    if (lines.empty()) return words;
    std::ofstream(folder + "/defines.h", std::ios::binary) << lines;
    words.insert(words.end(), {"-include", folder + "/defines.h"});
    return words;
}

// The words for nvcc but for its input and output. `own`: the folder of the source, where `input` lies
// elsewhere.
Words words_for_nvcc(const Request& request, PlainNames& plain, const std::string& own, bool separate) {
    Words words = nvcc_words(request, separate);
    const fs::path program(request.toolkit.nvcc);
    words.insert(words.begin(), plain_file(plain, fs::absolute(program).lexically_normal().string()));
    const Words defines = nvcc_defines(request, plain.folder);
    words.insert(words.end(), defines.begin(), defines.end());
    words.push_back("-Xcompiler=-iquote," + plain_folder(plain, own));
    for (const std::string& folder : request.include) words.push_back("-I" + plain_folder(plain, folder));
    words.push_back("-Xcompiler=-MD,-MF," + plain.folder + "/rule");
    return words;
}

// Clang has no asm constraint "C", which carries the names of marks: there is no probe header for it.
Words words_for_clang(const Request& request, const std::string& folder, const std::string& own) {
    Words words = clang_words(request, folder);
    words.insert(words.begin(), request.toolkit.clang);
    for (const auto& [name, value] : request.options.defines)
        words.push_back("-D" + name + (value.empty() ? "" : "=" + value));
    const std::string probe = request.options.marks ? probe_folder() : "";
    words.insert(words.end(), {"-iquote", own});
    for (const std::string& other : request.include)
        if (other != probe) words.push_back("-I" + other);
    words.insert(words.end(), {"-MD", "-MF", folder + "/rule"});
    return words;
}

// Of a file of the user's.
void note_asked_for(const std::string& file, const std::vector<std::string>& folders) {
    const bool is_users = std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
        return file.starts_with(folder + "/");
    });
    if (std::error_code ignored; !is_users || !fs::is_regular_file(file, ignored)) return;
    const AskedFor asked = asked_for(read_text_file(file));
    if (!asked.known) note_unknown_reads();
    for (const std::string& name : asked.names)
        for (const std::string& folder : folders) note_read((fs::path(folder) / name).string());
}

// Tells what was read, and where a header would be found before one that was.
void note_rule(const Request& request, const PlainNames& plain, const std::string& own) {
    std::vector<std::string> files;
    for (const std::string& file : files_of_rule(read_text_file(plain.folder + "/rule")))
        if (!file.starts_with(plain.folder + "/instances.cu") &&
            !file.starts_with(plain.folder + "/defines.h"))
            files.push_back(fs::absolute(without_links(plain, file)).string());
    std::vector<std::string> folders = folders_of_environment();
    folders.push_back(own);
    folders.insert(folders.end(), request.include.begin(), request.include.end());
    for (const std::string& file : places_before(files, folders)) note_read(file);
    for (const std::string& file : files) note_asked_for(file, folders);
    for (const std::string& file : files) {
        note_read(file);
        if (std::error_code ignored; !fs::exists(file, ignored))
            note_unknown_reads();  // not read as it was meant
    }
}

std::string refusal_of(const Finished& done, const std::string& program, const std::string& log) {
    if (!done.started) return program + " does not start";
    if (done.timed_out) return program + " did not end within ten minutes";
    return done.status != 0 ? log : "";
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
    PlainNames plain;
    const std::string& folder = plain.folder;
    if (folder.empty()) return {{}, "no temporary folder could be made for " + program};
    const std::string own = fs::path(names.source).parent_path().string(),
                      input = input_of(request, source_for(request, names, plain, is_nvcc), folder),
                      output = folder + "/out.ptx";
    ProcessOptions options;
    options.environment = {
        {"TMPDIR", folder}
    };
    Attempt attempt;
    for (const bool separate : {false, true}) {
        Words words =
            is_nvcc ? words_for_nvcc(request, plain, own, separate) : words_for_clang(request, folder, own);
        words.insert(words.end(), {input, "-o", output});
        const Finished done = run_process(words, folder + (separate ? "/log2" : "/log"), kTimeout, options);
        const bool says = fs::exists(folder + "/rule");
        if (says) note_rule(request, plain, own);
        if (!says && done.status == 0) note_unknown_reads();
        const std::string log = readable_log(without_links(plain, done.output), names);
        attempt.refusal = refusal_of(done, program, log);
        if (!is_nvcc || done.output.find("separate compilation mode") == std::string::npos) break;
        attempt.entry.log = log;
    }
    if (!attempt.refusal.empty()) return attempt;
    attempt.entry.compiler = is_nvcc ? "nvcc" : "clang";
    attempt.entry.ptx = with_display_files(read_text_file(output), names, plain.links);
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
