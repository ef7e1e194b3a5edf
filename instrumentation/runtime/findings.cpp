// A launch becomes an experiment whose problem is made of the parameters' bytes.
#include "instrumentation/runtime/findings.h"

#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/timer.h"
#include "instrumentation/runtime/module.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

manifest::BoundArgument scalar(const std::string& name, DType dtype, const std::byte* bytes) {
    manifest::BoundArgument a;
    a.name = name;
    a.data = {
        name, dtype, {                      },
          { bytes, bytes + size_of(dtype)}
    };
    return a;
}

// A struct is passed as its bytes.
manifest::BoundArgument argument_of(const std::string& name, const ptx::Variable& p, const std::byte* bytes) {
    if (p.bytes == 1) return scalar(name, DType::u8, bytes);
    if (p.bytes == 2 && p.align == 2) return scalar(name, DType::u16, bytes);
    if (p.bytes == 4 && p.align == 4) return scalar(name, DType::u32, bytes);
    if (p.bytes == 8 && p.align == 8) return scalar(name, DType::u64, bytes);
    manifest::BoundArgument a;
    a.name = name;
    a.align = p.align;
    for (uint64_t k = 0; k < p.bytes; ++k)
        a.fields.push_back(scalar(fmt::format("{}[{}]", name, k), DType::u8, bytes + k));
    return a;
}

}  // namespace

std::string tool_version() { return WL_VERSION; }

std::string now_utc() {
    // Not by gmtime_r, which reads files of time zones into the program's heap.
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto day = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(now - day);
    return fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count()
    );
}

namespace {

capture::Capture described(
    const diagnosis::Experiment& e,
    const execution::Executable& executable,
    const execution::RunResult& result
) {
    capture::Capture c;
    c.tool_version = tool_version(), c.created = now_utc();
    c.ptx = e.module.text;
    for (const std::string& file : e.module.files) {
        std::error_code none;
        c.sources.push_back({file, std::filesystem::is_regular_file(file, none) ? read_text_file(file) : ""});
    }
    describe_launch(e, executable, c);
    c.launch.inputs = "program";
    c.counters.emplace_back("warp_instructions", static_cast<double>(result.warp_instructions));
    c.seconds.emplace_back("run", result.seconds);
    c.covered.blocks = static_cast<int64_t>(result.blocks);
    c.notes = result.notes;
    return c;
}

}  // namespace

diagnosis::Experiment experiment_of(const Asked& asked, const diagnosis::Options& options) {
    const ptx::Function& entry = ptx::entry_of(asked.module, asked.entry);
    manifest::BoundLaunch launch;
    launch.name = fmt::format("launch {}", asked.number), launch.entry = asked.entry;
    launch.grid = asked.launch.grid, launch.block = asked.launch.block, launch.key = "launch";
    launch.shared = asked.launch.dynamic_shared, launch.stack = asked.launch.stack_bytes;
    launch.cooperative = asked.launch.cooperative;
    const std::vector<ParamPlace> places = params_of(entry);
    for (size_t k = 0; k < places.size(); ++k)
        launch.parameters.push_back(
            {-1,
             argument_of(
                 fmt::format("parameter {}", k),
                 entry.params[k],
                 asked.launch.params.data() + places[k].offset
             )}
        );
    manifest::Problem problem;
    problem.kernel.name = asked.shown;
    problem.launches.push_back(std::move(launch));
    problem.inputs = "program";
    diagnosis::Experiment e{
        std::move(problem),
        asked.module,
        asked.entry,
        {asked.entry},
        asked.before,
        {},
        std::nullopt,
        {},
        options};
    return e;
}

capture::Capture explained(
    const diagnosis::Experiment& e,
    const execution::Executable& executable,
    const execution::RunResult& result
) {
    capture::Capture c = described(e, executable, result);
    std::vector<execution::Incident> incidents = result.incidents;
    explain(e, c, incidents);
    c.verdict = analysis::verdict_of(c);
    return c;
}

capture::Capture recorded(
    const diagnosis::Experiment& e,
    const execution::Executable& executable,
    const execution::RunResult& result
) {
    capture::Capture c = described(e, executable, result);
    std::vector<execution::Incident> incidents = result.incidents;
    record_pass(e, executable, c, incidents);
    explain(e, c, incidents);
    c.verdict = analysis::verdict_of(c);
    return c;
}

}  // namespace wl::runtime
