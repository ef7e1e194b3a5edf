// Races, barriers, addresses and uninitialised values of a kernel, and what other schedules make of it.
#include "app/cli/print.h"
#include "app/cli/progress.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/block_json.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/json.h"
#include "instrumentation/diagnosis/explore.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using diagnosis::Change;
using nlohmann::ordered_json;

constexpr size_t kMostLines = 8;  // of schedules, and of tiles

std::string change_text(const capture::Capture& c, const Change& x) {
    std::string where;
    if (x.block >= 0)
        where = fmt::format(", block {}, iteration {}", block_text(x.block, c.launch.grid), x.iteration);
    if (x.warp >= 0) where += fmt::format(", warp {}", x.warp);
    return fmt::format(
        "{}{}: {} of {} elements, by up to {:.4g}; element {} was {:.6g}, is {:.6g}",
        x.name,
        where,
        x.changed,
        x.elements,
        x.largest,
        x.first,
        x.was,
        x.is
    );
}

std::string exploration_text(const capture::Capture& c, const diagnosis::Exploration& x) {
    if (x.schedules == 0) return {};
    std::string out = fmt::format(
        "schedules: {} tried, {} of them to turn a race round; {} end otherwise than schedule 0\n",
        x.schedules,
        x.directed,
        x.changed.size()
    );
    for (size_t k = 0; k < std::min(x.changed.size(), kMostLines); ++k) {
        const diagnosis::TriedSchedule& s = x.changed[k];
        out += fmt::format("  --schedule {}{}\n", s.seed, s.finished ? "" : ": does not end");
        for (const Change& change : s.outputs) out += "    " + change_text(c, change) + "\n";
    }
    if (x.changed.size() > kMostLines) out += fmt::format("  and {} more\n", x.changed.size() - kMostLines);
    for (size_t k = 0; k < std::min(x.tiles.size(), kMostLines); ++k)
        out += "  tile " + change_text(c, x.tiles[k]) + "\n";
    if (x.tiles.size() > kMostLines) out += fmt::format("  and {} more tiles\n", x.tiles.size() - kMostLines);
    return out;
}

ordered_json change_json(const capture::Capture& c, const Change& x) {
    ordered_json j{
        {"name",           x.name    },
        {"elements",       x.elements},
        {"changed",        x.changed },
        {"max_difference", x.largest },
        {"first",          x.first   }
    };
    if (x.block < 0) return j;
    j["block"] = capture::block_json(x.block, c.launch.grid);
    j["iteration"] = x.iteration;
    if (x.warp >= 0) j["warp"] = x.warp;
    return j;
}

ordered_json exploration_json(const capture::Capture& c, const diagnosis::Exploration& x) {
    ordered_json changed = ordered_json::array(), tiles = ordered_json::array();
    for (const diagnosis::TriedSchedule& s : x.changed) {
        ordered_json outputs = ordered_json::array();
        for (const Change& change : s.outputs) outputs.push_back(change_json(c, change));
        changed.push_back({
            {"schedule", s.seed    },
            {"finished", s.finished},
            {"outputs",  outputs   }
        });
    }
    for (const Change& change : x.tiles) tiles.push_back(change_json(c, change));
    return {
        {"schedules", x.schedules          },
        {"directed",  x.directed           },
        {"changed",   changed              },
        {"tiles",     tiles                },
        {"outcome",   diagnosis::outcome(x)}
    };
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace

int verb_hazards(const Command& command) {
    require_executor(command.kernel.on);
    diagnosis::Options options = run_options(command.kernel);
    options.on_progress = progress_reporter(command.output);
    const diagnosis::Hazards h = diagnosis::find_hazards(bind(command.kernel), options, command.explore);
    const capture::Capture& c = h.capture;
    if (!command.out.empty() && c.verdict != "unsupported") capture::write_capture(c, command.out);
    if (command.output.json) {
        ordered_json j = ordered_json::parse(capture::summary_json(c, command.verb));
        if (h.exploration.schedules > 0) j["exploration"] = exploration_json(c, h.exploration);
        print(j.dump(2) + "\n");
    } else {
        const Style style = style_of(command.output);
        print(headline(c, style) + findings_text(c, style) + "\n");
        print(exploration_text(c, h.exploration) + covered_text(c, style));
    }
    return exit_status(c.verdict);
}

}  // namespace wl::app
