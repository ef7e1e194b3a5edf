// Finding instants by running the block once to look, and once more to stop.
#include "instrumentation/travel/instant.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::travel {
namespace {

using emulator::Here;

const capture::Site& site_at(const Route& route, uint32_t site) { return route.sites[site]; }

bool ends_with_path(const std::string& path, const std::string& end) {
    if (!path.ends_with(end)) return false;
    return path.size() == end.size() || end.empty() || path[path.size() - end.size() - 1] == '/';
}

// Is the instruction, or a call through which it was inlined, on the line?
bool on_line(const Route& route, uint32_t site, const Wanted& wanted) {
    for (int s = static_cast<int>(site); s >= 0; s = site_at(route, static_cast<uint32_t>(s)).inlined_at) {
        const capture::Site& here = site_at(route, static_cast<uint32_t>(s));
        if (here.line != wanted.line || here.source < 0) continue;
        if (ends_with_path(route.module->files[static_cast<size_t>(here.source)], wanted.file)) return true;
    }
    return false;
}

// Looks at each instruction of the warp in turn: is it a wanted arrival?
struct Scout {
    Route& route;
    const Wanted& wanted;
    bool was_on_line = false, arrived_late = false;
    std::string stage{}, problem{};
    bool evaluated = false;

    bool arrives(const Here& here) {
        if (const std::string& s = route.stages[here.site]; !s.empty()) stage = s;
        if (wanted.time) {
            if (arrived_late || here.time < *wanted.time) return false;
            arrived_late = true;
        }
        if (wanted.line != 0) {
            const bool now = on_line(route, here.site, wanted);
            const bool comes = now && !was_on_line;
            was_on_line = now;
            if (!comes) return false;
        }
        if (!wanted.stage.empty() && stage != wanted.stage) return false;
        return !wanted.when || holds(*wanted.when);
    }
    bool holds(const watch::Watch& when) {
        const watch::Environment environment = environment_here(route);
        watch::Value value;
        try {
            value = watch::evaluate(when, environment);
            evaluated = true;
        } catch (const Error& error) {
            if (problem.empty()) problem = error.what();
        }
        for (size_t lane = 0; lane < watch::kLanes; ++lane) {
            if ((value.lanes >> lane & 1) == 0) continue;
            if (value.kind == watch::Value::Kind::real ? value.number[lane] != 0 : value.whole[lane] != 0)
                return true;
        }
        return false;
    }
};

// A name may not exist yet at the first arrivals; a condition that could be evaluated at none of them is
// wrong.
bool run(Route& route, const Wanted& wanted, int64_t skip, int64_t& arrivals) {
    Scout scout{route, wanted};
    const bool stopped = emulator::run_until(*route.traveller, wanted.warp, [&](const Here& here) {
        return scout.arrives(here) && arrivals++ == skip;
    });
    if (!scout.problem.empty() && !scout.evaluated) throw Error(scout.problem);
    return stopped;
}

}  // namespace

Route make_route(const ptx::Module& module, emulator::Journey journey) {
    Route route;
    route.module = &module;
    route.variables = variables::read(module);
    route.sites = emulator::sites(*journey.program);
    route.stages.resize(route.sites.size());
    route.functions = emulator::module_functions(*journey.program, module);
    size_t site = 0;
    for (const int f : route.functions) {
        const ptx::Function& function = module.functions[static_cast<size_t>(f)];
        for (const ptx::Instruction& in : function.code) {
            const bool stage =
                in.mark >= 0 && function.marks[static_cast<size_t>(in.mark)].kind == ptx::Mark::Kind::stage;
            if (stage) route.stages[site] = function.marks[static_cast<size_t>(in.mark)].name;
            ++site;
        }
    }
    route.traveller = emulator::start_journey(std::move(journey));
    return route;
}

Found go(Route& route, const Wanted& wanted) {
    Found found;
    int64_t skip = wanted.hit;
    if (skip < 0) {
        run(route, wanted, -1, found.arrivals);
        skip = found.arrivals + wanted.hit;
        if (skip < 0) return found;
        found.arrivals = 0;
    }
    found.found = run(route, wanted, skip, found.arrivals);
    return found;
}

bool step(Route& route, int warp, uint64_t from, int64_t steps) {
    // Times of the instructions up to `from`; joined clocks leave gaps, so steps are counted, not subtracted.
    std::vector<uint64_t> times;
    int64_t after = 0;
    const bool stopped = emulator::run_until(*route.traveller, warp, [&](const Here& here) {
        if (here.time > from) ++after;
        times.push_back(here.time);
        return steps > 0 ? after == steps : here.time >= from;
    });
    if (steps > 0) return stopped;
    const auto back = static_cast<size_t>(-steps);
    if (!stopped || back >= times.size()) return false;
    Wanted wanted;
    wanted.warp = warp;
    wanted.time = times[times.size() - 1 - back];
    return go(route, wanted).found;
}

}  // namespace wl::travel
