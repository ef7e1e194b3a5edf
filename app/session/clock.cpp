// The debug build's clock is told to the timeline by the places that both builds pass.
#include "app/session/clock.h"

#include "app/session/lookup.h"
#include "app/session/navigate.h"
#include "app/session/plain_words.h"
#include "app/session/questions.h"
#include "instrumentation/base/block_text.h"

#include <algorithm>
#include <utility>

namespace wl::app {

namespace {

constexpr size_t kMostSteps = 8;  // that wait: a key held down does not run on behind its release
constexpr const char *kStep = " --step ", *kSeek = " --lane ";

// Steps and searches say which lane they follow; what else is asked does not move the selection's time.
bool is_step(const std::string& question) { return question.find(kSeek) != std::string::npos; }

void mark_changes(const LaneReport& before, LaneReport& now) {
    const bool same_warp = before.problem.empty() && before.warp == now.warp && before.block == now.block &&
        before.build == now.build;
    if (!same_warp || before.order == now.order) return;
    for (LaneRow& row : now.rows) {
        const auto was = std::find_if(before.rows.begin(), before.rows.end(), [&](const LaneRow& r) {
            return r.expression == row.expression;
        });
        if (was == before.rows.end() || !row.problem.empty()) continue;
        for (size_t lane = 0; lane < row.text.size(); ++lane) {
            const bool active = (now.lanes >> lane & 1) != 0;
            if (!active || row.text[lane] == was->text[lane]) continue;
            row.changed |= 1U << lane;
            row.before[lane] = was->text[lane];
        }
    }
}

// Of the selected warp, on the timeline's clock.
std::optional<Anchors> recorded_anchors(const Session& session, int64_t block, int warp) {
    const int record = record_index(session, block);
    if (record < 0) return std::nullopt;
    return analysis::anchors(session.capture, session.timelines[static_cast<size_t>(record)], warp);
}

// Index in Capture::sources; -1: it is not there.
int source_of(const capture::Capture& capture, const std::string& path) {
    for (size_t i = 0; i < capture.sources.size(); ++i)
        if (file_name(capture.sources[i].path) == file_name(path)) return static_cast<int>(i);
    return -1;
}

// The author's line: in the toolkit's code that which called it.
std::pair<std::string, int> own_line(const LaneReport& report) {
    for (const WarpRow& row : report.warps)
        if (row.warp == report.warp && (row.lanes & report.lanes) != 0 && !row.file.empty())
            return {row.file, row.line};
    return {report.file, report.line};
}

void follow(Session& session, Selection& selection, bool stepped) {
    const LaneReport& report = *session.lanes.report;
    const auto [file, line] = own_line(report);
    const int site = site_at_line(session.capture, file, line);
    if (stepped) {
        const Selection before = selection;
        move_to_time(session, selection, timeline_time(session, report).value_or(selection.time));
        if (session.lanes.tile_stays) {
            selection.tile = before.tile, selection.probe = before.probe, selection.element = before.element;
            selection.block = before.block, selection.iteration = before.iteration;
            selection.finding = before.finding;
        }
        selection.warp = report.warp;  // not that of the tile which was taken last
        selection.order = static_cast<int64_t>(report.order);
        selection.order_warp = report.warp;
        selection.debug_order = report.build == "debug";
    }
    if (site >= 0) selection.site = site;
    selection.source = source_of(session.capture, file), selection.line = line;
}

}  // namespace

void remove_breakpoint(Session& session, const Breakpoint& breakpoint) {
    std::erase_if(session.breakpoints, [&](const Breakpoint& b) {
        return b.line == breakpoint.line && b.file == breakpoint.file && b.element == breakpoint.element;
    });
}

void set_breakpoint(Session& session, const Breakpoint& breakpoint) {
    remove_breakpoint(session, breakpoint);
    session.breakpoints.push_back(breakpoint);
}

const Breakpoint* breakpoint_at(const Session& session, const std::string& path, int line) {
    const auto at =
        std::find_if(session.breakpoints.begin(), session.breakpoints.end(), [&](const Breakpoint& b) {
            return b.line == line && b.file == file_name(path);
        });
    return at != session.breakpoints.end() ? &*at : nullptr;
}

bool breaks_on(const Session& session, const std::string& element) {
    return std::any_of(session.breakpoints.begin(), session.breakpoints.end(), [&](const Breakpoint& b) {
        return !element.empty() && b.element == element;
    });
}

std::string breakpoint_words(const Breakpoint& b) {
    const std::string place =
        b.element.empty() ? b.file + ":" + std::to_string(b.line) : "write " + b.element;
    return place + (b.condition.empty() ? "" : " if " + b.condition);
}

void ask_step(
    Session& session, const Selection& selection, const LaneQuestion& from, const std::string& words
) {
    LanesAnswer& lanes = session.lanes;
    if (is_empty(from)) return;
    if (is_step(lanes.talk.asked) || is_step(lanes.talk.next)) {
        if (lanes.steps.size() < kMostSteps) lanes.steps.push_back(words);
        return;
    }
    const bool stands = lanes.report && lanes.report->problem.empty() && lanes.shown == words_of(from);
    std::string question = stands
        ? from.warp + " --order " + std::to_string(lanes.report->order) + watch_words(from.watch)
        : words_of(from);
    question += kSeek + std::to_string(selection.lane);
    for (const Breakpoint& b : session.breakpoints) question += " --break " + quoted(breakpoint_words(b));
    lanes.stepped_from = from;
    lanes.tile_stays = words.find("write ") != std::string::npos;
    ask_lanes(session, question + kStep + quoted(words));
}

void take_lanes_answer(Session& session, Selection& selection, const std::string& answer) {
    LanesAnswer& lanes = session.lanes;
    LaneReport report = lane_report(answer);
    const bool stepped = is_step(report.asked);
    if (stepped && !report.problem.empty()) {
        session.message = {plain_words(report.problem), false};
        lanes.steps.clear();
        return;
    }
    if (!report.problem.empty()) report.problem = plain_words(report.problem);
    if (lanes.report) mark_changes(*lanes.report, report);
    lanes.report = std::move(report);
    lanes.shown = stepped ? "" : lanes.report->asked;
    const LaneQuestion of = stepped ? lanes.stepped_from : lanes.question;
    const bool wanted = lanes.talk.next.empty() && lanes.report->problem.empty() &&
        words_of(lane_question(session, selection, of.watch)) == words_of(of);
    if (!wanted) {
        lanes.steps.clear();
        return;
    }
    follow(session, selection, stepped);
    lanes.question = lane_question(session, selection, of.watch);
    lanes.shown = words_of(lanes.question);
}

void ask_instant(
    Session& session,
    const Selection& selection,
    const LaneQuestion& from,
    const std::string& options,
    bool tile_stays
) {
    if (from.warp.empty() || is_step(session.lanes.talk.asked)) return;
    const auto names = [&](const char* option) { return options.find(option) != std::string::npos; };
    const std::string block = names("--block ") ? "" : from.warp.substr(0, from.warp.find(" --warp ")),
                      build = names("--build ") ? "" : from.warp.substr(from.warp.find(" --build "));
    session.lanes.stepped_from = from;
    session.lanes.tile_stays = tile_stays;
    session.lanes.steps.clear();
    ask_lanes(
        session,
        block + build + " " + options + watch_words(from.watch) + kSeek + std::to_string(selection.lane)
    );
}

std::string first_wrong_words(const Session& session) {
    if (session.first_bad < 0) return "";
    const capture::Tile& tile = session.capture.tiles[static_cast<size_t>(session.first_bad)];
    if (tile.block < 0) return "";
    const std::string& name = session.capture.probes[static_cast<size_t>(tile.probe)].name;
    const std::string iteration = " --iteration " + std::to_string(tile.iteration) + " --block " +
        block_words(tile.block, session.capture.launch.grid);
    if (tile.ld == 0) return "--tile \"" + name + "\"" + iteration + " --warp " + std::to_string(tile.warp);
    return "--last-write \"" + name + "[" + std::to_string(tile.first_bad_row) + "][" +
        std::to_string(tile.first_bad_col) + "]\"" + iteration;
}

bool has_race(const Session& session) {
    return std::any_of(
        session.capture.findings.begin(),
        session.capture.findings.end(),
        [](const capture::Finding& f) { return f.rule.starts_with("race_") && f.where.block >= 0; }
    );
}

void ask_lanes_again(Session& session) {
    const std::string lost = session.lanes.talk.lost;
    ask_lanes(session, lost.empty() ? words_of(session.lanes.question) : lost);
}

void take_waiting_step(Session& session, const Selection& selection) {
    LanesAnswer& lanes = session.lanes;
    if (lanes.steps.empty() || !lanes.talk.asked.empty()) return;
    const std::string next = lanes.steps.front();
    lanes.steps.erase(lanes.steps.begin());
    ask_step(session, selection, lanes.question, next);
}

const LaneReport* instant_shown(const Session& session, const Selection& selection) {
    const LanesAnswer& lanes = session.lanes;
    const bool there = lanes.report && lanes.report->problem.empty() &&
        lanes.report->warp == selection.warp && lanes.shown == words_of(lanes.question);
    return there ? &*lanes.report : nullptr;
}

std::string instant_of_warp(const LaneReport& report, int warp) {
    return "--warp " + std::to_string(warp) + " --order " + std::to_string(report.order);
}

std::optional<uint32_t> timeline_time(const Session& session, const LaneReport& report) {
    const std::optional<Anchors> anchors = recorded_anchors(session, report.block, report.warp);
    if (!anchors) return std::nullopt;
    if (report.build != "debug") return static_cast<uint32_t>(report.time);
    const std::optional<uint64_t> time = time_at(*anchors, report.between);
    return time ? std::optional(static_cast<uint32_t>(*time)) : std::nullopt;
}

std::string between_words(const Session& session, const Selection& selection) {
    const int record = shown_record(session, selection);
    if (record < 0) return "";
    const int64_t block = session.capture.records[static_cast<size_t>(record)].block;
    const std::optional<Anchors> anchors = recorded_anchors(session, block, selection.warp);
    return text_of(between_at(*anchors, selection.time));
}

}  // namespace wl::app
