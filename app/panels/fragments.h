// A matrix instruction's operands: the matrix, the lanes and registers that hold it, and the memory that it
// came from, side by side; hovering one lights the others.
#pragma once

#include "app/draw/fragment_grids.h"
#include "app/session/commands.h"
#include "app/session/fragment_question.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

// Where memory is shown as the matrix that is marked there, or as banks. unasked: as the matrix, where there
// is room.
enum class FragmentMemory : uint8_t { unasked, matrix, banks, hidden };

struct FragmentsPanel {
    int operand = 0;       // index in FragmentView::operands
    uint64_t content = 0;  // FragmentView::content that it belongs to
    FragmentColour colour = FragmentColour::lane;
    FragmentMemory memory = FragmentMemory::unasked;
    bool leaves_memory = false;  // there was no room for it in the last frame
    int64_t hit = 0;             // arrivals from the asked one on; negative: before
    int64_t time = -1;  // the selected time, where such an arrival led; -1: it was selected elsewhere
    std::string base, question;  // of the selection; with the steps
    FragmentHover hover;
    std::vector<FragmentLine> lines;
    uint64_t capture = 0;  // Session::captures that it belongs to
};
void draw(FragmentsPanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
