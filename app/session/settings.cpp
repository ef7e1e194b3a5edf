// A line a setting: "recent PATH", "editor COMMAND", "theme light", "zoom 1.25".
#include "app/session/settings.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace wl::app {

namespace fs = std::filesystem;

std::string settings_path() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value != nullptr ? value : "");
    };
    fs::path folder = variable("XDG_CONFIG_HOME");
    if (folder.empty() && !variable("HOME").empty()) folder = fs::path(variable("HOME")) / ".config";
    return folder.empty() ? "" : (folder / "warplens" / "window.conf").string();
}

Settings read_settings(const std::string& file) {
    Settings settings;
    settings.file = file;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const size_t space = line.find(' ');
        if (space == std::string::npos) continue;
        const std::string name = line.substr(0, space), value = line.substr(space + 1);
        if (name == "recent" && settings.recent.size() < kMostRecent) settings.recent.push_back(value);
        if (name == "editor") settings.editor = value;
        if (name == "theme") settings.light = value == "light";
        if (name == "zoom") settings.zoom = std::clamp(std::strtof(value.c_str(), nullptr), 0.5F, 3.0F);
    }
    return settings;
}

void write_settings(const Settings& settings) {
    if (settings.file.empty()) return;
    std::error_code ignored;
    fs::create_directories(fs::path(settings.file).parent_path(), ignored);
    std::ostringstream out;
    for (const std::string& path : settings.recent)
        if (path.find('\n') == std::string::npos) out << "recent " << path << '\n';
    if (!settings.editor.empty()) out << "editor " << settings.editor << '\n';
    if (settings.light) out << "theme light\n";
    if (settings.zoom != 1) out << "zoom " << settings.zoom << '\n';
    try {
        write_text_file(settings.file, out.str());
    } catch (const Error&) { return; }  // the window goes on without being remembered
}

void remember_recent(Settings& settings, const std::string& path) {
    std::erase(settings.recent, path);
    settings.recent.insert(settings.recent.begin(), path);
    if (settings.recent.size() > kMostRecent) settings.recent.resize(kMostRecent);
    write_settings(settings);
}

}  // namespace wl::app
