// Where a move leads is looked up in the trace; only conditions and writes need the block to run.
#include "instrumentation/travel/steps.h"

#include "instrumentation/base/error.h"
#include "instrumentation/travel/arrivals.h"
#include "instrumentation/travel/dataflow.h"
#include "instrumentation/travel/landmarks.h"
#include "instrumentation/travel/search.h"

#include <algorithm>
#include <functional>

namespace wl::travel {
namespace {

using emulator::Here;
using Order = std::optional<uint64_t>;  // of an instant; none: there is no such one

// A stretch of instructions of one line, in one activation of its function.
struct Stretch {
    int file = -1, line = 0;
    uint32_t depth = 0;  // calls, inlined ones too
    bool operator==(const Stretch&) const = default;
};
std::optional<Stretch> stretch_of(const Route& route, const Here& here) {
    const LinePlace& place = route.lines[here.site];
    if (place.file < 0) return std::nullopt;
    return Stretch{place.file, place.line, here.depth + static_cast<uint32_t>(place.depth)};
}

// Instants of the warp with some of the lanes, behind `from` or back from it.
struct Way {
    Route& route;
    Here from;
    uint32_t lanes = 0;
};
using Stop = std::function<bool(const Here&)>;
Order ahead(const Way& way, const Stop& stop) {
    Order found;
    each_instant_from(way.route, way.from.order + 1, way.from.warp, [&](const Here& here, bool) {
        if ((here.lanes & way.lanes) == 0 || !stop(here)) return false;
        found = here.order;
        return true;
    });
    return found;
}
Order behind(const Way& way, const Stop& stop) {
    Order found;
    each_instant_before(way.route, way.from.order, way.from.warp, [&](const Here& here, bool) {
        if ((here.lanes & way.lanes) == 0 || !stop(here)) return false;
        found = here.order;
        return true;
    });
    return found;
}

// In the toolkit's code: the line that led there.
Stretch standing_in(const Way& way) {
    std::optional<Stretch> stretch = stretch_of(way.route, way.from);
    if (stretch) return *stretch;
    behind(way, [&](const Here& here) {
        stretch = stretch_of(way.route, here);
        return stretch.has_value();
    });
    return stretch.value_or(Stretch{});
}

bool is_led_to(StepKind stride, const Stretch& start, const Stretch& next) {
    switch (stride) {
        case StepKind::over: return next.depth <= start.depth;
        case StepKind::out: return next.depth < start.depth;
        default: return true;
    }
}

Order next_stretch(const Way& way, StepKind stride) {
    const Stretch start = standing_in(way);
    return ahead(way, [&](const Here& here) {
        const std::optional<Stretch> next = stretch_of(way.route, here);
        return next && *next != start && is_led_to(stride, start, *next);
    });
}

// The first instruction of the stretch that came last; in the middle of one, its own.
Order last_stretch(const Way& way, StepKind stride) {
    const Stretch start = standing_in(way);
    std::optional<Stretch> target;
    Order first;
    behind(way, [&](const Here& here) {
        const std::optional<Stretch> before = stretch_of(way.route, here);
        if (!before) return false;
        if (!target) {
            if (!is_led_to(stride, start, *before)) return false;
            target = before;
        } else if (*before != *target) {
            return stride != StepKind::over || before->depth <= target->depth;
        }
        first = here.order;
        return false;
    });
    return first;
}

// ---- arrivals at a line

Order next_arrival(const Way& way, const std::vector<char>& on) {
    OnLine before;
    comes_to_line(before, way.from, on[way.from.site] != 0);
    return ahead(way, [&](const Here& here) { return comes_to_line(before, here, on[here.site] != 0); });
}

// Back through instants on the line to the one that came from elsewhere.
Order last_arrival(const Way& way, const std::vector<char>& on) {
    std::optional<Here> candidate;
    behind(way, [&](const Here& here) {
        if (!candidate) {
            if (on[here.site] != 0) candidate = here;
            return false;
        }
        if ((here.lanes & candidate->lanes) == 0 || here.depth > candidate->depth) return false;
        if (on[here.site] == 0) return true;
        candidate = here;
        return false;
    });
    return candidate ? Order(candidate->order) : std::nullopt;
}

// ---- breakpoints

struct Watched {
    std::vector<char> on;  // by site
    const Breakpoint* breakpoint = nullptr;
    std::vector<OnLine> warps;
};

// Stands at the arrivals, in turn or the latest first, until a condition holds.
struct Judge {
    Route& route;
    std::string problem{};
    bool evaluated = false;

