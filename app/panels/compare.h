// A and B: what became of every mark, where they first part, and what was changed in the source.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

// A line of a change of the source.
struct ChangedLine {
    char mark = ' ';    // '@': where it is; '-', '+', ' ': of the line
    int line_of_a = 0;  // 0: A has no such line
    std::string text;   // without its mark
};

struct ComparePanel {
    uint64_t number = 0;  // Against::number that the changes belong to
    bool counted = false;
    std::vector<ChangedLine> changes;  // from the earlier to the later; near the first difference first
};
void draw(ComparePanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
