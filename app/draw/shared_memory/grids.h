// A block's shared memory on the screen: all of it as a strip, rows of 32 banks, and matrices of the same
// bytes. A byte under the mouse in one of them is lit in all.
#pragma once

#include "app/draw/shared_memory/colours.h"
#include "app/draw/shared_memory/texels.h"
#include "app/draw/widgets.h"
#include "app/session/session.h"

#include <optional>
#include <string>
#include <utility>

namespace wl::app {

struct SharedHover {
    int64_t now = -1;   // byte that is lit; -1: none
    int64_t next = -1;  // what this frame finds under the mouse; lit in the next one
};

// Of each grid the picture that lies on the GPU.
struct SharedPictures {
    TexelGrid strip, physical, logical, transposed;
};

// What is drawn, with what decides its colours. Pointers that are null: nothing was chosen.
struct ShownShared {
    const capture::SharedState& state;
    const SharedView& view;
    SharedColour colour = SharedColour::state;
    const SharedMatrix* matrix = nullptr;           // the chosen one
    const capture::LineRequest* request = nullptr;  // of shared memory
    const layouts::Changed* changed = nullptr;      // where the request's lanes would go
    ValueRange range;
};

// The bytes whose rows are shown: those of the chosen matrix, else all.
struct ByteRange {
    uint32_t begin = 0, end = 0;
};
ByteRange shown_bytes(const ShownShared& shown);

// Where a matrix and its transposed stand: beside each other, or below where that would be too narrow.
std::pair<Box, Box> boxes_of_both(const SharedMatrix& matrix, Box box);

// Returns the byte that was clicked, -1: none.
int64_t draw_strip(SharedHover& hover, TexelGrid& picture, const ShownShared& shown, Box box);
// `scroll`: rows of 128 bytes above the first that is shown; follows the mouse wheel.
void draw_physical(SharedHover& hover, TexelGrid& picture, const ShownShared& shown, float& scroll, Box box);
struct LogicalLook {
    const SharedMatrix& matrix;
    bool transposed = false;  // columns go down
    const char* name = "";    // of the control
};
void draw_logical(
    SharedHover& hover, TexelGrid& picture, const ShownShared& shown, const LogicalLook& look, Box box
);

// What the colours say, by what is shown: swatches with how many of the shown bytes each has, or a scale; up
// to x `end` (legend.cpp).
void draw_shared_legend(const ShownShared& shown, ImVec2 at, float end);

// Everything that is known of a byte: bank, element, value, who wrote it when.
std::string byte_text(const ShownShared& shown, int64_t byte);

}  // namespace wl::app
