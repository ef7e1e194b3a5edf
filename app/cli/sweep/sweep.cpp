// The verb, its table, and its parts.
#include "app/cli/sweep/sweep.h"

#include "app/cli/progress.h"
#include "app/cli/sweep/pool.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/verdict.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> own_words() {
    std::vector<std::string> words;
    std::ifstream in("/proc/self/cmdline");
    for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
    words.front() = fs::read_symlink("/proc/self/exe").string();
    return words;
}

SweepResult run_sweep(const Command& c, std::vector<KernelOptions> all) {
    SweepResult out;
    out.identity = identity_of(all), out.cases = all.size();
    if (!c.sweep.part.empty()) out.part = parse_part(c.sweep.part);
    SweepJob job{
        cases_of_part(std::move(all), out.part), places_of(c), c.sweep.keep, progress_reporter(c.output)};
    if (c.kernel.threads == 0 && job.places.front().host.empty())
        for (KernelOptions& one : job.cases) one.threads = 1;
    std::error_code problem;
    if (!job.keep.empty()) fs::create_directories(job.keep, problem);
    if (problem) throw Error(fmt::format("-o {}: {}", job.keep, problem.message()));
    Swept swept = run_cases(job);
    out.runs = std::move(swept.runs), out.lost = std::move(swept.lost);
    return out;
}

std::string name_of(const SweepRun& run) {
    std::string out = run.kernel + " " + (run.preset.empty() ? "as it stands" : run.preset);
    if (run.schedule != 0) out += fmt::format(" schedule {}", run.schedule);
    if (!run.place.empty()) out += " on " + run.place;
    return out;
}

}  // namespace

std::string verdict_of(const SweepResult& result) {
    std::string out = result.missing.empty() ? "ok" : "incomplete";
    for (const SweepRun& run : result.runs) out = worse(out, run.verdict);
    return out;
}

std::string sweep_table(const SweepResult& result, const Style& style) {
    std::string out;
    size_t kept = 0;
    for (const SweepRun& run : result.runs) {
        out += row_text(run, name_of(run), style);
        if (!run.capture.empty()) out += "    " + run.capture + "\n", ++kept;
    }
    for (const std::string& lost : result.lost) out += wrap("left out: " + lost, 0);
    for (const int part : result.missing)
        out += fmt::format("part {} of {} is missing\n", part, result.part.of);
    if (result.part.of > 1 && result.missing.empty() && result.runs.size() < result.cases)
        out += fmt::format(
            "part {} of {}: {} of {} runs\n",
            result.part.number,
            result.part.of,
            result.runs.size(),
            result.cases
        );
    if (kept > 0) out += fmt::format("captures of what failed: {}\n", kept);
    return out + rows_footer(result.runs, verdict_of(result), style);
}

std::string sweep_table_json(const SweepResult& result) {
    Json j{
        {"warplens", WL_VERSION                          },
        {"verb",     "sweep"                             },
        {"verdict",  verdict_of(result)                  },
        {"sweep",    result.identity                     },
        {"cases",    result.cases                        },
        {"part",     {result.part.number, result.part.of}},
        {"missing",  result.missing                      },
        {"lost",     result.lost                         },
        {"runs",     Json::array()                       }
    };
    for (const SweepRun& run : result.runs) {
        Json row{
            {"kernel", run.kernel}
        };
        row.update(row_json(run));
        row["set"] = run.set, row["schedule"] = run.schedule, row["place"] = run.place;
        row["seconds"] = run.seconds, row["capture"] = run.capture;
        j["runs"].push_back(std::move(row));
    }
    return json_text(j);
}

int verb_sweep(const Command& c) {
    SweepResult result;
    if (!c.sweep.merge.empty()) {
        result = merge_parts(c.sweep.merge);
    } else {
        std::vector<KernelOptions> all = cases_of(c);
        if (c.sweep.slurm) {
            print_data(slurm_script(c, own_words(), all.size()));
            return kExitOk;
        }
        result = run_sweep(c, std::move(all));
    }
    const std::string text =
        c.output.json ? sweep_table_json(result) + "\n" : sweep_table(result, style_of(c.output));
    print_text(text);
    return capture::status_of(verdict_of(result));
}

}  // namespace wl::app
