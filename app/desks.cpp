// Layouts are the text of Dear ImGui's settings; what is compared of it is where windows are docked.
#include "app/desks.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"

#include <imgui.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBack = 50;

std::string layout_now() {
    size_t size = 0;
    const char* text = ImGui::SaveIniSettingsToMemory(&size);
    return {text, size};
}

// Without which tab is in front, and where windows are: only where they are docked.
std::string docking_of(const std::string& layout) {
    std::istringstream in(layout);
    std::string out;
    bool docking = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('[')) docking = line.starts_with("[Docking]");
        if (!docking && !line.starts_with("[Window]") && !line.starts_with("DockId=")) continue;
        const size_t chosen = line.find(" Selected=");
        if (chosen != std::string::npos) line.erase(chosen, line.find(' ', chosen + 1) - chosen);
        out += line + "\n";
    }
    return out;
}

std::string& kept_of(Desks& desks) { return desks.kept[static_cast<size_t>(desks.shown)]; }

fs::path file_of(const Desks& desks, size_t desk) {
    return fs::path(desks.folder) / ("workspace-" + std::string(kDeskNames[desk]) + ".ini");
}

void keep(Desks& desks, const std::string& layout) {
    kept_of(desks) = layout;
    if (desks.folder.empty()) return;
    std::error_code ignored;
    const fs::path file = file_of(desks, static_cast<size_t>(desks.shown));
    if (layout.empty()) {
        fs::remove(file, ignored);
        return;
    }
    fs::create_directories(desks.folder, ignored);
    try {
        write_text_file(file.string(), layout);
    } catch (const Error&) { return; }  // the window goes on without being remembered
}

void go(Desks& desks, std::vector<std::string>& from, std::vector<std::string>& to) {
    if (from.empty()) return;
    to.push_back(layout_now());
    desks.wanted = std::move(from.back());
    from.pop_back();
    keep(desks, *desks.wanted);
}

}  // namespace

bool is_by_hand(const Desks& desks) { return !desks.kept[static_cast<size_t>(desks.shown)].empty(); }

void take_layout(Desks& desks) {
    if (!desks.wanted) return;
    ImGui::LoadIniSettingsFromMemory(desks.wanted->data(), desks.wanted->size());
    desks.wanted.reset();
}

void watch_layout(Desks& desks) {
    constexpr int kFrames = 3;  // a window that was let go is docked with the next frame
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && desks.settling == 0) desks.pressed = layout_now();
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !desks.pressed.empty()) desks.settling = kFrames;
    if (desks.settling == 0 || --desks.settling > 0) return;
    const std::string was = std::exchange(desks.pressed, {}), now = layout_now();
    if (docking_of(was) == docking_of(now)) return;
    desks.past.push_back(was);
    if (desks.past.size() > kMostBack) desks.past.erase(desks.past.begin());
    desks.future.clear();
    keep(desks, now);
}

void undo_layout(Desks& desks) { go(desks, desks.past, desks.future); }
void redo_layout(Desks& desks) { go(desks, desks.future, desks.past); }

void forget_layout(Desks& desks) {
    desks.past.clear(), desks.future.clear();
    keep(desks, "");
}

bool choose_desk(Desks& desks, Desk desk) {
    desks.past.clear(), desks.future.clear();
    desks.shown = desk;
    if (!kept_of(desks).empty()) desks.wanted = kept_of(desks);
    return kept_of(desks).empty();
}

void read_desks(Desks& desks, const std::string& settings_file) {
    if (settings_file.empty()) return;
    desks.folder = fs::path(settings_file).parent_path().string();
    for (size_t i = 0; i < kDeskNames.size(); ++i) {
        std::ifstream in(file_of(desks, i));
        desks.kept[i].assign(std::istreambuf_iterator<char>(in), {});
    }
    if (is_by_hand(desks)) desks.wanted = kept_of(desks);
}

}  // namespace wl::app
