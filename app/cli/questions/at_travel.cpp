// From the options of `at` to an instant of the block.
#include "app/cli/questions/at.h"
#include "instrumentation/base/error.h"
#include "instrumentation/emulator/replay/warps_here.h"
#include "instrumentation/travel/landmarks.h"
#include "instrumentation/travel/search.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

namespace wl::app {

namespace {

bool asks_any_warp(const AtOptions& o) { return o.first == "nan" || o.first == "inf" || !o.write.empty(); }

travel::Wanted wanted_of(const AtOptions& o) {
    travel::Wanted w;
    w.warp = asks_any_warp(o) ? o.warp : std::max(o.warp, 0);
    w.line = o.line;
    w.file = o.file;
    w.stage = o.stage;
    w.tile = o.tile;
    w.iteration = o.iteration;
    w.barrier = o.barrier;
    w.epoch = o.epoch;
    w.ptx_line = o.ptx_line;
    w.site = o.site;
    if (o.first == "nan") w.makes = travel::NonFinite::nan;
    if (o.first == "inf") w.makes = travel::NonFinite::inf;
    w.fragments = o.fragments;
    w.hit = o.hit;
    if (o.time >= 0) w.time = static_cast<uint64_t>(o.time);
    if (!o.when.empty()) w.when = watch::parse(o.when);
    return w;
}

std::string describe(const AtOptions& o) {
    std::string text =
        o.warp < 0 && asks_any_warp(o) ? "any warp" : fmt::format("warp {}", std::max(o.warp, 0));
    if (o.line != 0) text += fmt::format(" at line {}", o.line);
    if (!o.file.empty()) text += " of " + o.file;
    if (!o.stage.empty()) text += " in stage " + o.stage;
    if (!o.tile.empty()) text += " at the mark of tile " + o.tile;
    if (o.iteration >= 0) text += fmt::format(" of iteration {}", o.iteration);
    if (o.barrier >= 0) text += fmt::format(" at its barrier {}", o.barrier);
    if (o.epoch >= 0) text += fmt::format(" in epoch {}", o.epoch);
    if (o.ptx_line != 0) text += fmt::format(" at PTX line {}", o.ptx_line);
    if (o.site >= 0) text += fmt::format(" at instruction {}", o.site);
    if (o.first == "nan" || o.first == "inf") text += " making " + o.first;
    if (!o.write.empty()) text += " writing " + o.write;
    if (!o.when.empty()) text += " with " + o.when;
    if (!o.serves.empty()) text += " for " + o.serves;
    if (!o.from_stage.empty()) text += " from stage " + o.from_stage + " on";
    if (o.fragments) text += " at a matrix instruction";
    if (o.time >= 0) text += fmt::format(" from time {} on", o.time);
    return text;
}

bool is_address(const std::string& text) {
    return text.starts_with("shared:") || text.starts_with("global:");
}

// An array argument as the block leaves it: elements of its last extent side by side.
travel::Taken argument_at_the_end(const Trip& trip, const manifest::BoundArgument& a) {
    travel::Taken t;
    t.name = a.name;
    t.order = UINT64_MAX;
    t.tile.memory = "global";
    t.tile.dtype = a.data.dtype;
    t.tile.cols = t.tile.ld = static_cast<int>(a.data.shape.empty() ? 1 : a.data.shape.back());
    t.tile.rows = static_cast<int>(elements(a.data.shape) / std::max(t.tile.cols, 1));
    if (const auto there = emulator::allocation_named(*trip.route.traveller, a.name))
        t.tile.address = there->first;
    return t;
}

// By the block's marks, then the arguments.
const std::vector<travel::Taken>& taken_of(Trip& trip) {
    if (trip.taken) return *trip.taken;
    trip.taken = travel::take_tiles(trip.route);
    for (const manifest::BoundArgument& a : trip.experiment.problem.args)
        if (a.array && !a.texture) trip.taken->push_back(argument_at_the_end(trip, a));
    return *trip.taken;
}

// The first wrong tile of the block in kernel time, of the name that was asked for; its elements are kept.
const capture::Tile& first_bad(const Trip& trip, const AtOptions& o) {
    if (!trip.recorded)
        throw Error(
            "--first bad goes by the verdicts of a capture: name a .wlcap that `warplens run` has written"
        );
    const capture::Capture& c = *trip.recorded;
    const capture::Tile* best = nullptr;
    for (const capture::Tile& t : c.tiles) {
        if (t.block != trip.block || t.verdict != capture::Verdict::bad) continue;
        if (!o.tile.empty() && c.probes[static_cast<size_t>(t.probe)].name != o.tile) continue;
        if (o.iteration >= 0 && t.iteration != o.iteration) continue;
        if (best == nullptr || t.time < best->time) best = &t;
    }
    if (best == nullptr)
        throw Error(
            fmt::format("no tile {}of block {} is wrong", o.tile.empty() ? "" : o.tile + " ", trip.block)
        );
    return *best;
}

// Before the instruction that wrote the first wrong element; of a tile in registers, at its mark.
std::string go_to_first_bad(Trip& trip, const AtOptions& o) {
    const capture::Tile& t = first_bad(trip, o);
    const std::string& name = trip.recorded->probes[static_cast<size_t>(t.probe)].name;
    const std::string element = fmt::format("{}[{}][{}]", name, t.first_bad_row, t.first_bad_col);
    const std::string what = fmt::format("{} of iteration {}, the first wrong element", element, t.iteration);
    if (t.ld == 0) {
        travel::Wanted at;
        at.warp = t.warp;
        at.tile = name;
        at.iteration = t.iteration;
        if (travel::go(trip.route, at).found) return what + ", is in a register here";
    } else {
        const travel::NamedBytes there = bytes_of(trip, element, t.iteration);
        if (travel::last_write(trip.route, there.bytes, there.taken.value_or(UINT64_MAX)))
            return "about to write " + what;
    }
    throw Error(fmt::format("{}: the block that runs again writes it nowhere", what));
}

std::string odd_text(const travel::Route& route, const AtOptions& o, const travel::Found& found) {
    if (found.odd_register < 0) return o.write.empty() ? "" : "about to write " + o.write;
    const emulator::Here& here = emulator::here(*route.traveller);
    const ptx::Function& f = *route.function_of_site[here.site];
    return fmt::format(
        "about to make {}: {} in lanes {:08x}",
        o.first,
        f.registers[static_cast<size_t>(found.odd_register)].name,
        found.odd_lanes
    );
}

// The instant at which the element is written for the mark that takes it. Of a tile in registers, of a warp's
// own too: its mark.
uint64_t instant_of(Trip& trip, const AtOptions& o) {
    if (is_address(o.serves) || o.serves.find('[') != std::string::npos) {
        const travel::NamedBytes there = bytes_of(trip, o.serves, o.iteration);
        const uint64_t taken = there.taken.value_or(UINT64_MAX);
        if (travel::last_write(trip.route, there.bytes, taken))
            return emulator::here(*trip.route.traveller).order;
        if (taken != UINT64_MAX) return taken;
        throw Error("--for " + o.serves + ": the block writes it nowhere");
    }
    for (const travel::Taken& t : taken_of(trip)) {
        const bool warp = o.warp < 0 || t.tile.warp < 0 || t.tile.warp == o.warp;
        if (t.name == o.serves && warp && (o.iteration < 0 || t.tile.iteration == o.iteration))
            return t.order;
    }
    throw Error(fmt::format("--for {}: the block takes no such tile there", o.serves));
}

// Where arrivals are counted from, when not from the block's start.
void set_anchor(Trip& trip, const AtOptions& o, travel::Wanted& wanted) {
    if (o.fragments && o.time >= 0) {
        travel::Wanted then;
        then.warp = wanted.warp;
        then.time = wanted.time;
        wanted.time.reset();
        if (!travel::go(trip.route, then).found)
            throw Error(fmt::format("warp {} has ended before time {}", then.warp, o.time));
        wanted.side = travel::Wanted::Side::behind;
        wanted.anchor = emulator::here(*trip.route.traveller).order;
        return;
    }
    if (o.serves.empty() && o.from_stage.empty()) return;
    wanted.iteration = -1;
    if (!o.serves.empty()) {
        wanted.side = travel::Wanted::Side::before;
        wanted.anchor = instant_of(trip, o);
        return;
    }
    travel::Wanted stage;
    stage.warp = wanted.warp;
    stage.stage = o.from_stage;
    stage.iteration = o.iteration;
    if (!travel::go(trip.route, stage).found)
        throw Error(fmt::format("warp {} does not come to stage {} there", stage.warp, o.from_stage));
    wanted.side = travel::Wanted::Side::behind;
    wanted.anchor = emulator::here(*trip.route.traveller).order;
}

// Of a line that no instruction lies on: the nearest ones that have code, in the kernel's own file.
std::string without_code(const travel::Route& route, const AtOptions& o) {
    if (o.line == 0 || !o.file.empty()) return "";
    int before = 0, behind = INT_MAX;
    for (const capture::Site& site : route.sites) {
        if (site.line == o.line) return "";
        if (site.source != 0 || site.line <= 0) continue;
        if (site.line < o.line) before = std::max(before, site.line);
        if (site.line > o.line) behind = std::min(behind, site.line);
    }
    std::string nearest = before != 0 ? fmt::format("{}", before) : "";
    if (behind != INT_MAX) nearest += fmt::format("{}{}", nearest.empty() ? "" : " and ", behind);
    return fmt::format("; no instruction is at line {}, the nearest are at {}", o.line, nearest);
}

std::string go_to_wanted(Trip& trip, const AtOptions& o) {
    if (o.first == "bad") return go_to_first_bad(trip, o);
    travel::Wanted wanted = wanted_of(o);
    set_anchor(trip, o, wanted);
    if (!o.write.empty()) wanted.written = bytes_of(trip, o.write, -1).bytes;
    const travel::Found found = travel::go(trip.route, wanted);
    if (found.found) return odd_text(trip.route, o, found);
    throw Error(fmt::format(
        "there is no such instant: {} is met {} time{}, and there is no arrival number {}{}",
        describe(o),
        found.arrivals,
        found.arrivals == 1 ? "" : "s",
        o.hit,
        without_code(trip.route, o)
    ));
}

// From the instant on, or back. Without one: from the mark of a tile's element, else from the block's end or
// start.
std::string go_to_write(Trip& trip, const AtOptions& o, bool back) {
    const std::string& text = back ? o.last_write : o.next_write;
    uint64_t here = emulator::here(*trip.route.traveller).order;
    const travel::NamedBytes there = bytes_of(trip, text, o.iteration);
    if (!names_an_instant(o)) here = there.taken.value_or(back ? UINT64_MAX : 0);
    const bool found = back
        ? travel::last_write(trip.route, there.bytes, here)
        : travel::next_write(trip.route, there.bytes, names_an_instant(o) ? here + 1 : here);
    if (!found) throw Error(fmt::format("nobody writes {} {} that instant", text, back ? "before" : "after"));
    return "about to write " + text;
}

// The instant that the recorded run, or another build, shows there.
void go_between(Trip& trip, const AtOptions& o) {
    const int warp = std::max(o.warp, 0);
    Between between;
    if (o.timeline >= 0) {
        const std::optional<Anchors> recorded = recorded_anchors(trip, warp);
        if (!recorded)
            throw Error("--timeline: the time of a recorded block; name a .wlcap that has recorded this one");
        between = between_at(*recorded, static_cast<uint64_t>(o.timeline));
    } else {
        between = between_from(o.between);
    }
    const auto time = time_at(travel::anchors_up_to(trip.route, warp, between), between);
    if (!time)
        throw Error(fmt::format("warp {} comes neither to {} nor to {}", warp, between.after, between.before)
        );
    travel::Wanted wanted;
    wanted.warp = warp;
    wanted.time = time;
    if (!travel::go(trip.route, wanted).found)
        throw Error(fmt::format("warp {} has ended before {}", warp, text_of(between)));
}

}  // namespace

bool names_an_instant(const AtOptions& o) {
    return o.line != 0 || !o.stage.empty() || !o.when.empty() || !o.tile.empty() || !o.first.empty() ||
        !o.serves.empty() || !o.from_stage.empty() || !o.write.empty() || o.barrier >= 0 || o.epoch >= 0 ||
        o.ptx_line != 0 || o.site >= 0 || o.time >= 0 || o.timeline >= 0 || o.order >= 0 ||
        !o.between.empty() || o.fragments;
}

travel::NamedBytes bytes_of(Trip& trip, const std::string& text, int iteration) {
    return travel::bytes_named(
        is_address(text) ? std::vector<travel::Taken>() : taken_of(trip), text, iteration
    );
}

namespace {

// Where the warp stands at that instant of the block: the barrier that it has come to, else what it does
// next.
void go_to_order(Trip& trip, const AtOptions& o) {
    travel::Route& route = trip.route;
    const auto order = static_cast<uint64_t>(o.order);
    if (!emulator::go_to(*route.traveller, order))
        throw Error(fmt::format("--order {}: the block ends before", o.order));
    if (o.warp < 0 || emulator::here(*route.traveller).warp == o.warp) return;
    const std::vector<emulator::StandingHere> standing = emulator::warps_here(*route.traveller);
    std::optional<emulator::Here> last;
    travel::each_instant_before(route, order, o.warp, [&](const emulator::Here& here, bool) {
        last = here;
        return true;
    });
    const bool stays = last && std::any_of(standing.begin(), standing.end(), [&](const auto& at) {
                           return at.warp == o.warp && !at.waits.empty() && at.site == last->site;
                       });
    if (!stays && emulator::run_from(*route.traveller, order, o.warp, [](const auto&) { return true; }))
        return;
    if (!last) throw Error(fmt::format("--order {}: warp {} has no instant", o.order, o.warp));
    emulator::go_to(*route.traveller, last->order);
}

}  // namespace

std::string travel_to(Trip& trip, const AtOptions& o) {
    if (o.order >= 0) {
        go_to_order(trip, o);
        return "";
    }
    if (o.timeline >= 0 || !o.between.empty()) {
        go_between(trip, o);
        return "";
    }
    const bool only_writes = !names_an_instant(o) && !(o.last_write.empty() && o.next_write.empty());
    std::string note = only_writes ? "" : go_to_wanted(trip, o);
    if (!o.last_write.empty()) note = go_to_write(trip, o, true);
    if (!o.next_write.empty()) note = go_to_write(trip, o, false);
    return note;
}

}  // namespace wl::app
