// Files that the user names or drops, by what they are.
#pragma once

#include "app/session/state.h"

#include <string>

namespace wl::app {

// A .wlcap is shown, a .toml is run, a .cu or .ptx is run by the manifest of its name beside it or else its
// text shown, PTX checked, of a .npy the array is. An Error becomes the message.
void open_anything(Session& session, Selection& selection, const std::string& path);

// What opens in the window and does not run: an array, and a kernel's text without a manifest beside it.
bool is_text_or_array(const std::string& path);

// The text of a program with what `warplens check` says of it. Throws Error for text that is no PTX.
capture::Capture capture_of_ptx(const std::string& path);

// An array as a capture of one tile.
capture::Capture capture_of_array(const std::string& path);

}  // namespace wl::app
