// What a script may expect or wait for, by name: the state behind what is drawn, as a word.
#include "app/draw/numbers.h"
#include "app/session/clock.h"
#include "app/session/navigate.h"
#include "app/shell/driver.h"
#include "app/shell/legible.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace wl::app {

namespace {

// What there is in place of a worker's report; nothing: it is there.
template <class Answer>
std::optional<std::string> no_report(const Answer& answer) {
    if (!answer.talk.asked.empty()) return "asking";
    if (!answer.talk.problem.empty()) return answer.talk.problem;
    if (!answer.report) return "none";
    return std::nullopt;
}

std::string shared_value_of(const SharedAnswered& shared) {
    if (auto said = no_report(shared)) return *said;
    if (!shared.report->problem.empty()) return shared.report->problem;
    return "epoch " + std::to_string(shared.report->state.epoch) + " at " + shared.report->state.place;
}

// "v2c_3.cu:104": where a step led, else the selected site.
std::string line_of(const Session& session, const Selection& selection) {
    if (selection.line <= 0 || selection.source < 0) return place_text(session.capture, selection.site);
    const auto& source = session.capture.sources[static_cast<size_t>(selection.source)];
    return file_name(source.path) + ":" + std::to_string(selection.line);
}

std::string lanes_value(const LanesAnswer& lanes) {
    if (auto said = no_report(lanes)) return *said;
    return lanes.report->problem.empty()
        ? file_name(lanes.report->file) + ":" + std::to_string(lanes.report->line)
        : lanes.report->problem;
}

// "16 lessons", "09-row-and-column", "09-row-and-column not yet", with "1 of 3 hints" behind.
std::string lesson_value(const LessonsAnswer& lessons) {
    const LessonReport& known = lessons.lesson;
    if (lessons.worker) return "asking";
    if (!lessons.problem.empty()) return lessons.problem;
    if (known.lesson.empty()) return std::to_string(known.list.size()) + " lessons";
    std::string out = known.lesson + (known.verdict.empty() ? "" : " " + known.verdict);
    if (!known.hints.empty())
        out += " " + std::to_string(known.hints.size()) + " of " + std::to_string(known.hints_of) + " hints";
    return out;
}

// The worker that travels stands there: "warp 2 at 4711", in instants of its build's block.
std::string instant_value(const LanesAnswer& lanes) {
    if (auto said = no_report(lanes)) return *said;
    if (!lanes.report->problem.empty()) return lanes.report->problem;
    return "warp " + std::to_string(lanes.report->warp) + " at " + std::to_string(lanes.report->order);
}

bool is_shown(const App& app, const std::string& name) {
    return std::ranges::any_of(app.ui.controls, [&](const Control& c) { return c.name == name; });
}

// Of what lies over the panels, and of A and B.
std::optional<std::string> window_value(const App& app, const std::string& key) {
    if (key == "legible") {
        const std::vector<std::string> faults = illegible(app.ui.written);
        return faults.empty() ? "yes" : join(faults, "; ");
    }
    if (key == "home") return app.workspace.at_home ? "shown" : "hidden";
    if (key == "theme") return app.ui.light ? "light" : "dark";
    if (key == "scale") return number(static_cast<double>(app.ui.zoom), 3);
    if (key == "keys") return app.workspace.finder.cheat_sheet ? "shown" : "hidden";
    if (key == "arrange") {
        constexpr const char* kNames[] = {"side", "flip", "split", "blend"};
        return kNames[static_cast<size_t>(app.workspace.heatmaps.arrange)];
    }
    if (key == "b") return has_other(app.session.against) ? app.session.against.name : "none";
    if (key == "against") return app.session.current.names[1];
    if (key == "differ") return std::to_string(app.session.current.wrong_count);
    if (key == "broken") return app.session.broken ? text_of(app.session.broken->complaints.front()) : "no";
    return std::nullopt;
}

const char* name_of(Asks asks) {
    switch (asks) {
        case Asks::open: return "open";
        case Asks::open_b: return "open-b";
        case Asks::save: return "save";
        case Asks::export_tile: return "export";
        case Asks::report: return "report";
        case Asks::editor: return "editor";
        default: return "none";
    }
}

// Of what is switched on and off, and chosen one of several.
std::optional<std::string> choice_value(const App& app, const std::string& key) {
    const auto switched = [](bool on) { return on ? "on" : "off"; };
    const HeatmapsPanel& heat = app.workspace.heatmaps;
    if (key == "metric") return std::string(analysis::name_of(heat.metric));
    if (key == "autofit") return switched(heat.autofit);
    if (key == "log") return switched(heat.log);
    if (key == "linked") return switched(heat.linked);
    if (key == "zoom")
        return heat.zoom == Zoom::fit       ? "fit"
            : heat.zoom == Zoom::one_to_one ? "1:1"
            : heat.zoom == Zoom::cell       ? "cell"
                                            : "free";
    if (key == "flipped") return heat.flipped ? "yes" : "no";
    if (key == "follow") return switched(app.session.watched.on);
    if (key == "ptx") return app.workspace.source.ptx.shown ? "shown" : "hidden";
    if (key == "workspace") return std::string(kDeskNames[static_cast<size_t>(app.workspace.desks.shown)]);
    if (key == "maximised") return app.workspace.maximised.empty() ? "none" : app.workspace.maximised;
    if (key == "projector") return switched(app.workspace.projector);
    if (key == "open-strip") return app.workspace.strips.open.empty() ? "none" : app.workspace.strips.open;
    if (key == "layout") return is_by_hand(app.workspace.desks) ? "by hand" : "as built";
    if (key == "dialog") return is_shown(app, "open/path") ? name_of(app.workspace.dialogs.shown) : "none";
    if (key == "finder") return is_shown(app, "palette/query") ? "open" : "closed";
    if (key == "breakpoints") return std::to_string(app.session.breakpoints.size());
    return std::nullopt;
}

// "race at blur.cu:21" of the chosen finding.
std::string cause_of(const Session& session, const Selection& selection) {
    const auto& findings = session.capture.findings;
    if (selection.finding < 0 || selection.finding >= static_cast<int>(findings.size())) return "none";
    const capture::Finding& finding = findings[static_cast<size_t>(selection.finding)];
    return finding.rule + " at " + file_name(finding.where.file) + ":" + std::to_string(finding.where.line);
}

}  // namespace

