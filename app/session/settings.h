// What the window remembers from one start to the next.
#pragma once

#include <string>
#include <vector>

namespace wl::app {

struct Settings {
    std::string file;                 // where it is kept; empty: nowhere
    std::vector<std::string> recent;  // captures and kernels that were opened, the latest first
    std::string editor;               // command with {file} and {line}; empty: the usual one
    bool light = false;               // the theme
    float zoom = 1;                   // of the interface, times the display's scale
};
constexpr size_t kMostRecent = 12;

// $XDG_CONFIG_HOME/warplens/window.conf, else below ~/.config; empty without a home.
std::string settings_path();

Settings read_settings(const std::string& file);  // what cannot be read is not set
void write_settings(const Settings& settings);    // quietly: nothing depends on it

void remember_recent(Settings& settings, const std::string& path);

}  // namespace wl::app
