// Where the selected element comes from: the lines and tiles that its value came through, back in kernel
// time, with the first wrong link marked.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <cstdint>
#include <string>

namespace wl::app {

struct ProvenancePanel {
    std::string element;   // the selection's part of the question that the chain answers
    std::string own;       // the same of the selection that a click on a link made: the chain stays
    std::string question;  // the last one that was asked
    int chosen = -1;       // the link that was clicked
    bool reveal = false;   // what is shown under it is yet to be scrolled into sight
    std::string scrolled;  // the question at whose answer the list was moved to the first wrong link
    uint64_t capture = 0;  // Session::captures that it belongs to
};
void draw(ProvenancePanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
