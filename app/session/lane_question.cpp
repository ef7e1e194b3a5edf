// The selection's anchor is the tile at whose mark its time stands, else that time alone.
#include "app/session/lane_question.h"

#include "app/session/clock.h"
#include "app/session/lookup.h"
#include "app/session/navigate.h"
#include "instrumentation/base/block_text.h"

#include <string>

namespace wl::app {

namespace {

std::string element_text(const std::string& name, Element at) {
    return name + "[" + std::to_string(at.row) + "][" + std::to_string(at.col) + "]";
}

// The stage that the warp is in at the selected time.
std::string stage_words(const Session& session, const Selection& selection) {
    const int record = shown_record(session, selection);
    if (record < 0) return "";
    for (const analysis::StageSpan& span : session.timelines[static_cast<size_t>(record)].stages) {
        if (span.warp != selection.warp || selection.time < span.begin || selection.time >= span.end)
            continue;
        if (span.stage < 0) return "";
        return "--from-stage " + quoted(session.capture.stages[static_cast<size_t>(span.stage)]) +
            " --iteration " + std::to_string(span.iteration);
    }
    return "";
}

std::string instant_words(const Session& session, const Selection& selection) {
    const capture::Tile* tile = tile_of(session, selection);
    if (tile == nullptr || selection.moved) return stage_words(session, selection);
    const std::string& name = probe_of(session, selection)->name;
    const bool output = tile->block < 0, memory = output || tile->ld != 0;
    const std::string what =
        memory && exists(selection.element) ? element_text(name, selection.element) : name;
    return "--for " + quoted(what) + (output ? "" : " --iteration " + std::to_string(tile->iteration));
}

// An output is of the whole launch: the block whose time is shown is asked.
int64_t block_of(const Session& session, const Selection& selection) {
    if (selection.block >= 0) return selection.block;
    const int record = shown_record(session, selection);
    return record < 0 ? 0 : session.capture.records[static_cast<size_t>(record)].block;
}

std::string line_words(const Session& session, int index) {
    if (index < 0 || index >= static_cast<int>(session.capture.sites.size())) return "";
    const capture::Site& site = session.capture.sites[static_cast<size_t>(index)];
    if (site.source < 0 || site.line <= 0) return "";
    const std::string& path = session.capture.sources[static_cast<size_t>(site.source)].path;
    return "--line " + std::to_string(site.line) + " --file " + quoted(file_name(path));
}

std::string line_words(const Session& session, const Selection& selection) {
    const bool chosen = selection.line_chosen && selection.line > 0 && selection.source >= 0;
    if (!chosen) return line_words(session, selection.site);
    const std::string& path = session.capture.sources[static_cast<size_t>(selection.source)].path;
    return "--line " + std::to_string(selection.line) + " --file " + quoted(file_name(path));
}

// The mark of the selected tile, when the selected line is the mark's.
std::string mark_words(const Session& session, const Selection& selection) {
    const capture::Tile* tile = tile_of(session, selection);
    if (tile == nullptr || tile->block < 0 || selection.moved) return "";
    const capture::Probe& probe = *probe_of(session, selection);
    const std::string line = line_words(session, selection);
    if (line.empty() || line != line_words(session, probe.site)) return "";
    return "--tile " + quoted(probe.name) + " --iteration " + std::to_string(tile->iteration);
}

}  // namespace

std::string quoted(std::string text) {
    std::erase(text, '"');
    return "\"" + text + "\"";
}

std::string block_and_build(const LaneQuestion& q) {
    return q.warp.substr(0, q.warp.find(" --warp ")) + q.warp.substr(q.warp.find(" --build "));
}

bool is_empty(const LaneQuestion& q) { return q.instant.empty() && q.line.empty(); }

std::string watch_words(const LaneWatch& watch) {
    std::string text;
    for (const std::string& each : watch.watches) text += " --watch " + quoted(each);
    for (const std::string& each : watch.opened) text += " --open " + quoted(each);
    if (!watch.across.empty()) text += " --across " + quoted(watch.across);
    return text;
}

std::string words_of(const LaneQuestion& q) {
    std::string text = q.warp;
    for (const std::string* part : {&q.instant, &q.line})
        if (!part->empty()) text += " " + *part;
    if (!q.line.empty() && !q.watch.condition.empty()) text += " --if " + quoted(q.watch.condition);
    return text + watch_words(q.watch);
}

LaneQuestion lane_question(const Session& session, const Selection& selection, const LaneWatch& watch) {
    LaneQuestion q;
    const bool debug = watch.debug;
    q.watch = watch;
    q.warp = "--block " + block_words(block_of(session, selection), session.capture.launch.grid) +
        " --warp " + std::to_string(selection.warp);
    q.warp += debug ? " --build debug" : " --build optimised";
    const capture::Where* witness = witness_of(session, selection);
    if (witness != nullptr && witness->tile.empty() && witness->epoch >= 0) {
        q.instant = "--epoch " + std::to_string(witness->epoch);
        q.line = line_words(session, selection);
        return q;
    }
    const bool stepped = selection.order >= 0 && selection.order_warp == selection.warp;
    if (stepped && selection.debug_order == debug) {
        q.instant = "--order " + std::to_string(selection.order);
    } else if (!debug) {
        q.instant = "--time " + std::to_string(selection.time);
    } else if (selection.moved && !selection.line_chosen) {
        const std::string between = between_words(session, selection);
        if (!between.empty()) q.instant = "--between " + quoted(between);
    } else if (q.line = mark_words(session, selection); q.line.empty()) {
        q.line = line_words(session, selection);
        if (!q.line.empty()) q.instant = instant_words(session, selection);
    }
    return q;
}

}  // namespace wl::app
