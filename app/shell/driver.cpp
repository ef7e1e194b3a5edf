// A line of the script becomes a queue of input events, one a frame; expectations look at the frame that was
// drawn.
#include "app/shell/driver.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
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
        print_text(driver.name + ":" + std::to_string(line.number) + ": " + key + " " + value + "\n");
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

}  // namespace

Hands imgui_hands() {
    return {
        [](ImVec2 to) { ImGui::GetIO().AddMousePosEvent(to.x, to.y); },
        [](bool down) { ImGui::GetIO().AddMouseButtonEvent(0, down); },
        [](float steps) { ImGui::GetIO().AddMouseWheelEvent(0, steps); },
        [](ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); },
        [](const std::string& text) { ImGui::GetIO().AddInputCharactersUTF8(text.c_str()); }};
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
    // Dear ImGui takes a key a frame. Characters come for as long as a key is held: none are waited for.
    const bool taken =
        std::ranges::all_of(ImGui::GetCurrentContext()->InputEventsQueue, [](const auto& event) {
            return event.Type == ImGuiInputEventType_Text;
        });
    if (!taken) return;
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
