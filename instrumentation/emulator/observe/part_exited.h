// Lanes of a warp that have exited before an aligned barrier that others of it reach.
#pragma once

#include "instrumentation/execution/incident.h"

#include <string_view>

namespace wl::emulator {

// How the detail of such a divergent_barrier ends. PTX does not tell the branch of an `else` at the end of a
// kernel from an early return, which is allowed; the source does.
constexpr std::string_view kPartExited = ", the others have exited";

inline bool is_part_exited(const execution::Incident& i) {
    return i.kind == execution::Incident::Kind::divergent_barrier && i.detail.ends_with(kPartExited);
}

}  // namespace wl::emulator
