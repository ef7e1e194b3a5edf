// Finding instants by running the block and looking at each; stepping by way of the key frames.
#include "instrumentation/travel/instant.h"

#include "instrumentation/base/error.h"
#include "instrumentation/travel/arrivals.h"
#include "instrumentation/travel/fragments.h"
#include "instrumentation/travel/landmarks.h"
#include "instrumentation/travel/search.h"

#include <algorithm>
#include <deque>
#include <map>

namespace wl::travel {
namespace {

using emulator::Here;

// What a warp has done so far.
struct Past {
    bool arrived_late = false;
    OnLine line;
    std::string stage;
    std::map<std::string, int> stages, marks;  // how often it came to each
};

// Looks at each instruction of the warp in turn: is it a wanted arrival?
struct Scout {
    Route& route;
    const Wanted& wanted;
    std::vector<char> line =
        wanted.line != 0 ? sites_on_line(route, wanted.file, wanted.line) : std::vector<char>();  // by site
    std::vector<Past> past{};                                                                     // by warp
    std::string problem{};
    bool evaluated = false;

    // `live`: the route stands there.
    bool arrives(const Here& here, bool live) {
        if (past.size() <= static_cast<size_t>(here.warp)) past.resize(static_cast<size_t>(here.warp) + 1);
        Past& p = past[static_cast<size_t>(here.warp)];
        const std::string* mark = come_to_mark(here, p);
        if (wanted.fragments && !has_fragments(route, here.site)) return false;
        if (wanted.time) {
            if (p.arrived_late || here.time < *wanted.time) return false;
            p.arrived_late = true;
        }
        const bool anywhere = wanted.makes != NonFinite::none || wanted.fragments;
        if (wanted.line != 0 && !anywhere && !comes_to_line(p.line, here, line[here.site] != 0)) return false;
        if (wanted.line != 0 && anywhere && line[here.site] == 0) return false;
        if (!wanted.stage.empty() && p.stage != wanted.stage) return false;
        if (!wanted.tile.empty() && (mark == nullptr || *mark != wanted.tile)) return false;
        if (wanted.iteration >= 0 && iteration_of(p, mark) != wanted.iteration) return false;
        if (!at_instruction(here)) return false;
        if (!wanted.when) return true;
        if (!live) emulator::go_to(*route.traveller, here.order);
        return holds(*wanted.when);
    }
    // The name of the tile's mark that the warp is at.
    const std::string* come_to_mark(const Here& here, Past& p) const {
        if (const std::string& s = route.stages[here.site]; !s.empty()) {
            p.stage = s;
            ++p.stages[s];
        }
        const std::string* mark = tile_mark(route, here.site);
        if (mark != nullptr) ++p.marks[*mark];
        return mark;
    }
    static int iteration_of(const Past& p, const std::string* mark) {
        const auto& counts = mark != nullptr ? p.marks : p.stages;
        const auto count = counts.find(mark != nullptr ? *mark : p.stage);
        return count == counts.end() ? -1 : count->second - 1;
    }
    bool at_instruction(const Here& here) const {
        const ptx::Instruction& in = *route.instructions[here.site];
        if (wanted.epoch >= 0 && here.epoch != wanted.epoch) return false;
        if (wanted.barrier >= 0 && (here.epoch != wanted.barrier || !is_block_barrier(in))) return false;
        if (wanted.site >= 0 && here.site != static_cast<uint64_t>(wanted.site)) return false;
        if (wanted.ptx_line != 0 && in.text_line != wanted.ptx_line) return false;
        return wanted.written.bytes == 0 || writes_here(route, wanted.written);
    }
    bool holds(const watch::Watch& when) {
        try {
            const bool is_true = travel::holds(route, when);
            evaluated = true;
            return is_true;
        } catch (const Error& error) {
            if (problem.empty()) problem = error.what();
            return false;
        }
    }
};

// A name may not exist yet at the first arrivals; a condition that could be evaluated at none of them is
// wrong.
void check(const Scout& scout) {
    if (!scout.problem.empty() && !scout.evaluated) throw Error(scout.problem);
}

}  // namespace

Route make_route(const ptx::Module& module, emulator::ReplaySpec journey) {
    Route route;
    route.module = &module;
    route.variables = variables::read(module);
    route.shared = variables::add_shared(route.variables, module);
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
            route.instructions.push_back(&in);
            route.function_of_site.push_back(&function);
            ++site;
        }
    }
    route.lines = line_places(route);
    route.traveller = emulator::start_journey(std::move(journey));
    return route;
}

