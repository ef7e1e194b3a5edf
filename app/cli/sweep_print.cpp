// The two spellings of a sweep.
#include "app/cli/sweep.h"
#include "instrumentation/capture/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

using nlohmann::ordered_json;

namespace {

Color color_of(const std::string& verdict) {
    return verdict == "ok"                            ? Color::good
        : verdict == "findings" || verdict == "error" ? Color::bad
                                                      : Color::warn;
}

std::string name_of(const SweepRun& run) { return run.preset.empty() ? "as it stands" : run.preset; }

}  // namespace

std::string sweep_text(const Sweep& s, const Style& style, bool verbose) {
    std::string out = s.worst ? summary_text(*s.worst, style, {false, verbose}) + "\n" : "";
    int64_t same = 0;
    for (const SweepRun& run : s.runs) {
        same += run.verdict == s.verdict ? 1 : 0;
        out += fmt::format(
            "{} {:<16} {}{}\n",
            paint(style, color_of(run.verdict), fmt::format("{:<12}", run.verdict)),
            name_of(run),
            run.shape.empty() ? fmt::format("seed {}", run.seed) : run.shape,
            run.compared.empty() ? "" : "; " + run.compared
        );
        if (!run.said.empty()) out += wrap(run.said, 4);
    }
    return out +
        paint(style, color_of(s.verdict), fmt::format("{}: {} of {} runs\n", s.verdict, same, s.runs.size()));
}

// Of the worst run all that `diagnose` prints, and what each run said.
std::string sweep_json(const Sweep& s, const Command& c) {
    ordered_json j{
        {"warplens", WL_VERSION     },
        {"verb",     c.verb         },
        {"kernel",   c.kernel.kernel}
    };
    if (s.worst) j = ordered_json::parse(capture::summary_json(*s.worst, c.verb));
    j["verdict"] = s.verdict;
    j["runs"] = ordered_json::array();
    for (const SweepRun& run : s.runs)
        j["runs"].push_back({
            {"preset",   run.preset  },
            {"seed",     run.seed    },
            {"shape",    run.shape   },
            {"verdict",  run.verdict },
            {"said",     run.said    },
            {"compared", run.compared}
        });
    return j.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace wl::app
