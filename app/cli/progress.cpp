// Progress of a run.
#include "app/cli/progress.h"

#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/standard_streams.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/output/visible.h"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>

namespace wl::app {

namespace {

struct Reporter {
    OutputOptions options;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now(), last = start;
    std::string stage;
    bool shown = false;

    explicit Reporter(OutputOptions o) : options(std::move(o)) {}
    bool operator()(const diagnosis::Progress& p) {
        const auto now = std::chrono::steady_clock::now();
        const bool fresh = p.stage != stage;
        stage = p.stage;
        if (options.progress) {
            if (fresh || now - last > std::chrono::milliseconds(50))
                print_notice(fmt::format("progress {} {:.3f}\n", visible_line(p.stage), p.fraction)),
                    last = now;
        } else if (!options.quiet && is_terminal(kErrors) && now - start > std::chrono::seconds(1) && now - last > std::chrono::milliseconds(100)) {
            print_progress(fmt::format("{} {:3.0f} %", p.stage, 100 * p.fraction));
            shown = true, last = now;
        }
        return go_on();
    }
    ~Reporter() {
        if (shown) print_progress("");
    }
};

}  // namespace

std::function<bool(const diagnosis::Progress&)> progress_reporter(const OutputOptions& options) {
    auto reporter = std::make_shared<Reporter>(Reporter(options));
    return [reporter](const diagnosis::Progress& p) { return (*reporter)(p); };
}

}  // namespace wl::app
