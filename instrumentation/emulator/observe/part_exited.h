// Lanes of a warp that have exited before an aligned barrier that others of it reach.
#pragma once

#include "instrumentation/execution/incident.h"

#include <string_view>
#include <vector>

namespace wl::emulator {

// How the detail of such a divergent_barrier ends. PTX does not tell the branch of an `else` at the end of a
// kernel from an early return, which is allowed; the source does.
constexpr std::string_view kPartExited = ", the others have exited";

inline bool is_part_exited(const execution::Incident& i) {
    return i.kind == execution::Incident::Kind::divergent_barrier && i.detail.ends_with(kPartExited);
}

// Who may have returned before a barrier is at no fault.
inline void drop_part_exited(std::vector<execution::Incident>& incidents) {
    std::erase_if(incidents, is_part_exited);
}

}  // namespace wl::emulator
