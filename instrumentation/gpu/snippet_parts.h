// What the snippets are put together from; for the files of this folder. Labels: CLAIMED, and END behind all.
#pragma once

#include "instrumentation/gpu/snippets.h"

#include <string>

namespace wl::gpu {

// The lanes that stand here together: `group`, of which this is number `rank` of `members`; lane `leader` is
// number 0 and `leads`.
std::string group_text();
// The leader of the lanes claims a record of a warp: (rows, cols) elements, `place` its address.
struct WarpRecord {
    uint32_t rows = 0, cols = 0;
    std::string pitch = "0", place = "0";
};
std::string claim_for_warp(const Numbers& numbers, const WarpRecord& record);
// Counts this arrival, and leaves when the host does not want it.
std::string iteration_text(const Numbers& numbers);
// One thread claims a record of `bytes` and writes its head; `slot` is its address, or 0 where there is no
// room. `owner`: "warp", or "-1" of the block's.
std::string claim_text(const Numbers& numbers, const char* owner);
// The leader's `slot` becomes that of all lanes of the group.
std::string share_slot_text();
// The thread whose predicate `guard` holds says that the record is whole.
std::string complete_text(const Names& names, const char* guard);

}  // namespace wl::gpu
