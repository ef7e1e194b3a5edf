#include "app/cli/executors.h"

#include "app/cli/record/record_words.h"
#include "app/worker/worker.h"
#include "instrumentation/base/device_limits.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/gpu/driver.h"
#include "instrumentation/gpu/executor.h"
#include "instrumentation/gpu/isolated.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

bool wants_gpu(const KernelOptions& kernel) {
    return kernel.on != "cpu" && (kernel.on != "auto" || gpu::devices().missing.empty());
}

// Set for the process that dumps before a fault.
constexpr const char* kDumpVariable = "WARPLENS_GPU_DUMP";

std::vector<std::string> own_command() {
    std::vector<std::string> words;
    std::ifstream in("/proc/self/cmdline");
    for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
    return words;
}

execution::Executor gpu_for(const KernelOptions& kernel, diagnosis::Options& options) {
    execution::Executor made = gpu::executor(
        kernel.device, std::getenv(kDumpVariable) != nullptr ? gpu::Order::dump_only : gpu::Order::plain_first
    );
    const int capability = gpu::devices().all.at(static_cast<size_t>(kernel.device)).capability;
    if (kernel.arch == KernelOptions{}.arch && capability < device_limits(kernel.arch)->capability)
        options.arch = fmt::format("compute_{}", capability);
    return made;
}

}  // namespace

Executors choose_executors(const KernelOptions& kernel, diagnosis::Options& options) {
    if (!wants_gpu(kernel)) return {};
    if (kernel.on == "both") return {gpu_for(kernel, options)};
    options.executor = gpu_for(kernel, options);
    options.trials = gpu::isolated_executor(
        kernel.device, {"/proc/self/exe", gpu::kRunsVerb, std::to_string(kernel.device)}
    );
    return {};
}

std::optional<int> dump_before_fault(const KernelOptions& kernel, const capture::Capture& c) {
    const bool faulted = std::any_of(c.findings.begin(), c.findings.end(), [](const capture::Finding& f) {
        return f.rule == "device_fault";
    });
    const execution::Recording& recording = record_words(kernel).recording;
    const bool told = c.ptx.find("@wl ") != std::string::npos || recording.stores || recording.barriers;
    if (kernel.on == "both" || !faulted || !told || std::getenv(kDumpVariable) != nullptr)
        return std::nullopt;
    std::vector<std::string> words = own_command();
    words.front() = "/proc/self/exe";
    ProcessOptions dumping;
    dumping.environment = {
        {kDumpVariable,   "1"                          },
        {kParentVariable, std::to_string(own_process())}
    };
    Process process = start_process(words, dumping);
    std::optional<ExitStatus> ended;
    while (go_on() && !ended) ended = wait_for(process);
    if (!ended) end_process(process);
    return ended ? std::optional(shell_status(*ended)) : std::nullopt;
}

std::optional<execution::Executor> device_beside(const KernelOptions& kernel, diagnosis::Options& options) {
    if (!wants_gpu(kernel)) return std::nullopt;
    return gpu_for(kernel, options);
}

void require_emulator(const std::string& verb, const KernelOptions& kernel) {
    if (kernel.on == "cpu" || kernel.on == "auto") return;
    throw Unsupported(fmt::format(
        "unsupported: {} --on {}: {} watches every access, or runs changed programs, and so needs the "
        "emulator; "
        "leave --on out",
        verb,
        kernel.on,
        verb
    ));
}

std::string with_witnesses(const std::string& summary, const diagnosis::Witnesses& w) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const diagnosis::Agreement& a : w.all)
        all.push_back({
            {a.output ? "output" : "tile", a.name          },
            {"tiles",                      a.tiles         },
            {"missing",                    a.missing       },
            {"elements",                   a.elements      },
            {"equal",                      a.equal         },
            {"compared",                   a.compared      },
            {"unjudged",                   a.unjudged      },
            {"beyond",                     a.beyond        },
            {"worst",                      a.worst         },
            {"worst_unjudged",             a.worst_unjudged}
        });
    nlohmann::ordered_json out = nlohmann::ordered_json::parse(summary);
    out["witnesses"] = {
        {"of",     {w.a, w.b}         },
        {"agree",  diagnosis::agree(w)},
        {"fault",  w.fault            },
        {"notes",  w.notes            },
        {"parted", w.parted           },
        {"each",   all                }
    };
    return json_text(out);
}

}  // namespace wl::app
