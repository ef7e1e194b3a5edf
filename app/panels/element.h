// The inspector: one element's value, error, bits, writer, history and neighbours.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <cstdint>
#include <string>

namespace wl::app {

struct ElementPanel {
    bool lists_writes = false;
    bool to_list = true;   // scrolls there when it is drawn next
    std::string asked;     // the element whose writes were asked for
    uint64_t capture = 0;  // Session::captures then
};
void draw(ElementPanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
