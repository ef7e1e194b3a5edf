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
    const std::string inset(static_cast<size_t>(2 * p.depth), ' ');
    std::string text = "  " + inset + p.expression + (p.origin.empty() ? "" : "   (" + p.origin + ")") + "\n";
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

// Where the steps led, the last place apart.
std::string way_text(const AtReport& r) {
    std::string text;
    size_t width = 0;
    for (const Stop& s : r.way) width = std::max(width, s.step.size());
    for (size_t i = 0; i < r.way.size(); ++i) {
        const Stop& s = r.way[i];
        const bool other = s.warp != (i == 0 ? r.way.back() : r.way[i - 1]).warp;
        text += fmt::format(
            "  {:<{}}  {}, lanes {:08x}{}\n",
            s.step,
            width,
            s.place,
            s.lanes,
            other ? fmt::format(", warp {}", s.warp) : ""
        );
    }
    return text;
}

// Where each stands, what it waits for, and its lanes' values.
std::string warps_text(const AtReport& r) {
    std::string text = "  warps of the block" + (r.across.empty() ? "" : ", and in each " + r.across) + "\n";
    size_t width = 1;
    for (const WarpStands& w : r.warps)
        for (const std::string& value : w.values) width = std::max(width, value.size());
    const size_t columns = width <= 7 ? 16 : width <= 11 ? 8 : width <= 24 ? 4 : 1;
    for (const WarpStands& w : r.warps) {
        const std::string place = w.lanes == 0 ? "has ended" : w.place;
        const std::string some =
            w.lanes == 0 || w.lanes == UINT32_MAX ? "" : fmt::format(", lanes {:08x}", w.lanes);
        const std::string waits = w.waits.empty() ? "" : ", waits for " + w.waits;
        text += fmt::format("    {:>2}: {}{}{}\n", w.warp, place, some, waits);
        if (!w.problem.empty()) text += "        " + w.problem + "\n";
        for (size_t lane = 0; lane < w.values.size(); lane += columns) {
            text += "       ";
            for (size_t k = lane; k < lane + columns; ++k) text += fmt::format(" {:>{}}", w.values[k], width);
            text += '\n';
        }
    }
    return text;
}

// The selected warp's own.
std::string waits_text(const AtReport& r) {
    for (const WarpStands& w : r.warps)
        if (w.warp == r.warp && (w.lanes & r.lanes) != 0 && !w.waits.empty())
            return "    waits for " + w.waits + "\n";
    return "";
}

ordered_json warps_json(const AtReport& r) {
    ordered_json all = ordered_json::array();
    for (const WarpStands& w : r.warps) {
        ordered_json one{
            {"warp",  w.warp },
            {"lanes", w.lanes},
            {"place", w.place},
            {"waits", w.waits}
        };
        if (!r.across.empty()) one["values"] = w.values, one["problem"] = w.problem;
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace

std::string report_text(const AtReport& r) {
    std::string text = fmt::format("{}", r.kernel);
    for (const std::string& f : r.faults) text += " --fault " + f;
    text += fmt::format(", {} build; values simulated by the CPU emulator\n", r.build);
    text += way_text(r);
    text += fmt::format(
        "block {}, warp {}, time {}, lanes {:08x} are "
        "about to execute {}\n    {}   in {}\n",
        r.block,
        r.warp,
        r.time,
        r.lanes,
        r.place,
        r.text,
        r.function
    );
    if (r.timeline && r.build == "debug")
        text += fmt::format("    time {} of the recorded run\n", *r.timeline);
    for (const std::string& note : {r.note, r.schedule_note, r.build_note})
        if (!note.empty()) text += "    " + note + "\n";
    text += waits_text(r);
    if (r.tells_warps) text += warps_text(r);
    for (const Printed& p : r.values) text += values_text(p, r.lanes);
    if (r.values.empty())
        text += r.build == "debug" ? "    no source variable lives here\n"
                                   : "    an optimised build has no source variables: name registers as in "
                                     "--print %f1, or take --build debug\n";
    return text;
}

nlohmann::ordered_json report_json(const AtReport& r) {
    ordered_json values = ordered_json::array(), way = ordered_json::array();
    for (const Stop& s : r.way)
        way.push_back({
            {"step",  s.step },
            {"place", s.place},
            {"warp",  s.warp },
            {"time",  s.time },
            {"lanes", s.lanes}
        });
    for (const Printed& p : r.values)
        values.push_back({
            {"expression", p.expression},
            {"origin",     p.origin    },
            {"lanes",      p.lanes     },
            {"problem",    p.problem   },
            {"missing",    p.missing   },
            {"depth",      p.depth     },
            {"opens",      p.opens     }
        });
    return ordered_json{
        {"warplens",      WL_VERSION                                                    },
        {"verb",          "at"                                                          },
        {"kernel",        r.kernel                                                      },
        {"faults",        r.faults                                                      },
        {"on",            "cpu"                                                         },
        {"build",         r.build                                                       },
        {"block",         r.block                                                       },
        {"warp",          r.warp                                                        },
        {"time",          r.time                                                        },
        {"lanes",         r.lanes                                                       },
        {"epoch",         r.epoch                                                       },
        {"order",         r.order                                                       },
        {"between",       text_of(r.between)                                            },
        {"timeline",      r.timeline ? ordered_json(*r.timeline) : ordered_json(nullptr)},
        {"way",           way                                                           },
        {"note",          r.note                                                        },
        {"schedule_note", r.schedule_note                                               },
        {"build_note",    r.build_note                                                  },
        {"place",         r.place                                                       },
        {"function",      r.function                                                    },
        {"instruction",   r.text                                                        },
        {"values",        values                                                        },
        {"across",        r.across                                                      },
        {"warps",         warps_json(r)                                                 }
    };
}

}  // namespace wl::app
