// Every warp of the block at an instant, each looked at in turn.
#include "app/cli/questions/at.h"
#include "instrumentation/base/error.h"
#include "instrumentation/travel/arrivals.h"

#include <fmt/format.h>

namespace wl::app {

namespace {

std::string place_of(const travel::Route& route, const travel::Standing& at) {
    if (at.here.lanes == 0) return "";
    if (at.file < 0) return "no source line";
    return fmt::format("{}:{}", route.module->files[static_cast<size_t>(at.file)], at.line);
}

void evaluate_there(const travel::Route& route, const watch::Watch& across, WarpStands& w) {
    try {
        const watch::Environment environment = travel::environment_here(route);
        const watch::Value value = watch::evaluate(across, environment);
        for (int lane = 0; lane < watch::kLanes; ++lane)
            w.values.push_back((w.lanes >> lane & 1) != 0 ? watch::text_of(value, lane, environment) : "-");
    } catch (const Error& error) {  // mostly a name that there is elsewhere
        w.values.clear(), w.problem = error.what();
    }
}

}  // namespace

std::vector<WarpStands> warps_of(const travel::Route& route, const std::string& across) {
    std::vector<WarpStands> all;
    std::optional<watch::Watch> parsed;
    if (!across.empty()) parsed = watch::parse(across);
    for (const travel::Standing& at : travel::standing_warps(route)) {
        WarpStands w;
        w.warp = at.here.warp, w.lanes = at.here.lanes;
        w.place = place_of(route, at), w.waits = at.waits;
        if (parsed && w.lanes != 0) {
            const emulator::Glance glance(*route.traveller, at.here);
            evaluate_there(route, *parsed, w);
        }
        all.push_back(std::move(w));
    }
    return all;
}

}  // namespace wl::app
