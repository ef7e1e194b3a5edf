// One operand of a matrix instruction: the matrix, the lanes and registers that hold it, the memory that it
// came from. An element under the mouse in one of them is lit in all.
#pragma once

#include "app/draw/widgets.h"
#include "app/session/selection.h"
#include "app/session/session.h"

namespace wl::app {

enum class FragmentColour : uint8_t { lane, reg, value, error };

constexpr FragmentPlace kNoPlace{-1, -1, 0};
struct FragmentHover {
    FragmentPlace now = kNoPlace;   // that is lit
    FragmentPlace next = kNoPlace;  // what this frame finds under the mouse; lit in the next one
};

// The operand that is shown, with what decides its colours.
struct ShownFragment {
    const fragments::Live& live;
    const FragmentView& all;
    const FragmentOperandView& view;
    const fragments::Operand& operand;
    FragmentColour colour = FragmentColour::lane;
};
int matrices_beside(const FragmentLayout& l);  // of several, how many stand in a row
// Lanes stand in so many columns that a row can be read; and how wide both grids are with a name in every
// cell.
int lane_columns(const fragments::Map& map, float height);
float legible_matrix_width(const FragmentLayout& l);
float legible_lanes_width(const fragments::Map& map, float height);
ImU32 fill_of(const ShownFragment& shown, int lane, int element);
bool is_wrong(const ShownFragment& shown, int lane, int element);

void draw_matrix(FragmentHover& hover, const ShownFragment& shown, Selection& selection, Box box);
void draw_lanes(FragmentHover& hover, const ShownFragment& shown, Selection& selection, Box box);
void draw_memory(FragmentHover& hover, const ShownFragment& shown, bool as_banks, Box box);

// What is known of an element: owners, value, memory.
std::string element_text(const ShownFragment& shown, const FragmentPlace& place);

}  // namespace wl::app
