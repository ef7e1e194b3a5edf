// Races, barriers, addresses and uninitialised values of a kernel, and what other schedules make of it.
#include "instrumentation/diagnosis/orders/hazards.h"

#include "app/cli/executors.h"
#include "app/cli/formats/baseline.h"
#include "app/cli/print.h"
#include "app/cli/progress.h"
#include "app/cli/questions/carried.h"
#include "app/cli/verbs.h"
#include "app/worker/trusted.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/capture/block_json.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/json.h"
#include "instrumentation/capture/verdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using diagnosis::Change;
using nlohmann::ordered_json;

constexpr size_t kMostLines = 8;  // of schedules, and of tiles

std::string value_text(double x) { return std::isnan(x) ? "NaN" : fmt::format("{:.6g}", x); }

std::string change_text(const capture::Capture& c, const Change& x) {
    std::string where;
    if (x.block >= 0)
        where = fmt::format(", block {}, iteration {}", block_text(x.block, c.launch.grid), x.iteration);
    if (x.warp >= 0) where += fmt::format(", warp {}", x.warp);
    return fmt::format(
        "{}{}: {}; element {} was {}, is {}{}",
        x.name,
        where,
        diagnosis::extent_of(x),
        x.first,
        value_text(x.was),
        value_text(x.is),
        x.rounding ? "; as sums round whose terms come in another order" : ""
    );
}

std::string schedule_text(const capture::Capture& c, const diagnosis::TriedSchedule& s) {
    std::string out = fmt::format("  --schedule {}", s.seed);
    if (!s.order.empty()) out += ": " + s.order;
    out += !s.in_order ? ", which something orders the other way\n" : s.finished ? "\n" : ": does not end\n";
    for (const Change& change : s.outputs) out += "    " + change_text(c, change) + "\n";
    for (size_t k = 0; k < std::min(s.tiles.size(), kMostLines); ++k)
        out += "    tile " + change_text(c, s.tiles[k]) + "\n";
    if (s.tiles.size() > kMostLines)
        out += fmt::format("    and {} more tiles\n", s.tiles.size() - kMostLines);
    return out;
}

std::string list_text(
    const capture::Capture& c, const std::vector<const diagnosis::TriedSchedule*>& schedules
) {
    std::string out;
    for (size_t k = 0; k < std::min(schedules.size(), kMostLines); ++k)
        out += schedule_text(c, *schedules[k]);
    if (schedules.size() > kMostLines) out += fmt::format("  and {} more\n", schedules.size() - kMostLines);
    return out;
}

std::string exploration_text(const capture::Capture& c, const diagnosis::Exploration& x) {
    if (x.schedules == 0) return {};
    const auto other = diagnosis::changed(x);
    std::string out = fmt::format(
        "schedules: {} tried, {} of them directed; {} end otherwise than schedule 0\n",
        x.schedules,
        x.directed,
        other.size()
    );
    out += list_text(c, other);
    std::vector<const diagnosis::TriedSchedule*> same;
    for (const diagnosis::TriedSchedule& s : x.tried)
        if (!s.changed && !s.order.empty()) same.push_back(&s);
    if (x.pairs > 0)
        out += fmt::format(
            "pairs of accesses that nothing orders: {}, of which {} were run in both orders\n",
            x.pairs,
            x.pairs_both_ways
        );
    if (!same.empty()) out += "directed schedules that change nothing:\n" + list_text(c, same);
    return out;
}

ordered_json change_json(const capture::Capture& c, const Change& x) {
    ordered_json j{
        {"name",           x.name    },
        {"elements",       x.elements},
        {"changed",        x.changed },
        {"max_difference", x.largest },
        {"odd",            x.odd     },
        {"first",          x.first   },
        {"was",            x.was     },
        {"is",             x.is      },
        {"rounding",       x.rounding}
    };
    if (x.block < 0) return j;
    j["block"] = capture::block_json(x.block, c.launch.grid);
    j["iteration"] = x.iteration;
    if (x.warp >= 0) j["warp"] = x.warp;
    return j;
}

ordered_json changes_json(const capture::Capture& c, const std::vector<Change>& changes) {
    ordered_json j = ordered_json::array();
    for (const Change& change : changes) j.push_back(change_json(c, change));
    return j;
}

ordered_json schedule_json(const capture::Capture& c, const diagnosis::TriedSchedule& s) {
    ordered_json j{
        {"schedule", s.seed    },
        {"finished", s.finished}
    };
    if (s.changed) j["shows_in_captures"] = s.shows_in_captures;
    if (!s.order.empty()) j["order"] = s.order, j["in_order"] = s.in_order;
    j["outputs"] = changes_json(c, s.outputs);
    j["tiles"] = changes_json(c, s.tiles);
    return j;
}

ordered_json exploration_json(const capture::Capture& c, const diagnosis::Exploration& x) {
    ordered_json changed = ordered_json::array(), directed = ordered_json::array();
    for (const diagnosis::TriedSchedule* s : diagnosis::changed(x)) changed.push_back(schedule_json(c, *s));
    for (const diagnosis::TriedSchedule& s : x.tried)
        if (!s.order.empty()) directed.push_back(schedule_json(c, s));
    return {
        {"schedules",       x.schedules          },
        {"pairs",           x.pairs              },
        {"pairs_both_ways", x.pairs_both_ways    },
        {"directed",        directed             },
        {"changed",         changed              },
        {"outcome",         diagnosis::outcome(x)}
    };
}

ordered_json device_json(const diagnosis::DeviceExploration& x) {
    ordered_json pairs = ordered_json::array();
    for (const diagnosis::DelayedPair& p : x.pairs)
        pairs.push_back({
            {"pair",     p.text    },
            {"runs",     p.runs    },
            {"changed",  p.changed },
            {"faults",   p.faults  },
            {"elements", p.elements},
            {"largest",  p.largest },
            {"seed",     p.seed    }
        });
    return {
        {"name",   x.device},
        {"steady", x.steady},
        {"fault",  x.fault },
        {"pairs",  pairs   }
    };
}

}  // namespace

int verb_hazards(const Command& command) {
    require_baseline(command.output);
    diagnosis::Options options = run_options(command.kernel);
    options.on_progress = progress_reporter(command.output);
    manifest::Problem problem = bind(command.kernel);
    trust(problem.kernel.path);  // it was named on the command line
    diagnosis::Hazards h =
        diagnosis::find_hazards(problem, options, command.explore, device_beside(command.kernel, options));
    carry(problem, h.capture);
    const capture::Capture& c = h.capture;
    Report report{command.verb, {case_of(c, command.verb)}};
    const Gate gated = gate(command.output, report, capture::status_of(c.verdict));
    if (!command.out.empty() && c.verdict != "unsupported") capture::write_capture(c, command.out);
    if (command.output.json) {
        ordered_json j = ordered_json::parse(capture::summary_json(c, command.verb));
        if (h.exploration.schedules > 0) j["exploration"] = exploration_json(c, h.exploration);
        if (h.device) j["device"] = device_json(*h.device);
        print_text(with_baseline(json_text(j), gated) + "\n");
    } else if (is_report_format(command.output.format)) {
        print_text(report_text(report, command.output.format));
    } else {
        const Style style = style_of(command.output);
        print_text(headline(c, style) + findings_text(c, style, command.output.verbose) + "\n");
        print_text(exploration_text(c, h.exploration));
        if (h.device) print_text(diagnosis::device_text(*h.device));
        print_text(covered_text(c, style, command.output.verbose) + gated.text);
    }
    return gated.status;
}

}  // namespace wl::app
