// Statements for what is put in: where in its block and grid a thread is.
#pragma once

#include <string>

namespace wl::ptx {

// Declares registers and sets them: `tid` and `warp` in the block (.b32), `block` linear in the grid (.b64).
std::string position_text();

}  // namespace wl::ptx
