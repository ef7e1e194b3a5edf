// One run of the block; a row a write.
#include "app/cli/questions/at_writes.h"

#include "instrumentation/base/lanes_text.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using nlohmann::ordered_json;

std::string value_text(DType dtype, const std::vector<std::byte>& bytes) {
    if (bytes.empty()) return "";
    const double value = to_double(dtype, bytes.data());
    return is_float(dtype) ? fmt::format("{:.9g}", value) : fmt::format("{:.0f}", value);
}

// The author's own line: of what a header of the toolkit stores that of the call.
std::string place_of(const travel::Route& route, uint32_t site) {
    const travel::LinePlace& line = route.lines[site];
    if (line.file < 0) return "no source line";
    return fmt::format("{}:{}", route.module->files[static_cast<size_t>(line.file)], line.line);
}

}  // namespace

WritesAnswer answer_writes(Trip& trip, const AtOptions& o) {
    const travel::NamedBytes named = bytes_of(trip, o.writes, o.iteration);
    const travel::Route& route = trip.route;
    WritesAnswer r;
    r.kernel = trip.experiment.problem.kernel.name;
    r.faults = trip.faults, r.build = trip.build, r.block = trip.block;
    r.element = o.writes;
    r.global = named.bytes.address < emulator::kSharedBase;
    for (travel::Written& write : travel::all_writes(trip.route, named.bytes)) {
        const uint32_t site = write.at.site;
        ElementWrite& each = r.writes.emplace_back();
        each.place = place_of(route, site);
        each.instruction = route.sites[site].text;
        each.left = value_text(named.dtype, write.left);
        each.write = std::move(write);
    }
    return r;
}

std::string writes_text(const WritesAnswer& r) {
    std::string text = r.kernel;
    for (const std::string& f : r.faults) text += " --fault " + f;
    text += fmt::format(", {} build; values simulated by the CPU emulator\n", r.build);
    text += fmt::format(
        "{}: {} write{} by block {}{}\n",
        r.element,
        r.writes.size(),
        r.writes.size() == 1 ? "" : "s",
        r.block,
        r.global ? "; other blocks are not looked at" : ""
    );
    if (r.writes.empty()) return text;
    text += fmt::format(
        "{:>10} {:>5} {:>4} {:>5} {:>6}  {:>14}  {}\n",
        "instant",
        "iter",
        "warp",
        "lane",
        "epoch",
        "leaves",
        "line"
    );
    for (const ElementWrite& each : r.writes) {
        const travel::Written& w = each.write;
        text += fmt::format(
            "{:>10} {:>5} {:>4} {:>5} {:>6}  {:>14}  {}{}{}\n",
            w.at.order,
            w.iteration < 0 ? "-" : fmt::format("{}", w.iteration),
            w.at.warp,
            lanes_text(w.lanes),
            w.at.epoch,
            each.left.empty() ? "-" : each.left,
            each.place,
            w.stage.empty() ? "" : "  in " + w.stage,
            w.copy ? "  a copy, which lands later" : ""
        );
    }
    return text;
}

ordered_json writes_json(const WritesAnswer& r) {
    ordered_json writes = ordered_json::array();
    for (const ElementWrite& each : r.writes) {
        const travel::Written& w = each.write;
        writes.push_back({
            {"order",       w.at.order      },
            {"time",        w.at.time       },
            {"warp",        w.at.warp       },
            {"lanes",       w.lanes         },
            {"epoch",       w.at.epoch      },
            {"stage",       w.stage         },
            {"iteration",   w.iteration     },
            {"copy",        w.copy          },
            {"place",       each.place      },
            {"instruction", each.instruction},
            {"leaves",      each.left       }
        });
    }
    return ordered_json{
        {"warplens", WL_VERSION},
        {"verb",     "at"      },
        {"kernel",   r.kernel  },
        {"faults",   r.faults  },
        {"on",       "cpu"     },
        {"build",    r.build   },
        {"block",    r.block   },
        {"element",  r.element },
        {"global",   r.global  },
        {"writes",   writes    }
    };
}

int show_writes(const Command& command, Trip& trip) {
    const WritesAnswer r = answer_writes(trip, command.at);
    const std::string text = command.output.json ? json_text(writes_json(r)) + "\n" : writes_text(r);
    print_text(text);
    return kExitOk;
}

}  // namespace wl::app