    // `live`: the route stands there.
    bool stops(const Breakpoint& breakpoint, uint64_t order, bool live) {
        if (!breakpoint.when) return true;
        if (!live) emulator::go_to(*route.traveller, order);
        try {
            const bool is_true = holds(route, *breakpoint.when);
            evaluated = true;
            return is_true;
        } catch (const Error& error) {
            problem = error.what();
            return false;
        }
    }
};

std::vector<Watched> watched_by(const Route& route, const Move& move) {
    std::vector<Watched> all;
    for (const Breakpoint& b : move.at)
        if (b.line != 0) all.push_back({sites_on_line(route, b.file, b.line), &b, {}});
    return all;
}

bool is_on_data(const Breakpoint& b) { return b.line == 0; }

// Does the warp come to lines where breakpoints are? Those are given.
std::vector<const Breakpoint*> arrivals_at(std::vector<Watched>& all, const Here& here) {
    std::vector<const Breakpoint*> there;
    for (Watched& w : all) {
        if (w.warps.size() <= static_cast<size_t>(here.warp))
            w.warps.resize(static_cast<size_t>(here.warp) + 1);
        if (comes_to_line(w.warps[static_cast<size_t>(here.warp)], here, w.on[here.site] != 0))
            there.push_back(w.breakpoint);
    }
    return there;
}

// Who is on a line already is known from the start on.
struct Stops {
    const Way& way;
    const Move& move;
    std::vector<Watched> all = watched_by(way.route, move);
    Judge judge{way.route};

