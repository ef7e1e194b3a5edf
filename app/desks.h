// Where panels are docked: four workspaces for four kinds of work, each kept as the user leaves it, with the
// way back from every move by hand.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::app {

enum class Desk : uint8_t { compare, step, layout, learn };
constexpr std::array<std::string_view, 4> kDeskNames = {"compare", "step", "layout", "learn"};

struct Desks {
    Desk shown = Desk::compare;
    std::array<std::string, kDeskNames.size()>
        kept;                               // as Dear ImGui writes a layout down; empty: as it is built
    std::string folder;                     // where they are kept; empty: nowhere
    std::vector<std::string> past, future;  // of the one shown
    std::optional<std::string> wanted;      // taken before the next frame
    std::string pressed;                    // the layout when the mouse went down
    int settling = 0;                       // frames until what the mouse did is in the layout
};
bool is_by_hand(const Desks& desks);  // the one shown was changed since it was built

// Between frames: Dear ImGui takes a layout in no other place.
void take_layout(Desks& desks);
// Within a frame: a drag of the mouse that moved a panel or a border can be taken back from now on.
void watch_layout(Desks& desks);

void undo_layout(Desks& desks);
void redo_layout(Desks& desks);
void forget_layout(Desks& desks);  // of the one shown: it is built anew
// True: nothing is kept of it, so that it has to be built.
bool choose_desk(Desks& desks, Desk desk);

void read_desks(Desks& desks, const std::string& settings_file);

}  // namespace wl::app