namespace {

// Which of the arrivals, of which the first `before` come before the anchor, is number 0.
int64_t first_counted(Wanted::Side side, int64_t before, bool any_behind) {
    const bool last_before = side == Wanted::Side::before ? before > 0 : !any_behind;
    return last_before ? before - 1 : before;
}

// What is asked of every instruction's registers needs the block to run; arrivals are known without.
bool look(Route& route, const Wanted& wanted, const Look& stop) {
    if (wanted.makes == NonFinite::none && wanted.written.bytes == 0)
        return each_instant(route, wanted.warp, stop);
    return emulator::run_until(*route.traveller, wanted.warp, [&](const Here& here) {
        return stop(here, true);
    });
}

Found go_from_anchor(Route& route, const Wanted& wanted) {
    Found found;
    Scout scout{route, wanted};
    std::vector<uint64_t> arrivals;
    int64_t before = 0;
    bool behind = false;
    look(route, wanted, [&](const Here& here, bool live) {
        const bool arrives = scout.arrives(here, live);
        if (arrives) arrivals.push_back(here.order);
        if (here.order < wanted.anchor) {
            before = static_cast<int64_t>(arrivals.size());
            return false;
        }
        behind = behind || arrives;
        const bool decided = behind || (wanted.side == Wanted::Side::before && before > 0);
        const int64_t number = first_counted(wanted.side, before, behind) + wanted.hit;
        return decided && number < static_cast<int64_t>(arrivals.size());
    });
    check(scout);
    found.arrivals = static_cast<int64_t>(arrivals.size());
    const int64_t number = first_counted(wanted.side, before, behind) + wanted.hit;
    if (number < 0 || number >= found.arrivals) return found;
    found.found = emulator::go_to(*route.traveller, arrivals[static_cast<size_t>(number)]);
    return found;
}

}  // namespace

Found go(Route& route, const Wanted& wanted) {
    if (wanted.side != Wanted::Side::none) return go_from_anchor(route, wanted);
    Found found;
    Scout scout{route, wanted};
    OddScout odd{wanted.makes};
    std::deque<OddResult> last;  // the latest arrivals, when they are counted from the end
    const auto kept = static_cast<size_t>(wanted.hit < 0 ? -wanted.hit : 0);
    const auto arrive = [&](const OddResult& at) {
        last.push_back(at);
        if (last.size() > std::max<size_t>(kept, 1)) last.pop_front();
        return found.arrivals++ == wanted.hit;
    };
    found.found = look(route, wanted, [&](const Here& here, bool live) {
        if (wanted.makes == NonFinite::none) return scout.arrives(here, live) && arrive({here.order});
        const std::optional<OddResult> made = look_back(route, odd, here);
        if (made && arrive(*made)) return true;
        if (scout.arrives(here, live)) note_result(route, odd, here);
        return false;
    });
    check(scout);
    const bool from_end = wanted.hit < 0 && last.size() == kept;
    if (from_end) found.arrivals -= static_cast<int64_t>(kept);
    if (!from_end && !found.found) return found;
    const OddResult& at = from_end ? last.front() : last.back();
    found.odd_register = at.reg;
    found.odd_lanes = at.lanes;
    found.found = emulator::go_to(*route.traveller, at.order);
    return found;
}

}  // namespace wl::travel
