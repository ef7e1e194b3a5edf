// An instant of a block, reached; and what the lanes of its warp hold there.
#include "app/cli/questions/at.h"

#include "app/cli/executors.h"
#include "app/cli/questions/again.h"
#include "app/cli/questions/at_fragments.h"
#include "app/cli/questions/at_shared.h"
#include "app/cli/questions/at_writes.h"
#include "app/session/edit/made_of.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/diagnosis/symbols.h"
#include "instrumentation/travel/fragments.h"
#include "instrumentation/travel/landmarks.h"
#include "instrumentation/watch/parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using watch::kLanes;

constexpr size_t kMostRegisters = 64;

void add_registers(const ptx::Function& f, const ptx::Operand& o, std::vector<std::string>& names) {
    const auto add = [&](int32_t reg) {
        const std::string& name = f.registers[static_cast<size_t>(reg)].name;
        const bool known = std::find(names.begin(), names.end(), name) != names.end();
        if (!known && names.size() < kMostRegisters) names.push_back(name);
    };
    if (o.kind == ptx::Operand::Kind::reg) add(o.index);
    if (o.kind == ptx::Operand::Kind::address && o.base_kind == ptx::Operand::Kind::reg) add(o.index);
    for (const ptx::Operand& part : o.elements) add_registers(f, part, names);
}

// Of the instructions that the line was compiled to, from the one that is about to be executed on.
std::vector<std::string> registers_of_line(const travel::Route& route) {
    std::vector<std::string> names;
    const uint32_t here = emulator::here(*route.traveller).site;
    const ptx::Function* function = route.function_of_site[here];
    const auto add = [&](size_t site) {
        if (route.function_of_site[site] != function || route.lines[site] != route.lines[here]) return;
        for (const ptx::Operand& o : route.instructions[site]->operands) add_registers(*function, o, names);
    };
    for (size_t site = here; site < route.instructions.size(); ++site) add(site);
    for (size_t site = 0; site < here; ++site) add(site);
    return names;
}

// Without --print: the source variables that live here; in an optimised build the registers of the line.
std::vector<std::string> names_to_print(const travel::Route& route) {
    std::vector<std::string> names;
    const auto& options = route.module->target_options;
    if (std::find(options.begin(), options.end(), "debug") == options.end()) return registers_of_line(route);
    const emulator::Activation a = emulator::activations(*route.traveller).front();
    const int function = route.functions[static_cast<size_t>(a.function)];
    for (const variables::Variable* v : variables::visible(route.variables, function, a.instruction)) {
        const bool known = std::find(names.begin(), names.end(), v->name) != names.end();
        if (v->function >= 0 && !known && variables::place_at(*v, a.instruction) != nullptr)
            names.push_back(v->name);
    }
    return names;
}

// Of a name alone where it lives; of an expression the same for each name in it.
std::string origin_of(const travel::Route& route, const watch::Watch& expression) {
    std::vector<std::string> names, origins;
    for (const watch::Node& node : expression.nodes) {
        const bool known = std::find(names.begin(), names.end(), node.text) != names.end();
        if (node.kind != watch::Node::Kind::name || known) continue;
        const std::string origin = travel::origin_of(route, node.text);
        names.push_back(node.text);
        if (!origin.empty())
            origins.push_back(expression.nodes.size() == 1 ? origin : node.text + ": " + origin);
    }
    return join(origins, "; ");
}

// What keeps the expression from having a value in any lane, where that is a name.
std::string missing_in(const travel::Route& route, const watch::Watch& expression) {
    std::vector<std::string> missing;
    for (const watch::Node& node : expression.nodes) {
        if (node.kind != watch::Node::Kind::name) continue;
        const std::string_view why = travel::text_of(travel::life_of(route, node.text));
        const std::string text = fmt::format("{} is {}", node.text, why);
        if (!why.empty() && std::find(missing.begin(), missing.end(), text) == missing.end())
            missing.push_back(text);
    }
    return join(missing, "; ");
}

// Expressions told one after the other, with their parts where they are opened.
struct Teller {
    const travel::Route& route;
    const AtOptions& options;
    watch::Environment environment = travel::environment_here(route);
    std::vector<Printed> told{};

