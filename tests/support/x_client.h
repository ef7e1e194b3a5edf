// What other programs of a desktop do: drag files and drop them, and set the scale.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <vector>

namespace wl::test {

// Drops the files at that place of the screen and answers the window's questions, with `frame` called in
// between, until the window says that it is done or five seconds are over. True: it is.
bool drop_files(const std::vector<std::string>& paths, ImVec2 at, const std::function<void()>& frame);

// The resources of the X server, as xrdb writes them: "Xft.dpi:\t144". False: there is no server.
bool set_resources(const std::string& resources);

}  // namespace wl::test
