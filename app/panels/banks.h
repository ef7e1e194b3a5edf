// Bank conflicts by source line, and how the lanes of the worst request fall on the 32 banks.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <cstdint>

namespace wl::app {

struct BanksPanel {
    int chosen = 0;        // index in BankTable::lines
    uint64_t capture = 0;  // Session::captures that it belongs to
};
void draw(BanksPanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