    // Its parts, when it has some and is opened.
    std::vector<std::string> tell_one(Printed& p) const {
        const watch::Watch parsed = watch::parse(p.expression);
        p.origin = origin_of(route, parsed);
        const watch::Value value = watch::evaluate(parsed, environment);
        if (value.lanes == 0) p.missing = missing_in(route, parsed);
        for (int lane = 0; lane < kLanes; ++lane) p.lanes.push_back(watch::text_of(value, lane, environment));
        std::vector<std::string> parts = watch::parts_of(p.expression, value, environment);
        p.opens = !parts.empty();
        const bool opened =
            std::find(options.opened.begin(), options.opened.end(), p.expression) != options.opened.end();
        return opened ? parts : std::vector<std::string>();
    }
    void tell(const std::string& expression, int depth) {
        Printed p;
        p.expression = expression, p.depth = depth;
        std::vector<std::string> parts;
        try {
            parts = tell_one(p);
        } catch (const Error& error) { p.problem = error.what(); }
        told.push_back(std::move(p));
        for (const std::string& part : parts) tell(part, depth + 1);
    }
};

// A schedule orders the instructions of one program: the recorded one.
std::string build_of(const Trip& trip, const AtOptions& o) {
    if (!o.build.empty()) return o.build;
    if (trip.carried) return trip.recorded->launch.build;
    if (o.fragments || o.shared.asked) return "optimised";  // the program that was recorded
    const bool ordered = trip.recorded && trip.recorded->launch.schedule_seed != 0;
    return ordered ? trip.recorded->launch.build : "debug";
}

// The capture holds one program; another would have to be compiled.
void require_build(const Trip& trip, const std::string& path) {
    if (!trip.carried || trip.build == trip.recorded->launch.build) return;
    throw Error(fmt::format(
        "--build {}: {} holds the {} build; the other is compiled from {}, which is not opened because a "
        "file "
        "names it; add --trust to have it opened and compiled",
        trip.build,
        path,
        trip.recorded->launch.build,
        named_text(*trip.recorded)
    ));
}

std::string build_note(const Trip& trip) {
    if (!trip.carried || trip.build == "debug") return "";
    return fmt::format(
        "source variables are in the debug build alone, which is compiled from {}: a file names that, so it "
        "is not "
        "opened unless --trust is added",
        named_text(*trip.recorded)
    );
}

std::string schedule_note(const Trip& trip) {
    if (!trip.recorded) return "";
    const capture::Launch& was = trip.recorded->launch;
    if (was.schedule_seed == 0 || was.build == trip.build) return "";
    return fmt::format(
        "schedule {} orders the accesses of the {} build otherwise than those of the {} build that was "
        "recorded",
        was.schedule_seed,
        trip.build,
        was.build
    );
}

AtReport report_here(const Trip& trip, const AtOptions& o) {
    const travel::Route& route = trip.route;
    AtReport r;
    r.kernel = trip.experiment.problem.kernel.name;
    r.faults = trip.faults;
    r.build = trip.build;
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
    r.place = place_here(route);
    std::vector<std::string> expressions = o.watch;
    const std::vector<std::string> named = o.print.empty() ? names_to_print(route) : o.print;
    expressions.insert(expressions.end(), named.begin(), named.end());
    Teller teller{route, o};
    for (const std::string& expression : expressions) teller.tell(expression, 0);
    r.values = std::move(teller.told);
    r.warps = warps_of(route, o.across);
    r.across = o.across;
    r.tells_warps = o.warps || !o.across.empty();
    return r;
}

// Finding the place behind may take the route away from where it stands.
void tell_clock(Trip& trip, AtReport& r) {
    r.between = between_at(travel::anchors_around(trip.route, r.warp, r.time), r.time);
    emulator::go_to(*trip.route.traveller, r.order);
    if (const std::optional<Anchors> recorded = recorded_anchors(trip, r.warp))
        r.timeline = time_at(*recorded, r.between);
}

