// The verb: what the program needs around it, and what is told behind it.
#include "app/cli/formats/report.h"
#include "app/cli/programs/orders.h"
#include "app/cli/programs/programs.h"
#include "app/cli/programs/reference.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/path_list.h"
#include "instrumentation/base/os/standard_streams.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/runtime/describe.h"
#include "instrumentation/runtime/fat_binary.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

// The folder of the libraries that stand in for the runtime: of the build, or of an installation.
std::string stand_in_folder() {
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    for (const fs::path& folder : {here / "stand-in", here / ".." / "lib" / "warplens" / "stand-in"})
        if (fs::exists(folder / "libcudart.so.13")) return fs::canonical(folder).string();
    throw Error(
        "libcudart.so.13 of WarpLens is missing beside " + here.string() +
        "; build the target all, or install it"
    );
}

}  // namespace

// What a program finds instead of CUDA: the libraries, which a runtime that is linked into the program
// reaches by the loader's audit of it; and for what compiles while it runs, the way to leave its kernels as
// PTX.
std::vector<std::pair<std::string, std::string>> environment_for(const runtime::Settings& settings) {
    const std::string folder = stand_in_folder();
    return {
        {"LD_LIBRARY_PATH",                          in_front(folder,                                 "LD_LIBRARY_PATH", ":;")},
        {"LD_AUDIT",                                     in_front(folder + "/libwarplens_audit.so",                                                                                    "LD_AUDIT")},
        {"CUPY_COMPILE_WITH_PTX","1"},
        {"CUPY_CACHE_IN_MEMORY",                    "1"                                                                                                   },
        {"TRITON_LIBCUDA_PATH",                     folder                                             },
        {"TRITON_PTXAS_PATH",                      folder + "/ptxas"                                          },
        {"TRITON_PTXAS_BLACKWELL_PATH",                        folder + "/ptxas"                                },
        {runtime::kSettingsVariable,              settings_text(settings)                    }
    };
}

namespace {

// What is about a described kernel means nothing here.
void require_fitting(const Command& c) {
    const KernelOptions& k = c.kernel;
    KernelOptions allowed;
    allowed.launch = k.launch, allowed.check = k.check, allowed.schedule = k.schedule,
    allowed.budget = k.budget, allowed.threads = k.threads;
    if (!k.kernel.empty())
        throw Error("`warplens run` takes a kernel, or a program after --, not both: " + k.kernel);
    if (!(k == allowed) || !c.suggest.empty())
        throw Error(
            "a program is run as it is: of the options of `run` it takes --launch, --first, --check, "
            "--schedule, "
            "--budget, --threads, -o and those of the output"
        );
    if (!c.program.reference.empty() && k.launch.empty())
        throw Error("--reference compares one launch; name it with --launch N or --launch KERNEL");
    if (!c.out.empty() && k.launch.empty())
        throw Error("-o says where the recorded launch goes; name it with --launch N or --launch KERNEL");
}

runtime::Settings settings_for(const Command& c, const std::string& folder) {
    const diagnosis::Options options = run_options(c.kernel);
    runtime::Settings s;
    s.folder = folder;
    s.races = options.races, s.uninitialised = options.uninitialised, s.budget = options.budget;
    s.schedule = options.schedule_seed, s.threads = options.threads;
    s.first = c.program.first, s.launch = c.kernel.launch;
    if (!s.launch.empty()) s.record = fs::absolute(c.out.empty() ? "launch.wlcap" : c.out).string();
    s.command = c.program.words;
    return s;
}

// Holds it kernels? A section of every program that nvcc links.
bool has_kernels(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    return bytes.starts_with(
               "\x7f"
               "ELF"
           ) &&
        bytes.find(".nv_fatbin") != std::string::npos;
}

void read_results(ProgramRun& run, const std::string& folder) {
    run.events = runtime::read_report(folder);
    for (const runtime::Event& e : run.events)
        if ((e.kind == runtime::Event::Kind::launch || e.kind == runtime::Event::Kind::order) &&
            !e.launched.capture.empty())
            run.found.emplace_back(
                e.launched, capture::read_capture((fs::path(folder) / e.launched.capture).string())
            );
    const bool started = std::any_of(run.events.begin(), run.events.end(), [](const runtime::Event& e) {
        return e.kind == runtime::Event::Kind::started;
    });
    if (!started && has_kernels(run.command[0]))
        run.how_to_link = run.command[0] +
            " did not load the CUDA runtime as a shared library, so no kernel was seen; link it by " +
            runtime::kHowToBuild + " (`warplens nvcc` adds it)";
}

void print_result(const Command& c, const ProgramRun& run) {
    if (c.output.json) {
        const std::string text = program_json(run);
        print_text(text + "\n");
    } else if (is_report_format(c.output.format)) {
        Report report{"run", {}};
        for (const auto& [launched, capture] : run.found) report.cases.push_back(case_of(capture, "run"));
        print_text(report_text(report, c.output.format));
    } else {
        Style style = style_of(c.output);
        if (c.output.color == "auto")
            style.color = is_terminal(kErrors) && std::getenv("NO_COLOR") == nullptr;
        print_notice(program_text(run, style, c.output.verbose));
    }
}

void require_recorded(const runtime::Settings& settings) {
    if (!settings.record.empty() && !fs::exists(settings.record))
        throw Error(fmt::format(
            "no launch {} was recorded: {} made none of that number or name",
            settings.launch,
            settings.command.front()
        ));
}

// What the launch left beside what the reference leaves: the report of both programs goes to stderr, that of
// the comparison is the verb's.
int run_with_reference(const Command& c) {
    const ReferenceSource source = reference_source(c);
    const auto recorded = [&](const std::vector<std::string>& words, int& status) {
        const Scratch scratch;
        runtime::Settings settings = settings_for(c, scratch.path);
        settings.command = words, settings.record = scratch.path + "/launch.wllaunch";
        const ProgramRun run = run_recording(settings, true);
        Style style = style_of(c.output);
        style.color = false;
        print_notice(words.front() + ":\n" + program_text(run, style, c.output.verbose) + "\n");
        require_recorded(settings);
        status = status_of(run);
        return launches::read_launch(settings.record);
    };
    int status = 0, other_status = 0;
    const launches::RecordedLaunch launch = recorded(c.program.words, status);
    const launches::RecordedLaunch reference = source.kind == ReferenceSource::Kind::program
        ? recorded(source.command, other_status)
        : reference_of(source, launch);
    const int compared = compare_with_reference(c, source, launch, reference);
    return status == kExitFindings ? status : compared;
}

}  // namespace

ProgramRun run_recording(const runtime::Settings& settings, bool quiet_out) {
    if (!settings.record.empty() && settings.record != runtime::kDescribe) fs::remove(settings.record);
    ProgramRun run;
    run.command = settings.command;
    std::fflush(nullptr);
    run.ended = run_child(run.command, environment_for(settings), quiet_out);
    read_results(run, settings.folder);
    return run;
}

int run_program(const Command& c) {
    require_fitting(c);
    if (!c.program.reference.empty()) return run_with_reference(c);
    const Scratch scratch;
    const runtime::Settings settings = settings_for(c, scratch.path);
    ProgramRun run = run_recording(settings, c.output.format != "text");
    run_other_orders(run, settings, c.program.explore);
    print_result(c, run);
    require_recorded(settings);
    return status_of(run);
}

}  // namespace wl::app
