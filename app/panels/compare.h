// A and B: what became of every mark, where they first part, and what was changed in the source.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

struct ComparePanel {
    uint64_t number = 0;  // Against::number that the changes belong to
    bool counted = false;
    std::vector<std::string> changes;  // of the source, as a unified diff; near the first difference first
};
void draw(ComparePanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
