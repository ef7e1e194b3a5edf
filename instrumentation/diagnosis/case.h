// A problem that is run and explained, and how.
#pragma once

#include "instrumentation/analysis/reference.h"
#include "instrumentation/capture/capture.h"
#include "instrumentation/emulator/run.h"
#include "instrumentation/execution/executor.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Progress {
    std::string stage;    // "compile", "run", "record", "diagnose"
    double fraction = 0;  // of the stage
};

struct Options {
    int threads = 0;                                            // 0: as many as cores
    bool races = true, uninitialised = true, reference = true;  // --check
    std::vector<int64_t> record;  // blocks to record besides the first bad one (or block 0 when none is bad)
    execution::Recording recording;         // of them, besides marks
    uint64_t record_bytes = 1'000'000'000;  // events and elements in memory; blocks beyond it are dropped
    uint64_t schedule_seed = 0;
    uint64_t budget = 0;        // warp instructions of a block; 0: the executor's own
    bool recorded_pass = true;  // false: verdicts only
    bool diagnose = true;
    bool debug = false;         // compile the debug build: source variables, several times the instructions
    double search_seconds = 0;  // for a change that mends what no rule proves; 0: none is searched for
    // Told the change of the source that the first finding rests on, as `patch -p1` takes it.
    std::function<void(const std::string& patch)> on_patch;
    // Told what was recorded and compared, before its causes are looked for.
    std::function<void(const capture::Capture& judged)> on_judged;
    std::vector<std::string> ideas;  // changes of the source that shall be tried, "57: < -> <="
    std::string arch = "compute_90";
    std::function<bool(const Progress&)> on_progress;  // false cancels: run throws Cancelled
    execution::Executor executor = emulator::executor();
    // Where changed programs run if the emulator lacks an instruction of the kernel, each within a limit and
    // whatever it does. Nothing: they do not run.
    std::optional<execution::Executor> trials = {};
    // Of what is_followed in the launch, the kinds that were followed and did no harm: no fault of a changed
    // program either.
    std::vector<execution::Incident::Kind> harmless = {};
};

struct Cancelled {};

// Which elements of which outputs are another launch's: of a later one they are judged behind that, of an
// earlier one they are not this one's work.
enum class Whose : uint8_t { own, later, earlier };

struct Unsettled {
    std::map<std::string, std::vector<Whose>> elements;  // by output
};

// Everything the rules need to change the program and run it again.
struct Experiment {
    manifest::Problem problem;
    ptx::Module module;
    std::string entry;                 // of the launch that is looked at
    std::vector<std::string> entries;  // of all launches
    // Memory as the launches before left it; null where there are none, or it is not known yet.
    std::shared_ptr<const execution::GlobalMemory> before = {};
    std::shared_ptr<const Unsettled> unsettled = {};  // null: nothing
    std::optional<analysis::Reference> reference;
    std::string reference_problem;  // why there is none
    Options options;
};

}  // namespace wl::diagnosis
