// By masks of lanes, as the parts of a warp that has parted come and go one after the other.
#include "instrumentation/travel/arrivals.h"

#include "instrumentation/base/text.h"
#include "instrumentation/emulator/replay/memory_here.h"
#include "instrumentation/travel/names.h"

#include <fmt/format.h>
#include <map>

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

namespace {

// How many of its commit groups may stay open; -1: none, copies in no group neither.
std::optional<int> groups_left_open(const ptx::Instruction& in) {
    if (in.op == ptx::Op::cp_async_wait_all) return -1;
    if (in.op != ptx::Op::cp_async_wait_group || in.operands.empty()) return std::nullopt;
    return static_cast<int>(in.operands[0].bits);
}

std::string place_of(const Route& route, uint32_t site) {
    const LinePlace& place = route.lines[site];
    if (place.file < 0) return "a place without a line";
    const std::string& path = route.module->files[static_cast<size_t>(place.file)];
    return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), place.line);
}

// "4 copies issued at v2c_4.cu:67"; empty: all that it waits for has landed.
std::string awaited_copies(const Route& route, const emulator::StandingHere& at) {
    const std::optional<int> open = groups_left_open(*route.instructions[at.site]);
    if (!open) return "";
    std::map<std::string, int> issued;
    for (const emulator::CopyHere& c : emulator::copies_here(*route.traveller))
        if (c.warp == at.warp && (c.lanes & at.lanes) != 0 && c.mbarrier < 0 && c.age >= *open)
            ++issued[place_of(route, c.site)];
    std::vector<std::string> parts;
    for (const auto& [place, count] : issued)
        parts.push_back(fmt::format("{} {} issued at {}", count, count == 1 ? "copy" : "copies", place));
    return join(parts, ", ");
}

}  // namespace

std::vector<Standing> standing_warps(const Route& route) {
    std::vector<Standing> all;
    for (emulator::StandingHere& at : emulator::warps_here(*route.traveller)) {
        Standing s;
        s.waits = at.waits;
        if (at.lanes != 0) {
            LinePlace place = route.lines[at.site];
            for (size_t k = 0; k < at.calls.size() && place.file < 0; ++k) place = route.lines[at.calls[k]];
            s.file = place.file, s.line = place.line;
            if (s.waits.empty()) s.waits = awaited_copies(route, at);
        }
        s.here = std::move(at);
        all.push_back(std::move(s));
    }
    return all;
}

}  // namespace wl::travel