    bool is_asked(const Here& here) const { return move.any_warp || here.warp == way.from.warp; }
    bool at(const Here& here, bool live) {
        const std::vector<const Breakpoint*> there =
            is_asked(here) ? arrivals_at(all, here) : std::vector<const Breakpoint*>();
        if (here.order <= way.from.order) return false;
        const auto stops = [&](const Breakpoint* b) { return judge.stops(*b, here.order, live); };
        if (std::any_of(there.begin(), there.end(), stops)) return true;
        if (!live) return false;
        return std::any_of(move.at.begin(), move.at.end(), [&](const Breakpoint& b) {
            return is_on_data(b) && writes_here(way.route, b.written) && stops(&b);
        });
    }
};

// What is written is seen only where the block runs.
Order next_stop(const Way& way, const Move& move) {
    Stops stops{way, move};
    const bool data = std::any_of(move.at.begin(), move.at.end(), is_on_data);
    const uint64_t start = move.any_warp ? 0 : way.from.order;
    Order found;
    bool goes_on = false;  // where the block has to run
    const auto look = [&](const Here& here, bool live) {
        goes_on = data && !live && here.order > way.from.order;
        if (goes_on) return true;
        if (stops.at(here, live)) found = here.order;
        return found.has_value();
    };
    each_instant_from(way.route, start, move.any_warp || data ? -1 : way.from.warp, look);
    if (goes_on)
        emulator::run_from(*way.route.traveller, way.from.order + 1, -1, [&](const Here& here) {
            return look(here, true);
        });
    if (!found && !stops.judge.evaluated && !stops.judge.problem.empty()) throw Error(stops.judge.problem);
    return found;
}

// The last write of a data breakpoint's bytes where its condition holds.
Order last_data_stop(const Way& way, const Breakpoint& b, Judge& judge) {
    for (uint64_t before = way.from.order; last_write(way.route, b.written, before);) {
        const uint64_t order = emulator::here(*way.route.traveller).order;
        if (judge.stops(b, order, true)) return order;
        before = order;
    }
    return std::nullopt;
}

Order last_stop(const Way& way, const Move& move) {
    std::vector<Watched> all = watched_by(way.route, move);
    std::vector<std::pair<uint64_t, const Breakpoint*>> arrivals;
    each_instant(way.route, move.any_warp ? -1 : way.from.warp, [&](const Here& here, bool) {
        if (here.order >= way.from.order) return true;
        for (const Breakpoint* b : arrivals_at(all, here)) arrivals.emplace_back(here.order, b);
        return false;
    });
    Judge judge{way.route};
    Order found;
    for (size_t i = arrivals.size(); i-- > 0 && !found;)
        if (judge.stops(*arrivals[i].second, arrivals[i].first, false)) found = arrivals[i].first;
    for (const Breakpoint& b : move.at)
        if (is_on_data(b)) found = std::max(found, last_data_stop(way, b, judge));
    if (!found && !judge.evaluated && !judge.problem.empty()) throw Error(judge.problem);
    return found;
}

// ---- the others

// The stage that the warp is in; throws Error outside every one.
std::string stage_at(const Way& way) {
    std::string stage = way.route.stages[way.from.site];
    if (stage.empty())
        behind(way, [&](const Here& here) {
            stage = way.route.stages[here.site];
            return !stage.empty();
        });
    if (stage.empty()) throw Error("the warp is in no WL_STAGE there, whose iterations could be counted");
    return stage;
}

Order instruction_of(const Way& way, bool back) {
    const bool stood = step(way.route, back ? -1 : 1);
    return stood ? Order(emulator::here(*way.route.traveller).order) : std::nullopt;
}

Order write_of(const Way& way, const Move& move) {
    const bool found = move.back ? last_write(way.route, move.written, way.from.order)
                                 : next_write(way.route, move.written, way.from.order + 1);
    return found ? Order(emulator::here(*way.route.traveller).order) : std::nullopt;
}

// Instructions that access memory on a racing line, where its warp is in the epoch.
Order race_of(const Way& way, const Move& move) {
    const Route& route = way.route;
    std::vector<std::vector<char>> on;
    for (const Racing& r : move.racing) on.push_back(sites_on_line(route, r.file, r.line));
    Order found;
    const auto races = [&](const Here& here, bool) {
        const ptx::Instruction& in = *route.instructions[here.site];
        if (here.order == way.from.order || !(reads_memory(in) || writes_memory(in))) return false;
        for (size_t i = 0; i < on.size() && !found; ++i) {
            const Racing& r = move.racing[i];
            if (on[i][here.site] != 0 && (r.warp < 0 || r.warp == here.warp) &&
                (r.epoch < 0 || r.epoch == here.epoch))
                found = here.order;
        }
        return found.has_value();
    };
    if (move.back)
        each_instant_before(way.route, way.from.order, -1, races);
    else
        each_instant_from(way.route, way.from.order + 1, -1, races);
    return found;
}

Order landmark_of(const Way& way, const Move& move) {
    const Route& route = way.route;
    const std::string stage = move.stride == StepKind::iteration ? stage_at(way) : "";
    const Stop is_there = [&](const Here& here) {
        switch (move.stride) {
            case StepKind::mark: return tile_mark(route, here.site) != nullptr;
            case StepKind::barrier: return is_block_barrier(*route.instructions[here.site]);
            case StepKind::iteration: return route.stages[here.site] == stage;
            default: return !route.stages[here.site].empty();
        }
    };
    return move.back ? behind(way, is_there) : ahead(way, is_there);
}

Order order_of(const Way& way, const Move& move) {
    switch (move.stride) {
        case StepKind::instruction: return instruction_of(way, move.back);
        case StepKind::into:
        case StepKind::over:
        case StepKind::out:
            return move.back ? last_stretch(way, move.stride) : next_stretch(way, move.stride);
        case StepKind::line: {
            const std::vector<char> on = sites_on_line(way.route, move.file, move.line);
            return move.back ? last_arrival(way, on) : next_arrival(way, on);
        }
        case StepKind::write: return write_of(way, move);
        case StepKind::race: return race_of(way, move);
        case StepKind::stop: return move.back ? last_stop(way, move) : next_stop(way, move);
        case StepKind::mark:
        case StepKind::stage:
        case StepKind::iteration:
        case StepKind::barrier: return landmark_of(way, move);
    }
    return std::nullopt;
}

}  // namespace

bool make(Route& route, const Move& move, int lane) {
    const Here from = emulator::here(*route.traveller);
    const bool is_active = lane >= 0 && (from.lanes >> lane & 1) != 0;
    const Way way{route, from, is_active ? 1U << lane : from.lanes & -from.lanes};
    try {
        const Order to = order_of(way, move);
        if (emulator::go_to(*route.traveller, to.value_or(from.order))) return to.has_value();
    } catch (const Error&) {
        emulator::go_to(*route.traveller, from.order);
        throw;
    }
    return false;
}

}  // namespace wl::travel
