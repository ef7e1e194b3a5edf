// The list of all writes to an element, in the inspector.
#pragma once

#include "app/draw/element/sections.h"
#include "app/worker/writes_report.h"

namespace wl::app {

// A row a write, in kernel time; `here` stands at the selected instant (-1: none does). Registers as
// element/write/INDEX. The row that was clicked; -1: none.
int draw_write_rows(ElementColumn& column, const WritesReport& report, int here);

}  // namespace wl::app
