// By masks of lanes, as the parts of a warp that has parted come and go one after the other.
#include "instrumentation/travel/arrivals.h"

namespace wl::travel {
namespace {

bool ends_with_path(const std::string& path, const std::string& end) {
    if (!path.ends_with(end)) return false;
    return path.size() == end.size() || end.empty() || path[path.size() - end.size() - 1] == '/';
}

}  // namespace

std::vector<char> sites_on_line(const Route& route, const std::string& file, int line) {
    std::vector<char> named;  // by file
    for (const std::string& path : route.module->files) named.push_back(ends_with_path(path, file) ? 1 : 0);
    std::vector<char> on(route.sites.size());
    for (size_t i = 0; i < on.size(); ++i) {
        for (int s = static_cast<int>(i); s >= 0; s = route.sites[static_cast<size_t>(s)].inlined_at) {
            const capture::Site& site = route.sites[static_cast<size_t>(s)];
            if (site.line == line && site.source >= 0 && named[static_cast<size_t>(site.source)] != 0)
                on[i] = 1;
        }
    }
    return on;
}

bool comes_to_line(OnLine& before, const emulator::Here& here, bool is_on_line) {
    if (before.lanes.size() <= here.depth) before.lanes.resize(here.depth + 1);
    for (size_t deeper = here.depth + 1; deeper < before.lanes.size(); ++deeper)
        before.lanes[deeper] &= ~here.lanes;
    uint32_t& lanes = before.lanes[here.depth];
    const bool was = (lanes & here.lanes) != 0;
    lanes = is_on_line ? lanes | here.lanes : lanes & ~here.lanes;
    return is_on_line && !was;
}

bool holds(const Route& route, const watch::Watch& when) {
    const watch::Environment environment = environment_here(route);
    const watch::Value value = watch::evaluate(when, environment);
    for (size_t lane = 0; lane < watch::kLanes; ++lane) {
        if ((value.lanes >> lane & 1) == 0) continue;
        if (value.kind == watch::Value::Kind::real ? value.number[lane] != 0 : value.whole[lane] != 0)
            return true;
    }
    return false;
}

}  // namespace wl::travel
