// An instant of a block, reached; and what the lanes of its warp hold there.
#include "app/cli/at.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using watch::kLanes;

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

std::unique_ptr<Trip> make_trip(const Command& command, const AtOptions& o) {
    manifest::Problem problem = bind(command.kernel);
    diagnosis::Options options = run_options(command.kernel);
    options.debug = o.build == "debug";
    options.reference = false;
    capture::Capture capture;
    auto trip = std::make_unique<Trip>();
    trip->experiment = diagnosis::prepare(std::move(problem), options, capture);
    const diagnosis::Experiment& e = trip->experiment;
    const ptx::Function& entry = *ptx::find_entry(e.module, e.entry);
    diagnosis::Prepared prepared = diagnosis::prepare_launch(e.problem, entry);
    emulator::Journey journey{
        emulator::lower(e.module, e.entry), prepared.launch, std::move(prepared.memory)};
    journey.block = trip->block = o.block.empty() ? 0 : parse_block(o.block, e.problem.grid);
    journey.schedule_seed = options.schedule_seed;
    trip->faults = command.kernel.faults;
    trip->warps = static_cast<int>((count(prepared.launch.block) + kLanes - 1) / kLanes);
    trip->route = travel::make_route(e.module, std::move(journey));
    return trip;
}

AtReport answer(Trip& trip, const AtOptions& o) {
    if (o.warp >= trip.warps)
        throw Error(fmt::format("--warp {}: a block of this launch has warps 0 to {}", o.warp, trip.warps - 1)
        );
    travel_to(trip.route, o);
    return report_here(trip, o);
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
