// Ctrl+P: anything by its words. Actions, panels, findings, tiles, lines of the sources.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

enum class Goal : uint8_t { action, panel, finding, tile, line };
struct FinderEntry {
    Goal goal = Goal::action;
    int index = 0;  // of the action, panel, finding or tile; of a line its source
    int line = 0;
    std::string text, note;  // what is searched; what stands at the right
};

struct Finder {
    bool opens = false;        // with the next frame
    bool cheat_sheet = false;  // is shown
    std::array<char, 128> query = {};
    int chosen = 0;                   // of the matches
    uint64_t capture = ~uint64_t{0};  // Session::captures that the entries belong to
    std::vector<FinderEntry> entries;
    std::vector<int> matches;  // indices of entries, the best first
    std::string matched;       // the query that they match
};
void draw_finder(Finder& finder, const Session& session, Selection& selection, Commands& commands);

// Of entries that hold every word of the query, those with a word at a beginning first, then the shorter
// ones; at most `most`.
std::vector<int> best_matches(const std::vector<FinderEntry>& entries, std::string_view query, size_t most);

}  // namespace wl::app
