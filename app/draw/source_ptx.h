// The recorded program's instructions beside the source: those of the selected line are marked.
#pragma once

#include "app/draw/widgets.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

struct PtxView {
    bool shown = false;
    uint64_t capture = 0;       // Session::captures that `rows` belong to
    std::vector<int> rows;      // sites that are instructions, in the program's order
    int site = -1, source = 0;  // that were last brought into sight
    int line = 0;
};

// `source`, `line`: where the selection stands; line 0: nowhere.
struct PtxLine {
    int source = -1, line = 0;
};
// "%r3 12   %f7 0.5" of the registers that the instruction names, where the report has their values.
std::string registers_text(const LaneReport& report, const std::string& instruction, int lane);

// A press on an instruction selects it, and the line of the source that it was compiled from. Behind the
// instructions of that line: what their registers hold in the selected lane, where Lanes shows registers.
void draw_ptx(PtxView& view, const Session& session, Selection& selection, const PtxLine& at, Box box);

}  // namespace wl::app
