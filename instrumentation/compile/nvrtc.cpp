// NVRTC: the library, in this process.
#include "instrumentation/base/error.h"
#include "instrumentation/compile/attempt.h"
#include "instrumentation/compile/device_code.h"
#include "instrumentation/compile/names.h"
#include "instrumentation/compile/stand_ins.h"

namespace wl::compile {
namespace {

// One NVRTC program.
struct Build {
    const Nvrtc& nvrtc;
    Names names;
    Program program = nullptr;

    Build(const Nvrtc& functions, const CompileOptions& options) :
        nvrtc(functions), names(names_of(options)) {}
    ~Build() { nvrtc.destroy(&program); }
    Build(const Build&) = delete;
    Build& operator=(const Build&) = delete;

    int create(const std::string& source, bool with_stand_ins) {
        std::vector<const char*> texts, headers;
        for (const StandIn& s : stand_ins()) texts.push_back(s.text), headers.push_back(s.name);
        const int count = with_stand_ins ? static_cast<int>(texts.size()) : 0;
        return nvrtc.create(
            &program, source.c_str(), names.source.c_str(), count, texts.data(), headers.data()
        );
    }
    // Why a call failed; empty when it did not.
    std::string refusal(int result) const {
        if (result == 0) return {};
        const std::string said = log();
        return said.empty() ? nvrtc.error_string(result) : said;
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

std::string effort_flag(const Request& request) {
    switch (request.effort) {
        case Effort::least: return "--Ofast-compile=max";
        case Effort::less: return "--Ofast-compile=mid";
        case Effort::more: return "--Ofast-compile=min";
        case Effort::full: break;
    }
    return request.options.debug ? "--device-debug" : "--generate-line-info";
}

// Since 12.8.
bool keeps_headers(const Nvrtc& nvrtc) {
    constexpr int kMajor = 12, kMinor = 8;
    int major = 0, minor = 0;
    nvrtc.version(&major, &minor);
    return major > kMajor || (major == kMajor && minor >= kMinor);
}

std::vector<std::string> flags_of(const Nvrtc& nvrtc, const Request& request, bool with_stand_ins) {
    const CompileOptions& options = request.options;
    std::vector<std::string> flags = {
        "--gpu-architecture=" + options.arch, "--std=" + request.standard, effort_flag(request)};
    for (const auto& [name, value] : options.defines)
        flags.push_back("--define-macro=" + name + (value.empty() ? "" : "=" + value));
    for (const std::string& folder : request.include) flags.push_back("--include-path=" + folder);
    for (const std::string& folder : request.toolkit.include) flags.push_back("--include-path=" + folder);
    if (with_stand_ins) flags.push_back(std::string("--pre-include=") + kPredefined);
    if (!request.headers.empty() && keeps_headers(nvrtc)) {
        // What it says of them names lines of changes that are not at fault.
        for (const char* flag : {"--pch", "--pch-messages=false", "--disable-warnings"})
            flags.emplace_back(flag);
        flags.push_back("--pch-dir=" + request.headers);
    }
    return flags;
}

}  // namespace

Attempt try_nvrtc(const Request& request, bool with_stand_ins) {
    const Nvrtc nvrtc = open_nvrtc(request.toolkit);
    Build build(nvrtc, request.options);
    Attempt attempt;
    attempt.refusal = build.refusal(build.create(request.source, with_stand_ins));
    for (const std::string& name : request.options.name_expressions)
        if (attempt.refusal.empty())
            attempt.refusal = build.refusal(nvrtc.add_name(build.program, name.c_str()));
    if (!attempt.refusal.empty()) return attempt;
    const std::vector<std::string> flags = flags_of(nvrtc, request, with_stand_ins);
    std::vector<const char*> pointers;
    for (const std::string& flag : flags) pointers.push_back(flag.c_str());
    attempt.refusal =
        build.refusal(nvrtc.compile(build.program, static_cast<int>(pointers.size()), pointers.data()));
    if (!attempt.refusal.empty()) return attempt;
    attempt.entry = {build.ptx(), build.log(), {}, "NVRTC"};
    for (const std::string& name : request.options.name_expressions) {
        const char* lowered = nullptr;
        attempt.refusal = build.refusal(nvrtc.lowered_name(build.program, name.c_str(), &lowered));
        if (!attempt.refusal.empty()) return attempt;
        attempt.entry.lowered_names.emplace_back(lowered);
    }
    return attempt;
}

DeviceAttempt try_device_code(const Request& request, bool with_stand_ins) {
    constexpr int kMostRounds = 8;  // an error may hide others
    DeviceAttempt out{{}, device_code(request.source)};
    const bool has_host_code = out.text != request.source;
    const Names names = names_of(request.options);
    for (int round = 0; round < kMostRounds; ++round) {
        const Request own{
            request.options,
            request.toolkit,
            out.text,
            request.include,
            request.standard,
            request.effort,
            request.headers};
        const Attempt tried = try_nvrtc(own, with_stand_ins);
        const bool compiled = tried.refusal.empty();
        if (round == 0 || compiled) out.attempt = tried;
        if (compiled || !has_host_code) break;
        std::string fewer = without_refused(out.text, tried.refusal, names.display);
        if (fewer == out.text) break;
        out.text = std::move(fewer);
    }
    return out;
}

}  // namespace wl::compile
