// Xvfb as a child process; xdotool for every event.
#include "tests/support/display.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace wl::test {

namespace {

void xdotool(const std::string& words) {
    EXPECT_EQ(std::system(("xdotool " + words).c_str()), 0) << words;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

// In the shell's single quotes.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// A letter in lower case: xdotool presses Shift for a capital one.
std::string key_name(ImGuiKey key) {
    switch (key) {
        case ImGuiKey_LeftArrow: return "Left";
        case ImGuiKey_RightArrow: return "Right";
        case ImGuiKey_Enter: return "Return";
        case ImGuiKey_Backspace: return "BackSpace";
        case ImGuiKey_Space: return "space";
        case ImGuiMod_Shift: return "shift";
        case ImGuiMod_Ctrl: return "ctrl";
        case ImGuiMod_Alt: return "alt";
        case ImGuiKey_Period: return "period";
        case ImGuiKey_Comma: return "comma";
        case ImGuiKey_Equal: return "equal";
        case ImGuiKey_Minus: return "minus";
        default: break;
    }
    const std::string name = ImGui::GetKeyName(key);
    const bool letter = name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z';
    return letter ? std::string(1, static_cast<char>(name[0] - 'A' + 'a')) : name;
}

}  // namespace

VirtualDisplay::VirtualDisplay(int width, int height) {
    int ends[2];
    if (pipe(ends) != 0) return;
    server = fork();
    if (server == 0) {
        close(ends[0]);
        const std::string fd = std::to_string(ends[1]),
                          screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
        const char* words[] = {
            "Xvfb", "-displayfd", fd.c_str(), "-screen", "0", screen.c_str(), "-nolisten", "tcp", "-noreset"};
        std::vector<char*> arguments;
        for (const char* word : words) arguments.push_back(const_cast<char*>(word));
        arguments.push_back(nullptr);
        execvp("Xvfb", arguments.data());
        _exit(127);
    }
    close(ends[1]);
    std::string number;
    char c = 0;
    while (read(ends[0], &c, 1) == 1 && c != '\n') number += c;
    close(ends[0]);
    started = !number.empty();
    if (started) setenv("DISPLAY", (":" + number).c_str(), 1);
}

VirtualDisplay::~VirtualDisplay() {
    unsetenv("DISPLAY");
    if (server <= 0) return;
    kill(server, SIGTERM);
    waitpid(server, nullptr, 0);
}

void press_chord(int chord) {
    std::string words = "key ";
    for (const ImGuiKey mod : {ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt})
        if ((chord & mod) != 0) words += key_name(mod) + "+";
    xdotool(words + key_name(static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_)));
}

void point_at(ImVec2 to) {
    xdotool("mousemove " + std::to_string(std::lround(to.x)) + " " + std::to_string(std::lround(to.y)));
}

void click_there(int button, int times) {
    xdotool("click --repeat " + std::to_string(times) + " --delay 30 " + std::to_string(button));
}

void type_words(const std::string& words) { xdotool("type --delay 2 -- " + quoted(words)); }

app::Hands x_hands() {
    return {
        point_at,
        [](bool down) { xdotool(down ? "mousedown 1" : "mouseup 1"); },
        [](float steps) {
            for (int i = 0; i < std::lround(std::abs(steps)); ++i) xdotool(steps > 0 ? "click 4" : "click 5");
        },
        [](ImGuiKey key, bool down) { xdotool((down ? "keydown " : "keyup ") + key_name(key)); },
        [](const std::string& text) { xdotool("type --delay 25 -- " + quoted(text)); }};
}

}  // namespace wl::test
