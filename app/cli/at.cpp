// warplens at: an instant of a block, and what its lanes hold.
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/travel/instant.h"

#include <bit>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using nlohmann::ordered_json;
using watch::kLanes;

struct Printed {
    std::string expression, origin, problem;
    std::vector<std::string> lanes;  // "-": no value
};

struct AtReport {
    std::string kernel, build, place, function, text;
    std::vector<std::string> faults;
    int64_t block = 0;
    int warp = 0;
    uint64_t time = 0;
    uint32_t lanes = 0;
    std::vector<Printed> values;
};

travel::Wanted wanted_of(const AtOptions& o) {
    travel::Wanted w;
    w.warp = o.warp;
    w.line = o.line;
    w.file = o.file;
    w.stage = o.stage;
    w.hit = o.hit;
    if (o.time >= 0) w.time = static_cast<uint64_t>(o.time);
    if (!o.when.empty()) w.when = watch::parse(o.when);
    return w;
}

std::string describe(const AtOptions& o) {
    std::string text = fmt::format("warp {}", o.warp);
    if (o.line != 0) text += fmt::format(" at line {}", o.line);
    if (!o.file.empty()) text += " of " + o.file;
    if (!o.stage.empty()) text += " in stage " + o.stage;
    if (!o.when.empty()) text += " with " + o.when;
    if (o.time >= 0) text += fmt::format(" from time {} on", o.time);
    return text;
}

// Without --print: the source variables that live here; in an optimised build there are none to name.
std::vector<std::string> names_to_print(const travel::Route& route) {
    std::vector<std::string> names;
    const emulator::Activation a = emulator::activations(*route.traveller).front();
    const int function = route.functions[static_cast<size_t>(a.function)];
    for (const variables::Variable* v : variables::visible(route.variables, function, a.instruction)) {
        const bool known = std::find(names.begin(), names.end(), v->name) != names.end();
        if (v->function >= 0 && !known && variables::place_at(*v, a.instruction) != nullptr)
            names.push_back(v->name);
    }
    return names;
}

Printed print_one(const travel::Route& route, const std::string& expression) {
    Printed p;
    p.expression = expression;
    p.origin = travel::origin_of(route, expression);
    const watch::Environment environment = travel::environment_here(route);
    const watch::Value value = watch::evaluate(watch::parse(expression), environment);
    for (int lane = 0; lane < kLanes; ++lane) p.lanes.push_back(watch::text_of(value, lane, environment));
    return p;
}

AtReport report_here(const travel::Route& route, const AtOptions& o) {
    AtReport r;
    const emulator::Here& here = emulator::here(*route.traveller);
    const capture::Site& site = route.sites[here.site];
    r.warp = here.warp;
    r.time = here.time;
    r.lanes = here.lanes;
    r.text = site.text;
    r.function = emulator::activations(*route.traveller).front().name;
    r.place = site.source >= 0
        ? fmt::format("{}:{}", route.module->files[static_cast<size_t>(site.source)], site.line)
        : "no source line";
    for (const std::string& expression : o.print.empty() ? names_to_print(route) : o.print)
        r.values.push_back(print_one(route, expression));
    return r;
}

std::string values_text(const Printed& p, uint32_t lanes) {
    std::string text = "  " + p.expression + (p.origin.empty() ? "" : "   (" + p.origin + ")") + "\n";
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
        text += "\n";
    }
    return text;
}

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
    for (const Printed& p : r.values) text += values_text(p, r.lanes);
    return text;
}

std::string report_json(const AtReport& r) {
    ordered_json values = ordered_json::array();
    for (const Printed& p : r.values)
        values.push_back({
            {"expression", p.expression},
            {"origin",     p.origin    },
            {"lanes",      p.lanes     }
        });
    return ordered_json{
               {"warplens",    WL_VERSION},
               {"verb",        "at"      },
               {"kernel",      r.kernel  },
               {"faults",      r.faults  },
               {"on",          "cpu"     },
               {"build",       r.build   },
               {"block",       r.block   },
               {"warp",        r.warp    },
               {"time",        r.time    },
               {"lanes",       r.lanes   },
               {"place",       r.place   },
               {"function",    r.function},
               {"instruction", r.text    },
               {"values",      values    }
    }
               .dump(2) +
        "\n";
}

void travel_to(travel::Route& route, const AtOptions& o) {
    const travel::Found found = travel::go(route, wanted_of(o));
    if (!found.found)
        throw Error(fmt::format(
            "there is no such instant: {} is met {} times, and --hit asks for number {}",
            describe(o),
            found.arrivals,
            o.hit
        ));
    if (o.step == 0) return;
    const emulator::Here from = emulator::here(*route.traveller);
    if (!travel::step(route, o.step))
        throw Error(fmt::format(
            "the warp does not execute {} instructions {} time {}",
            std::abs(o.step),
            o.step < 0 ? "before" : "after",
            from.time
        ));
}

}  // namespace

int verb_at(const Command& command) {
    const AtOptions& o = command.at;
    manifest::Problem problem = bind(command.kernel);
    diagnosis::Options options = run_options(command.kernel);
    options.debug = o.build == "debug";
    options.reference = false;
    capture::Capture capture;
    const diagnosis::Experiment e = diagnosis::prepare(std::move(problem), options, capture);
    const ptx::Function& entry = *ptx::find_entry(e.module, e.entry);
    diagnosis::Prepared prepared = diagnosis::prepare_launch(e.problem, entry);
    emulator::Journey journey{
        emulator::lower(e.module, e.entry), prepared.launch, std::move(prepared.memory)};
    journey.block = o.block.empty() ? 0 : parse_block(o.block, e.problem.grid);
    journey.schedule_seed = options.schedule_seed;
    const auto warps = static_cast<int>((count(prepared.launch.block) + kLanes - 1) / kLanes);
    if (o.warp >= warps)
        throw Error(fmt::format("--warp {}: a block of this launch has warps 0 to {}", o.warp, warps - 1));
    const int64_t block = journey.block;
    travel::Route route = travel::make_route(e.module, std::move(journey));
    travel_to(route, o);
    AtReport r = report_here(route, o);
    r.kernel = e.problem.kernel.name;
    r.faults = command.kernel.faults;
    r.build = o.build;
    r.block = block;
    const std::string text = command.output.json ? report_json(r) : report_text(r);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kExitOk;
}

}  // namespace wl::app
