// Where one begins: the kernels with their stories, what was open lately, and how to open something.
#pragma once

#include "app/draw/highlight.h"
#include "app/session/commands.h"
#include "app/session/session.h"

#include <map>
#include <string>
#include <vector>

namespace wl::app {

// A source as one sees it from afar: a bar a piece of a line.
struct Minimap {
    struct Bar {
        int line = 0, begin = 0, end = 0;  // columns
        TokenKind kind = TokenKind::plain;
    };
    std::vector<Bar> bars;
    int lines = 0;
};

struct HomePanel {
    std::map<std::string, Minimap> minimaps;  // by the path of the source
    std::string expanded;                     // the kernel whose whole story is shown
};
void draw(HomePanel& panel, const Session& session, Commands& commands);

}  // namespace wl::app
