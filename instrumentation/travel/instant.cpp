// Finding instants by running the block and looking at each; stepping by way of the key frames.
#include "instrumentation/travel/instant.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <deque>
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
    bool arrived_late = false;
    std::vector<uint32_t> lanes_on_line{};  // by depth of calls
    std::string stage{}, problem{};
    bool evaluated = false;

    bool arrives(const Here& here) {
        if (const std::string& s = route.stages[here.site]; !s.empty()) stage = s;
        if (wanted.time) {
            if (arrived_late || here.time < *wanted.time) return false;
            arrived_late = true;
        }
        if (wanted.line != 0) {
            if (!comes_to_line(here)) return false;
        }
        if (!wanted.stage.empty() && stage != wanted.stage) return false;
        return !wanted.when || holds(*wanted.when);
    }
    // Lanes that return to the line out of a call that it makes have not left it.
    bool comes_to_line(const Here& here) {
        if (lanes_on_line.size() <= here.depth) lanes_on_line.resize(here.depth + 1);
        for (size_t deeper = here.depth + 1; deeper < lanes_on_line.size(); ++deeper)
            lanes_on_line[deeper] &= ~here.lanes;
        uint32_t& lanes = lanes_on_line[here.depth];
        const bool was = (lanes & here.lanes) != 0, is = on_line(route, here.site, wanted);
        lanes = is ? lanes | here.lanes : lanes & ~here.lanes;
        return is && !was;
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
void check(const Scout& scout) {
    if (!scout.problem.empty() && !scout.evaluated) throw Error(scout.problem);
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
    Scout scout{route, wanted};
    std::deque<uint64_t> last;  // orders of the latest arrivals, when they are counted from the end
    const auto kept = static_cast<size_t>(wanted.hit < 0 ? -wanted.hit : 0);
    found.found = emulator::run_until(*route.traveller, wanted.warp, [&](const Here& here) {
        if (!scout.arrives(here)) return false;
        last.push_back(here.order);
        if (last.size() > kept) last.pop_front();
        return found.arrivals++ == wanted.hit;
    });
    check(scout);
    if (wanted.hit < 0 && last.size() == kept) {
        found.arrivals -= static_cast<int64_t>(kept);
        found.found = emulator::go_to(*route.traveller, last.front());
    }
    return found;
}

bool step(Route& route, int64_t steps) {
    const Here from = emulator::here(*route.traveller);
    const bool before = steps < 0 && static_cast<uint64_t>(-steps) > from.nth;
    const uint64_t to = from.nth + static_cast<uint64_t>(steps);
    if (!before && emulator::go_to_nth(*route.traveller, from.warp, to)) return true;
    if (!before) emulator::go_to(*route.traveller, from.order);
    return false;
}

}  // namespace wl::travel
