// A capture becomes the loaded one.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <string>

namespace wl::app {

Loaded derive(capture::Capture capture);

// Replaces the capture and moves the selection to the first finding, else the first bad tile, else the last
// output.
void load(Session& session, Selection& selection, Loaded loaded, std::string path);
void load(Session& session, Selection& selection, capture::Capture capture, std::string path);
bool is_big_file(const std::string& path);  // reading it takes longer than a frame
// A big file is read while the window goes on. An Error becomes the message.
void load_file(Session& session, Selection& selection, const std::string& path, bool remove = false);
// Of a big file that is read meanwhile. True: something changed.
bool hear_opening(Session& session, Selection& selection);

}  // namespace wl::app
