// From a file to the report of its entries.
#include "app/cli/check.h"

#include "app/cli/verbs.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/compile/ptx_file.h"
#include "instrumentation/manifest/manifest.h"

#include <algorithm>
#include <filesystem>

namespace wl::app {

namespace {

// "sm_90" or "compute_90" as NVRTC wants it for PTX.
std::string virtual_architecture(const std::string& arch) {
    for (const char* prefix : {"sm_", "compute_"}) {
        const std::string number = arch.starts_with(prefix) ? arch.substr(std::string(prefix).size()) : "";
        if (!number.empty() && number[0] >= '0' && number[0] <= '9') return "compute_" + number;
    }
    throw Error("--arch " + arch + ": write sm_90 or compute_90");
}

std::pair<std::string, std::string> definition(const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == 0 || text.empty()) throw Error("--define " + text + ": write NAME or NAME=VALUE");
    return equals == std::string::npos ? std::pair(text, std::string("1"))
                                       : std::pair(text.substr(0, equals), text.substr(equals + 1));
}

// A source with a manifest beside it is compiled with the manifest's definitions; the command line's win.
compile::CompileOptions compile_options(const std::string& file, const CheckOptions& o) {
    compile::CompileOptions c;
    c.source_path = file;
    std::vector<std::pair<std::string, std::string>> defines;
    for (const std::string& text : o.defines) defines.push_back(definition(text));
    const std::string beside = std::filesystem::path(file).replace_extension(".toml").string();
    if (std::filesystem::exists(beside)) {
        const manifest::Problem problem = manifest::bind(manifest::load(beside), {});
        c.include = problem.kernel.include;
        if (o.entry.empty()) c.name_expressions = manifest::template_entries(problem);
        for (const auto& define : problem.defines) {
            const bool replaced = std::any_of(defines.begin(), defines.end(), [&](const auto& d) {
                return d.first == define.first;
            });
            if (!replaced) c.defines.push_back(define);
        }
    }
    c.defines.insert(c.defines.end(), defines.begin(), defines.end());
    c.include.insert(c.include.end(), o.include.begin(), o.include.end());
    c.arch = virtual_architecture(o.arch);
    c.debug = o.debug;
    if (o.entry.find('<') != std::string::npos) c.name_expressions.push_back(o.entry);
    return c;
}

ptx::Module parse_named(const std::string& file, const std::string& text) {
    try {
        return ptx::parse(text);
    } catch (const Error& e) { throw Error(file + ": " + e.what()); }
}

// The lowered name of the wanted template instance goes to `wanted`.
ptx::Module read_module(
    const std::string& file, const CheckOptions& o, std::string& wanted, CheckReport& report
) {
    const std::string suffix = std::filesystem::path(file).extension().string();
    if (compile::is_ptx_file(file)) {
        const bool source_only = !o.defines.empty() || !o.include.empty() || o.debug;
        if (source_only) throw Error(file + " is PTX already: --define, -I and --debug go with a .cu");
        return parse_named(file, compile::read_ptx_file(file));
    }
    if (suffix == ".toml")
        throw Error(
            file + ": this is a manifest; `warplens diagnose " + file +
            "` runs its kernel, and check takes the .cu or PTX that it names"
        );
    if (suffix != ".cu")
        throw Error(file + ": this is neither a .cu nor PTX: .ptx, .fatbin, .cubin, .o, .so");
    const compile::Compiled compiled = compile::compile(compile_options(file, o));
    if (!o.entry.empty() && !compiled.lowered_names.empty()) wanted = compiled.lowered_names.back();
    report.compiler = compiled.compiler;
    for (const std::string& folder : compiled.found) report.found.push_back(manifest::display_path(folder));
    return parse_named(file, compiled.ptx);
}

}  // namespace

CheckReport check_file(const std::string& file, const CheckOptions& options) {
    std::string wanted = options.entry;
    CheckReport report;
    report.file = file;
    report.module = read_module(file, options, wanted, report);
    report.entries = emulator::check_entries(report.module);
    const bool has_entry = !report.entries.empty() && is_entry(report, report.entries.front());
    if (file.ends_with(".cu") && !has_entry)
        throw Error(
            file +
            ": there is no __global__ function in it; name an instance of a template with --entry "
            "'name<arguments>'"
        );
    if (wanted.empty()) return report;
    std::vector<std::string> there;
    for (const emulator::EntryCheck& e : report.entries)
        there.push_back(report.module.functions[static_cast<size_t>(e.function)].name);
    std::erase_if(report.entries, [&](const emulator::EntryCheck& e) {
        return !is_name_of(wanted, report.module.functions[static_cast<size_t>(e.function)].name);
    });
    if (!report.entries.empty()) return report;
    const std::string near = nearest_word(wanted, there);
    throw Error(
        file + ": there is no entry '" + wanted + "'; " +
        (near.empty() ? "it has " + join(there, ", ") : "did you mean '" + near + "'?")
    );
}

bool is_entry(const CheckReport& report, const emulator::EntryCheck& entry) {
    return report.module.functions[static_cast<size_t>(entry.function)].is_entry;
}

bool all_can_run(const CheckReport& report) {
    return std::all_of(report.entries.begin(), report.entries.end(), [](const emulator::EntryCheck& e) {
        return e.refused.empty();
    });
}

int verb_check(const Command& command) {
    const CheckReport report = check_file(command.kernel.kernel, command.check);
    const std::string& format = command.output.format;
    const std::string text = command.output.json ? check_json(report) + "\n"
        : is_report_format(format)               ? report_text(check_report(report), format)
                                                 : check_text(report, command.output);
    print_text(text);
    return all_can_run(report) ? kExitOk : kExitUnsupported;
}

}  // namespace wl::app