std::string value_of(const App& app, const std::string& key) {
    const Selection& selection = app.selection;
    const capture::Probe* probe = probe_of(app.session, selection);
    const auto pair = [](Element e) { return std::to_string(e.row) + "," + std::to_string(e.col); };
    if (key == "selection") return pair(selection.element);
    if (key == "hovered") return pair(selection.hovered);
    if (key == "tile") return probe != nullptr ? probe->name : "none";
    if (key == "block") return std::to_string(selection.block);
    if (key == "iteration") return std::to_string(selection.iteration);
    if (key == "time") return std::to_string(selection.time);
    if (key == "warp") return std::to_string(selection.warp);
    if (key == "line") return line_of(app.session, selection);
    if (key == "finding") return std::to_string(selection.finding);
    if (key == "cause") return cause_of(app.session, selection);
    if (key.starts_with("control/")) return is_shown(app, key.substr(8)) ? "shown" : "none";
    for (const auto& of : {window_value, choice_value})
        if (const std::optional<std::string> value = of(app, key)) return *value;
    if (key == "message") return app.session.message.text;
    if (key == "waiting") return is_waiting(app.session) ? "yes" : "no";
    if (key == "worker") return app.session.worker || app.session.opening ? "running" : "none";
    if (key == "banks") {
        const BanksAnswer& banks = app.session.banks;
        return banks.worker         ? "counting"
            : banks.table           ? "counted"
            : banks.problem.empty() ? "none"
                                    : banks.problem;
    }
    if (key == "lanes") return lanes_value(app.session.lanes);
    if (key == "instant") return instant_value(app.session.lanes);
    if (key == "fragments") {
        const FragmentsAnswer& fragments = app.session.fragments;
        if (auto said = no_report(fragments)) return *said;
        const fragments::Live& live = fragments.report->live;
        if (!fragments.report->problem.empty()) return fragments.report->problem;
        return "line " + std::to_string(live.line) + (live.focus.empty() ? "" : " " + live.focus);
    }
    if (key == "shared") return shared_value_of(app.session.shared);
    if (key == "provenance") {
        const ProvenanceAnswer& provenance = app.session.provenance;
        if (auto said = no_report(provenance)) return *said;
        const ProvenanceElement& e = provenance.report->asked;
        return provenance.report->problem.empty() ? e.tile + " " + pair(e.at) : provenance.report->problem;
    }
    if (key == "lesson") return lesson_value(app.session.lessons);
    if (key == "verdict") return app.session.capture.verdict;
    if (key == "kernel") return app.session.capture.launch.kernel;
    if (key == "captures") return std::to_string(app.session.captures);
    throw Error("There is no value named '" + key + "' to expect.");
}

}  // namespace wl::app
