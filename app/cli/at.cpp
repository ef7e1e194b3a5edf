// An instant of a block, reached; and what the lanes of its warp hold there.
#include "app/cli/at.h"

#include "app/cli/again.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/travel/search.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using watch::kLanes;

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
    if (o.first == "nan") w.makes = travel::Odd::nan;
    if (o.first == "inf") w.makes = travel::Odd::inf;
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
    try {
        p.origin = travel::origin_of(route, expression);
        const watch::Environment environment = travel::environment_here(route);
        const watch::Value value = watch::evaluate(watch::parse(expression), environment);
        for (int lane = 0; lane < kLanes; ++lane) p.lanes.push_back(watch::text_of(value, lane, environment));
    } catch (const Error& error) { p.problem = error.what(); }
    return p;
}

AtReport report_here(const Trip& trip, const AtOptions& o) {
    const travel::Route& route = trip.route;
    AtReport r;
    r.kernel = trip.experiment.problem.kernel.name;
    r.faults = trip.faults;
    r.build = o.build;
    r.block = trip.block;
    const emulator::Here& here = emulator::here(*route.traveller);
    const capture::Site& site = route.sites[here.site];
    r.warp = here.warp;
    r.time = here.time;
    r.lanes = here.lanes;
    r.epoch = here.epoch;
    r.order = here.order;
    r.text = site.text;
    r.function = emulator::activations(*route.traveller).front().name;
    r.place = site.source >= 0
        ? fmt::format("{}:{}", route.module->files[static_cast<size_t>(site.source)], site.line)
        : "no source line";
    for (const std::string& expression : o.print.empty() ? names_to_print(route) : o.print)
        r.values.push_back(print_one(route, expression));
    for (const std::string& expression : o.watch) r.values.push_back(print_one(route, expression));
    return r;
}

// An element of a tile as its mark took it, or an address.
travel::NamedBytes bytes_of(Trip& trip, const std::string& text, int iteration) {
    const bool address = text.starts_with("shared:") || text.starts_with("global:");
    return travel::bytes_named(
        address ? std::vector<travel::Taken>() : travel::take_tiles(trip.route), text, iteration
    );
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

// Does anything but a later step say where to go?
bool names_an_instant(const AtOptions& o) {
    return o.line != 0 || !o.stage.empty() || !o.when.empty() || !o.tile.empty() || !o.first.empty() ||
        !o.write.empty() || o.barrier >= 0 || o.epoch >= 0 || o.ptx_line != 0 || o.site >= 0 || o.time >= 0;
}

std::string go_to_wanted(Trip& trip, const AtOptions& o) {
    if (o.first == "bad") return go_to_first_bad(trip, o);
    travel::Wanted wanted = wanted_of(o);
    if (!o.write.empty()) wanted.written = bytes_of(trip, o.write, -1).bytes;
    const travel::Found found = travel::go(trip.route, wanted);
    if (found.found) return odd_text(trip.route, o, found);
    throw Error(fmt::format(
        "there is no such instant: {} is met {} times, and --hit asks for number {}",
        describe(o),
        found.arrivals,
        o.hit
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
    if (!found)
        throw Error(fmt::format("nobody writes {} {} that instant", text, back ? "before" : "behind"));
    return "about to write " + text;
}

void make_steps(travel::Route& route, int64_t steps) {
    const emulator::Here from = emulator::here(*route.traveller);
    if (!travel::step(route, steps))
        throw Error(fmt::format(
            "the warp does not execute {} instructions {} time {}",
            std::abs(steps),
            steps < 0 ? "before" : "after",
            from.time
        ));
}

// Goes there; says what happens there.
std::string travel_to(Trip& trip, const AtOptions& o) {
    const bool only_writes = !names_an_instant(o) && !(o.last_write.empty() && o.next_write.empty());
    std::string note = only_writes ? "" : go_to_wanted(trip, o);
    if (!o.last_write.empty()) note = go_to_write(trip, o, true);
    if (!o.next_write.empty()) note = go_to_write(trip, o, false);
    if (o.step == 0) return note;
    make_steps(trip.route, o.step);
    return "";
}

// A capture's run, or the kernel's that was named.
KernelOptions kernel_of(const Command& command, const capture::Capture* recorded, Trip& trip) {
    if (recorded != nullptr) trip.recorded = *recorded;
    if (!is_capture(command.kernel.kernel)) return command.kernel;
    if (!trip.recorded) trip.recorded = capture::read_capture(command.kernel.kernel);
    return options_of(*trip.recorded, command.kernel);
}

// The program of the recorded run. Of the same build it is the one in the capture: NVRTC does not compile the
// same source to the same code in every folder.
void repeat(Trip& trip, SameRun runs) {
    diagnosis::Experiment& e = trip.experiment;
    runs.grid = e.problem.grid, runs.block = e.problem.block;
    require_same(runs);
    if ((runs.recorded.launch.build == "debug") != e.options.debug) return;
    e.module = ptx::parse(runs.recorded.ptx);
    e.entry = runs.recorded.launch.entry;
}

}  // namespace

std::unique_ptr<Trip> make_trip(
    const Command& command, const AtOptions& o, const capture::Capture* recorded
) {
    auto trip = std::make_unique<Trip>();
    const KernelOptions kernel = kernel_of(command, recorded, *trip);
    manifest::Problem problem = bind(kernel);
    diagnosis::Options options = run_options(kernel);
    options.debug = o.build == "debug";
    options.reference = false;
    capture::Capture fresh;
    trip->experiment = diagnosis::prepare(std::move(problem), options, fresh);
    const diagnosis::Experiment& e = trip->experiment;
    if (trip->recorded) repeat(*trip, {*trip->recorded, fresh, {}, {}, command.kernel.kernel});
    const ptx::Function& entry = *ptx::find_entry(e.module, e.entry);
    diagnosis::Prepared prepared = diagnosis::prepare_launch(e.problem, entry);
    emulator::Journey journey{
        emulator::lower(e.module, e.entry), prepared.launch, std::move(prepared.memory)};
    const int64_t first = trip->recorded ? recorded_block(*trip->recorded) : 0;
    journey.block = trip->block = o.block.empty() ? first : parse_block(o.block, e.problem.grid);
    journey.schedule_seed = options.schedule_seed;
    trip->faults = kernel.faults;
    trip->warps = static_cast<int>((count(prepared.launch.block) + kLanes - 1) / kLanes);
    trip->route = travel::make_route(e.module, std::move(journey));
    return trip;
}

AtReport answer(Trip& trip, const AtOptions& o) {
    if (o.warp >= trip.warps)
        throw Error(fmt::format("--warp {}: a block of this launch has warps 0 to {}", o.warp, trip.warps - 1)
        );
    std::string note = travel_to(trip, o);
    AtReport r = report_here(trip, o);
    r.note = std::move(note);
    return r;
}

int verb_at(const Command& command) {
    if (command.at.serve) return serve_at(command);
    const std::unique_ptr<Trip> trip = make_trip(command, command.at);
    const AtReport r = answer(*trip, command.at);
    for (const Printed& p : r.values)
        if (!p.problem.empty()) throw Error(p.problem);
    const std::string text = command.output.json ? report_json(r).dump(2) + "\n" : report_text(r);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kExitOk;
}

}  // namespace wl::app
