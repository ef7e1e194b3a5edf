// Files that are written beside the window.
#pragma once

#include "app/session/state.h"

#include <functional>
#include <string>

namespace wl::app {

// `write` may throw Error; it may read the loaded capture, which stays until it has ended. One at a time:
// while one is being written another is refused with a message. `what` begins the message: "The tile", "The
// capture".
void keep_later(Session& session, std::string what, std::string path, std::function<void()> write);
// As that, of the capture itself, whose path it becomes.
void save_later(Session& session, const std::string& path);

bool hear_keeping(Session& session);   // true: something changed
void await_keeping(Session& session);  // before the loaded capture goes

}  // namespace wl::app
