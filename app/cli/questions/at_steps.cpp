// Moves in words, made one after the other.
#include "app/cli/questions/at.h"
#include "app/cli/questions/step_words.h"
#include "instrumentation/base/error.h"

#include <filesystem>
#include <fmt/format.h>

namespace wl::app {

namespace {

constexpr size_t kMostStops = 1000;  // that are told, the last ones

bool is_of_any_warp(const StepWord& word) {
    return word.move.any_warp || !word.written.empty() || word.move.stride == travel::StepKind::race;
}

// Of what there is none.
std::string name_of(const StepWord& word) {
    if (!word.written.empty()) return "write of " + word.written;
    switch (word.move.stride) {
        case travel::StepKind::into:
        case travel::StepKind::over: return "line";
        case travel::StepKind::out: return "caller's line";
        case travel::StepKind::line: return "arrival at that line";
        case travel::StepKind::mark: return "mark";
        case travel::StepKind::stage: return "stage";
        case travel::StepKind::iteration: return "iteration";
        case travel::StepKind::barrier: return "barrier";
        case travel::StepKind::stop: return "breakpoint";
        case travel::StepKind::race: return "access of a race";
        default: return "such instant";
    }
}

[[noreturn]] void refuse(const Trip& trip, const StepWord& word) {
    const emulator::Here& here = emulator::here(*trip.route.traveller);
    if (word.move.stride == travel::StepKind::instruction)
        throw Error(fmt::format(
            "the warp does not execute {} instructions {} time {}",
            word.count,
            word.move.back ? "before" : "after",
            here.time
        ));
    throw Error(fmt::format(
        "--step {}: there is no {} of {} {} time {} ({})",
        word.text,
        name_of(word),
        is_of_any_warp(word) ? "any warp" : fmt::format("warp {}", here.warp),
        word.move.back ? "before" : "after",
        here.time,
        place_here(trip.route)
    ));
}

void tell(std::vector<Stop>& way, const Trip& trip, const std::string& step) {
    const emulator::Here& here = emulator::here(*trip.route.traveller);
    if (way.size() == kMostStops) way.erase(way.begin());
    way.push_back({step, place_here(trip.route), here.warp, here.time, here.lanes});
}

// Both accesses of each race that the capture found in this block. Files by name: the capture may have been
// recorded in another folder.
std::vector<travel::Racing> racing_in(const Trip& trip) {
    if (!trip.recorded)
        throw Error(
            "--step race goes by the findings of a capture: name a .wlcap that `warplens run` has written"
        );
    std::vector<travel::Racing> all;
    for (const capture::Finding& f : trip.recorded->findings)
        for (const capture::Where* w : {&f.where, &f.other})
            if (f.rule.starts_with("race_") && w->line > 0 && w->block == trip.block)
                all.push_back({std::filesystem::path(w->file).filename().string(), w->line, w->warp, w->epoch}
                );
    if (all.empty()) throw Error(fmt::format("--step race: no race was found in block {}", trip.block));
    return all;
}

void take(Trip& trip, const StepWord& word, const AtOptions& o, std::vector<Stop>& way) {
    if (word.move.stride == travel::StepKind::instruction) {
        if (!travel::step(trip.route, word.move.back ? -word.count : word.count)) refuse(trip, word);
        tell(way, trip, word.text);
        return;
    }
    travel::Move move = word.move;
    const uint64_t order = emulator::here(*trip.route.traveller).order;
    if (!word.written.empty()) move.written = bytes_of(trip, word.written, o.iteration).bytes;
    for (travel::Breakpoint& b : move.at)
        if (!b.element.empty()) b.written = bytes_of(trip, b.element, o.iteration).bytes;
    emulator::go_to(*trip.route.traveller, order);  // finding the tile took the route away
    if (move.stride == travel::StepKind::race) move.racing = racing_in(trip);
    for (int64_t i = 0; i < word.count; ++i) {
        if (!travel::make(trip.route, move, o.lane)) refuse(trip, word);
        tell(way, trip, word.text);
    }
}

}  // namespace

std::vector<Stop> take_steps(Trip& trip, const AtOptions& o) {
    std::vector<Stop> way;
    if (o.steps.empty()) return way;
    for (const StepWord& word : step_words(o.steps, o.breakpoints)) take(trip, word, o, way);
    return way;
}

std::string place_here(const travel::Route& route) {
    const capture::Site& site = route.sites[emulator::here(*route.traveller).site];
    if (site.source < 0) return "no source line";
    return fmt::format("{}:{}", route.module->files[static_cast<size_t>(site.source)], site.line);
}

std::optional<Anchors> recorded_anchors(Trip& trip, int warp) {
    if (!trip.recorded) return std::nullopt;
    for (const capture::BlockRecord& record : trip.recorded->records) {
        if (record.block != trip.block) continue;
        if (!trip.timeline) trip.timeline = analysis::timeline(*trip.recorded, record);
        return analysis::anchors(*trip.recorded, *trip.timeline, warp);
    }
    return std::nullopt;
}

}  // namespace wl::app
