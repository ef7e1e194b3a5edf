// `warplens estimate`: the size of a recording before it is made.
#include "instrumentation/diagnosis/estimate.h"

#include "app/cli/executors.h"
#include "app/cli/print.h"
#include "app/cli/progress.h"
#include "app/cli/record/record_words.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/diagnosis/record.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using diagnosis::BlockSize;
using diagnosis::bytes_text;
using diagnosis::Estimate;

std::string limit_text(const Estimate& e) {
    const std::string limit = fmt::format("the limit of {} (--record-limit)", bytes_text(e.limit));
    if (e.fitting == e.blocks.size()) return "all within " + limit;
    return fmt::format(
        "at least {} of {} within {}: what goes beyond it is dropped, whole blocks, from {} on at the "
        "earliest{}",
        e.fitting,
        e.blocks.size(),
        limit,
        block_text(e.blocks[e.fitting].block, e.about.launch.grid),
        e.fitting == 0 ? ", but for the tiles of that one" : ""
    );
}

std::string estimate_text(const Estimate& e, const Style& style) {
    std::string out = headline(e.about, style) +
        fmt::format("{:<14}{:>12}{:>8}{:>14}\n", "block", "events", "tiles", "in memory");
    for (const BlockSize& b : e.blocks)
        out += fmt::format(
            "{:<14}{:>12}{:>8}{:>14}\n",
            block_text(b.block, e.about.launch.grid),
            b.events,
            b.tiles,
            bytes_text(b.bytes())
        );
    return out +
        fmt::format(
               "{} block{}: at most {} in memory; {}\nthe file: about {}, of which recorded blocks {}, "
               "outputs "
               "and their references {}, verdicts of all tiles {}\n",
               e.blocks.size(),
               e.blocks.size() == 1 ? "" : "s",
               bytes_text(e.bytes),
               limit_text(e),
               bytes_text(e.file_bytes),
               bytes_text(e.record_bytes),
               bytes_text(e.output_bytes),
               bytes_text(e.row_bytes)
        );
}

std::string estimate_json(const Estimate& e) {
    nlohmann::ordered_json j;
    j["warplens"] = WL_VERSION, j["verb"] = "estimate", j["kernel"] = e.about.launch.kernel;
    j["faults"] = e.about.launch.faults, j["on"] = "cpu", j["seed"] = e.about.launch.seed,
    j["verdict"] = "ok";
    j["blocks"] = nlohmann::ordered_json::array();
    for (const BlockSize& b : e.blocks)
        j["blocks"].push_back({
            {"block",      b.block     },
            {"events",     b.events    },
            {"tiles",      b.tiles     },
            {"tile_bytes", b.tile_bytes},
            {"bytes",      b.bytes()   }
        });
    j["bytes"] = e.bytes, j["record_bytes"] = e.record_bytes, j["output_bytes"] = e.output_bytes;
    j["row_bytes"] = e.row_bytes, j["file_bytes"] = e.file_bytes, j["limit"] = e.limit,
    j["fitting"] = e.fitting;
    return json_text(j);
}

}  // namespace

int verb_estimate(const Command& command) {
    require_emulator(command.verb, command.kernel);
    manifest::Problem problem = bind(command.kernel);
    diagnosis::Options options = run_options(command.kernel);
    options.on_progress = progress_reporter(command.output);
    std::vector<int64_t> blocks;
    for (const std::string& block : record_words(command.kernel).blocks)
        blocks.push_back(block_of_launch(block, problem));
    if (blocks.empty()) blocks.push_back(0);
    const Estimate e = diagnosis::estimate(std::move(problem), options, blocks);
    const std::string text =
        command.output.json ? estimate_json(e) + "\n" : estimate_text(e, style_of(command.output));
    print_text(text);
    return kExitOk;
}

}  // namespace wl::app
