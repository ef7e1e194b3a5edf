#include "instrumentation/diagnosis/progress.h"

#include "instrumentation/base/os/stop.h"

namespace wl::diagnosis {

void report(const Options& options, const char* stage, double fraction) {
    check_stop();
    if (options.on_progress && !options.on_progress({stage, fraction})) throw_cancelled();
}

void throw_cancelled() {
    check_stop();
    throw Cancelled{};
}

execution::RunOptions run_options(const Options& o, const char* stage) {
    execution::RunOptions out;
    out.threads = o.threads, out.schedule_seed = o.schedule_seed, out.budget = o.budget;
    out.checks = {.races = o.races, .uninitialised = o.uninitialised, .uniform = o.reference};
    out.on_progress = [&o, stage](uint64_t done, uint64_t total) {
        return !o.on_progress ||
            o.on_progress({stage, total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total)});
    };
    return out;
}

}  // namespace wl::diagnosis
