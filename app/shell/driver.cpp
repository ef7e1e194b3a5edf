// A line of the script becomes a queue of input events, one a frame; expectations look at the frame that was
// drawn.
#include "app/shell/driver.h"

#include "app/draw/numbers.h"
#include "app/session/navigate.h"
#include "app/shell/legible.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <sstream>

namespace wl::app {

namespace {

[[noreturn]] void fail(const Driver& driver, const ScriptLine& line, const std::string& what) {
    throw Error(driver.name + ":" + std::to_string(line.number) + ": " + what);
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

float number_at(const Driver& driver, const ScriptLine& line, size_t word, float otherwise) {
    if (word >= line.words.size()) return otherwise;
    try {
        return std::stof(line.words[word]);
    } catch (const std::exception&) { fail(driver, line, "'" + line.words[word] + "' is not a number."); }
}

const std::string& word_at(const Driver& driver, const ScriptLine& line, size_t word) {
    if (word >= line.words.size())
        fail(driver, line, "'" + line.words[0] + "' needs " + std::to_string(word) + " arguments.");
    return line.words[word];
}

ImVec2 place_of(const Driver& driver, const ScriptLine& line, const App& app) {
    const std::string& name = word_at(driver, line, 1);
    const auto at = std::find_if(app.ui.controls.begin(), app.ui.controls.end(), [&](const Control& c) {
        return c.name == name;
    });
    if (at == app.ui.controls.end()) {
        std::vector<std::string> known;
        for (const Control& control : app.ui.controls) known.push_back(control.name);
        const std::string near = nearest_word(name, known);
        fail(
            driver,
            line,
            "no control named '" + name + "' is on the screen" +
                (near.empty() ? "." : "; there is '" + near + "'.")
        );
    }
    const float fx = number_at(driver, line, 2, 0.5F), fy = number_at(driver, line, 3, 0.5F);
    return {at->low.x + (at->high.x - at->low.x) * fx, at->low.y + (at->high.y - at->low.y) * fy};
}

ImGuiKey key_of(const Driver& driver, const ScriptLine& line) {
    const std::string& name = word_at(driver, line, 1);
    if (name == "Shift") return ImGuiMod_Shift;
    if (name == "Ctrl") return ImGuiMod_Ctrl;
    if (name == "Alt") return ImGuiMod_Alt;
    for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
        if (name == ImGui::GetKeyName(static_cast<ImGuiKey>(key))) return static_cast<ImGuiKey>(key);
    }
    fail(driver, line, "'" + name + "' is no key.");
}

void push_move(Driver& driver, ImVec2 to) {
    driver.pending.emplace_back([to](const Hands& hands) { hands.move(to); });
}
void push_button(Driver& driver, bool down) {
    driver.pending.emplace_back([down](const Hands& hands) { hands.button(down); });
}
void push_key(Driver& driver, ImGuiKey key, bool down) {
    driver.pending.emplace_back([key, down](const Hands& hands) { hands.key(key, down); });
}
void push_frames(Driver& driver, int frames) {
    for (int i = 0; i < frames; ++i) driver.pending.emplace_back([](const Hands&) {});
}

void push_click(Driver& driver, ImVec2 at) {
    push_move(driver, at);
    push_button(driver, true);
    push_button(driver, false);
}

void push_drag(Driver& driver, const ScriptLine& line, ImVec2 from) {
    const float dx = number_at(driver, line, 4, 0), dy = number_at(driver, line, 5, 0);
    push_move(driver, from);
    push_button(driver, true);
    constexpr int kSteps = 4;
    for (int step = 1; step <= kSteps; ++step) {
        const float share = static_cast<float>(step) / kSteps;
        push_move(driver, {from.x + dx * share, from.y + dy * share});
    }
    push_button(driver, false);
}

void push_text(Driver& driver, const ScriptLine& line) {
    std::string text;
    bool enter = false;
    for (size_t i = 1; i < line.words.size(); ++i) {
        enter = i + 1 == line.words.size() && line.words[i] == "<enter>";
        if (!enter) text += (i > 1 ? " " : "") + line.words[i];
    }
    driver.pending.emplace_back([text](const Hands& hands) { hands.type(text); });
    if (!enter) return;
    push_key(driver, ImGuiKey_Enter, true);
    push_key(driver, ImGuiKey_Enter, false);
}

std::string rest_of(const ScriptLine& line, size_t from) {
    const std::vector<std::string> words(
        line.words.begin() + static_cast<std::ptrdiff_t>(std::min(from, line.words.size())), line.words.end()
    );
    return join(words, " ");
}

void push_line(Driver& driver, const ScriptLine& line, App& app) {
    const std::string& verb = line.words[0];
    if (verb == "click" || verb == "double") {
        const ImVec2 at = place_of(driver, line, app);
        push_click(driver, at);
        if (verb == "double") push_click(driver, at);
    } else if (verb == "drag") {
        push_drag(driver, line, place_of(driver, line, app));
    } else if (verb == "move") {
        push_move(driver, place_of(driver, line, app));
    } else if (verb == "wheel") {
        push_move(driver, place_of(driver, line, app));
        const float steps = number_at(driver, line, 4, 1);
        driver.pending.emplace_back([steps](const Hands& hands) { hands.wheel(steps); });
    } else if (verb == "key" || verb == "hold" || verb == "release") {
        const ImGuiKey key = key_of(driver, line);
        if (verb != "release") push_key(driver, key, true);
        if (verb != "hold") push_key(driver, key, false);
    } else if (verb == "type") {
        push_text(driver, line);
    } else if (verb == "panel") {
        show_panel(app.workspace, rest_of(line, 1));
    } else if (verb == "wait") {
        push_frames(driver, static_cast<int>(number_at(driver, line, 1, 2)));
    } else {
        fail(driver, line, "'" + verb + "' is no command.");
    }
    push_frames(driver, 2);  // what the events moved reaches every panel
}

bool looks(const std::string& verb) {
    return verb == "expect" || verb == "until" || verb == "shot" || verb == "tell";
}

// True: the line is done with.
bool look(Driver& driver, const App& app, const std::function<Image()>& pixels) {
    const ScriptLine& line = driver.lines.front();
    const std::string& verb = line.words[0];
    if (verb == "shot") {
        write_png(pixels(), word_at(driver, line, 1));
        ++driver.shots;
        return true;
    }
    const std::string& key = word_at(driver, line, 1);
    const std::string wanted = rest_of(line, 2), value = value_of(app, key);
    if (verb == "tell") {
        std::printf("%s:%d: %s %s\n", driver.name.c_str(), line.number, key.c_str(), value.c_str());
        return true;
    }
    if (value == wanted) return true;
    if (verb == "until") {
        constexpr double kPatience = 60;
        if (driver.deadline == 0) driver.deadline = now() + kPatience;
        if (now() < driver.deadline) return false;
    }
    fail(driver, line, "expected " + key + " " + wanted + ", it is " + value + ".");
}

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

}  // namespace

Hands imgui_hands() {
    return {
        [](ImVec2 to) { ImGui::GetIO().AddMousePosEvent(to.x, to.y); },
        [](bool down) { ImGui::GetIO().AddMouseButtonEvent(0, down); },
        [](float steps) { ImGui::GetIO().AddMouseWheelEvent(0, steps); },
        [](ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); },
        [](const std::string& text) { ImGui::GetIO().AddInputCharactersUTF8(text.c_str()); }};
}

