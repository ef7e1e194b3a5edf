// B: another capture, or an earlier iteration of the loaded one.
#pragma once

#include "app/session/state.h"

#include <memory>
#include <string>

namespace wl::app {

// B: another capture. Tiles are shown against it from now on.
void set_other(
    Session& session,
    std::shared_ptr<const capture::Capture> other,
    std::string name,
    Made made = Made::beside
);
void load_other(Session& session, const std::string& path);  // an Error becomes the message
void compare_earlier(Session& session);                      // B: the iteration before
void drop_other(Session& session);
void keep_as_other(Session& session);

// "v2c_3 + 32x, seed 1"
std::string run_name(const capture::Launch& launch);

}  // namespace wl::app