// A capture's run, or the kernel's that was named.
KernelOptions kernel_of(const Command& command, const capture::Capture* recorded, Trip& trip) {
    if (recorded != nullptr) trip.recorded = *recorded;
    if (!is_capture(command.kernel.kernel)) {
        KernelOptions named = command.kernel;
        if (trip.recorded && trip.recorded->launch.all > 1)
            named.launch = std::to_string(trip.recorded->launch.number);
        return named;
    }
    if (!trip.recorded) trip.recorded = capture::read_capture(command.kernel.kernel);
    KernelOptions options = options_of(*trip.recorded, command.kernel);
    trip.carried = is_capture(options.kernel);
    return options;
}

// The program of the recorded run. Of the same build it is the one in the capture: NVRTC does not compile the
// same source to the same code in every folder.
void repeat(Trip& trip, SameRun runs) {
    diagnosis::Experiment& e = trip.experiment;
    runs.grid = manifest::launch_of(e.problem).grid, runs.block = manifest::launch_of(e.problem).block;
    require_same(runs);
    if ((runs.recorded.launch.build == "debug") != e.options.debug) return;
    e.module = ptx::parse(runs.recorded.ptx);
    diagnosis::fill_symbols(e.problem, e.module);
    e.entry = runs.recorded.launch.entry;
    if (ptx::find_entry(e.module, e.entry) == nullptr)
        throw Error(
            fmt::format("{} is of the kernel {}, which its PTX lacks; record it again", runs.path, e.entry)
        );
}

}  // namespace

void require_warp(const Trip& trip, const AtOptions& o) {
    if (o.warp >= trip.warps)
        throw Error(fmt::format("--warp {}: a block of this launch has warps 0 to {}", o.warp, trip.warps - 1)
        );
}

std::unique_ptr<Trip> make_trip(
    const Command& command, const AtOptions& o, const capture::Capture* recorded
) {
    auto trip = std::make_unique<Trip>();
    const KernelOptions kernel = kernel_of(command, recorded, *trip);
    require_emulator(command.verb, kernel);
    manifest::Problem problem = bind(kernel);
    diagnosis::Options options = run_options(kernel);
    trip->build = build_of(*trip, o);
    require_build(*trip, command.kernel.kernel);
    options.debug = trip->build == "debug";
    options.reference = false;
    capture::Capture fresh;
    trip->experiment = diagnosis::make_experiment(std::move(problem), options, fresh);
    const diagnosis::Experiment& e = trip->experiment;
    if (trip->recorded) repeat(*trip, {*trip->recorded, fresh, {}, {}, command.kernel.kernel});
    diagnosis::Prepared prepared = diagnosis::prepare(e);
    emulator::ReplaySpec journey{
        emulator::lower(e.module, e.entry), prepared.launch, std::move(prepared.memory)};
    const int64_t first = trip->recorded ? recorded_block(*trip->recorded) : 0;
    journey.block = trip->block =
        o.block.empty() ? first : parse_block(o.block, manifest::launch_of(e.problem).grid);
    journey.schedule_seed = options.schedule_seed;
    journey.among_others = schedule_note(*trip).empty();
    trip->faults = kernel.faults;
    trip->warps = static_cast<int>((count(prepared.launch.block) + kLanes - 1) / kLanes);
    trip->route = travel::make_route(e.module, std::move(journey));
    return trip;
}

AtReport answer(Trip& trip, const AtOptions& o) {
    require_warp(trip, o);
    std::string note = travel_to(trip, o);
    std::vector<Stop> way = take_steps(trip, o);
    AtReport r = report_here(trip, o);
    tell_clock(trip, r);
    r.note = way.empty() ? std::move(note) : "";
    r.way = std::move(way);
    r.schedule_note = schedule_note(trip);
    r.build_note = build_note(trip);
    return r;
}

fragments::Live answer_fragments(Trip& trip, const AtOptions& o) {
    require_warp(trip, o);
    travel_to(trip, o);
    take_steps(trip, o);
    if (!travel::has_fragments(trip.route, emulator::here(*trip.route.traveller).site))
        throw Error("--fragments: the instruction there has none; name a line with a wmma, mma or ldmatrix");
    fragments::Live live = travel::fragments_here(trip.route);
    live.block = trip.block;
    return live;
}

}  // namespace wl::app
