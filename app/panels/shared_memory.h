// A block's shared memory at the selected instant: as rows of banks and as matrices, side by side; who wrote
// what when; the lanes of an access, and what they would cost with other rows.
#pragma once

#include "app/draw/shared_memory/grids.h"
#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct SharedMemoryPanel {
    SharedColour colour = SharedColour::state;
    std::string region;      // name of the chosen matrix; empty: the first
    uint32_t begin = 0;      // where it begins: of several of that name
    bool whole = false;      // all of the memory in place of one matrix
    bool transposed = true;  // the same matrix once more, its columns down
    bool lanes = true;       // those of the access are shown
    int request = 0;         // index in SharedReport::requests
    int what_if = 0;         // 0: as it is, 1: padding, 2: swizzle
    float pad = 8;           // elements
    std::array<int, 3> swizzle = {3, 3, 3};
    std::array<char, 128> as = {};  // a notation that takes the place of the mark's
    std::string as_problem;
    std::optional<SharedMatrix> custom;  // of `as`
    std::string custom_of;               // what it was made of
    float scroll = 0;
    SharedHover hover;
    SharedPictures pictures;
    std::string question;
    int tile = -1;         // Selection::tile that was looked at
    std::string access;    // "v2c_4.cu:82": whose matrix was chosen
    uint64_t content = 0;  // SharedAnswered::content that was looked at
    uint64_t capture = 0;  // Session::captures that it belongs to
};
// Returns its height.
float draw_toolbar(SharedMemoryPanel& panel, const SharedReport* report, Box box);
void draw(SharedMemoryPanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