namespace {

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
    if (key == "finder")
        return ImGui::IsPopupOpen("palette", ImGuiPopupFlags_AnyPopupLevel | ImGuiPopupFlags_AnyPopupId)
            ? "open"
            : "closed";
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

// "race at blur.cu:21" of the chosen finding.
std::string cause_of(const Session& session, const Selection& selection) {
    const auto& findings = session.capture.findings;
    if (selection.finding < 0 || selection.finding >= static_cast<int>(findings.size())) return "none";
    const capture::Finding& finding = findings[static_cast<size_t>(selection.finding)];
    return finding.rule + " at " + file_name(finding.where.file) + ":" + std::to_string(finding.where.line);
}

bool is_shown(const App& app, const std::string& name) {
    return std::ranges::any_of(app.ui.controls, [&](const Control& c) { return c.name == name; });
}

}  // namespace

std::string value_of(const App& app, const std::string& key) {
    const Selection& selection = app.selection;
    const capture::Probe* probe = probe_of(app.session, selection);
    const HeatmapsPanel& heat = app.workspace.heatmaps;
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
    if (key == "metric") return std::string(analysis::name_of(heat.metric));
    if (key == "autofit") return heat.autofit ? "on" : "off";
    if (key == "zoom")
        return heat.zoom == Zoom::fit       ? "fit"
            : heat.zoom == Zoom::one_to_one ? "1:1"
            : heat.zoom == Zoom::cell       ? "cell"
                                            : "free";
    if (key == "flipped") return heat.flipped ? "yes" : "no";
    if (const std::optional<std::string> value = window_value(app, key)) return *value;
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

Driver parse_script(const std::string& text, std::string name) {
    Driver driver;
    driver.name = std::move(name);
    std::istringstream input(text);
    std::string raw;
    for (int number = 1; std::getline(input, raw); ++number) {
        std::istringstream words(raw.substr(0, raw.find('#')));
        ScriptLine line{number, {}};
        for (std::string word; words >> word;) line.words.push_back(word);
        if (!line.words.empty()) driver.lines.push_back(std::move(line));
    }
    push_frames(driver, 4);  // fonts and layout
    return driver;
}

Driver read_script(const std::string& path) { return parse_script(read_text_file(path), path); }

bool finished(const Driver& driver) { return driver.lines.empty() && driver.pending.empty(); }

void drive(Driver& driver, App& app) {
    app.ui.watched = true;
    if (!ImGui::GetCurrentContext()->InputEventsQueue.empty()) return;  // Dear ImGui takes a key a frame
    if (driver.pending.empty() && !driver.lines.empty() && !looks(driver.lines.front().words[0])) {
        const ScriptLine line = driver.lines.front();
        driver.lines.pop_front();
        push_line(driver, line, app);
    }
    if (driver.pending.empty()) return;
    driver.pending.front()(driver.hands);
    driver.pending.pop_front();
}

void inspect(Driver& driver, const App& app, const std::function<Image()>& pixels) {
    while (driver.pending.empty() && !driver.lines.empty() && looks(driver.lines.front().words[0])) {
        if (!look(driver, app, pixels)) return;
        driver.deadline = 0;
        driver.lines.pop_front();
    }
}

}  // namespace wl::app
