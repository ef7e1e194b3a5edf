// Lessons: the list, a lesson's text with what its commands printed, its exercise, checks and hints.
#pragma once

#include "app/session/commands.h"
#include "app/session/session.h"

namespace wl::app {

struct LearnPanel {
    std::string chosen;  // number of the lesson
    bool asked = false;  // for the list
};
void draw(LearnPanel& panel, const Session& session, Commands& commands);

}  // namespace wl::app
