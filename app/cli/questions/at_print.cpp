// What the lanes hold at an instant, for people and as JSON.
#include "app/cli/questions/at.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using nlohmann::ordered_json;
using watch::kLanes;

std::string values_text(const Printed& p, uint32_t lanes) {
    std::string text = "  " + p.expression + (p.origin.empty() ? "" : "   (" + p.origin + ")") + "\n";
    if (!p.missing.empty()) return text + "    no value: " + p.missing + "\n";
    std::string first;
    bool uniform = true;
    size_t width = 1;
    for (size_t lane = 0; lane < kLanes; ++lane) {
        width = std::max(width, p.lanes[lane].size());
        if ((lanes >> lane & 1) == 0) continue;
        if (first.empty()) first = p.lanes[lane];
        uniform = uniform && p.lanes[lane] == first;
    }
    if (uniform)
        return text +
            fmt::format(
                   "    {} in {}\n", first, std::popcount(lanes) == kLanes ? "all lanes" : "every active lane"
            );
    const size_t columns = width <= 11 ? 8 : width <= 24 ? 4 : 1;
    for (size_t lane = 0; lane < kLanes; lane += columns) {
        text += fmt::format("    {:>2}:", lane);
        for (size_t k = lane; k < lane + columns; ++k) text += fmt::format(" {:>{}}", p.lanes[k], width);
        text += '\n';
    }
    return text;
}

}  // namespace

std::string report_text(const AtReport& r) {
    std::string text = fmt::format("{}", r.kernel);
    for (const std::string& f : r.faults) text += " --fault " + f;
    text += fmt::format(
        ", {} build; values simulated by the CPU emulator\nblock {}, warp {}, time {}, lanes {:08x} are "
        "about to execute {}\n    {}   in {}\n",
        r.build,
        r.block,
        r.warp,
        r.time,
        r.lanes,
        r.place,
        r.text,
        r.function
    );
    for (const std::string& note : {r.note, r.schedule_note})
        if (!note.empty()) text += "    " + note + "\n";
    for (const Printed& p : r.values) text += values_text(p, r.lanes);
    if (r.values.empty())
        text += r.build == "debug" ? "    no source variable lives here\n"
                                   : "    an optimised build has no source variables: name registers as in "
                                     "--print %f1, or take --build debug\n";
    return text;
}

nlohmann::ordered_json report_json(const AtReport& r) {
    ordered_json values = ordered_json::array();
    for (const Printed& p : r.values)
        values.push_back({
            {"expression", p.expression},
            {"origin",     p.origin    },
            {"lanes",      p.lanes     },
            {"problem",    p.problem   },
            {"missing",    p.missing   }
        });
    return ordered_json{
        {"warplens",      WL_VERSION     },
        {"verb",          "at"           },
        {"kernel",        r.kernel       },
        {"faults",        r.faults       },
        {"on",            "cpu"          },
        {"build",         r.build        },
        {"block",         r.block        },
        {"warp",          r.warp         },
        {"time",          r.time         },
        {"lanes",         r.lanes        },
        {"epoch",         r.epoch        },
        {"order",         r.order        },
        {"note",          r.note         },
        {"schedule_note", r.schedule_note},
        {"place",         r.place        },
        {"function",      r.function     },
        {"instruction",   r.text         },
        {"values",        values         }
    };
}

}  // namespace wl::app
