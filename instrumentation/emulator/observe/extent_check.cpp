#include "instrumentation/emulator/observe/extent_check.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::emulator {

void check_shared_extent(Warp& w, const Instr* i, const SharedTouch& touch) {
    const Program& program = *w.block->context.program;
    if (i->site >= program.shared_extents.size() || program.shared_extents[i->site] < 0) return;
    const SharedVariable& meant =
        program.shared_variables[static_cast<size_t>(program.shared_extents[i->site])];
    // In one go first; lanes that take no part may lie anywhere.
    const auto most = static_cast<uint32_t>(meant.bytes - std::min<uint64_t>(meant.bytes, touch.bytes));
    bool inside = meant.bytes >= touch.bytes;
    WL_FOR_LANES inside &= touch.at[lane] - meant.offset <= most;
    if (inside) return;
    uint32_t outside = 0;
    for (uint32_t rest = touch.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const uint32_t into = touch.at[lane] - meant.offset;  // large before it
        if (into > meant.bytes || touch.bytes > meant.bytes - into) outside |= 1u << lane;
    }
    if (outside == 0) return;
    Incident incident;
    incident.kind = Incident::Kind::out_of_bounds;
    incident.first = witness(w, i, outside);
    incident.first.address = touch.at[first_lane(outside)];
    incident.first.bytes = touch.bytes;
    incident.first.write = touch.how != Touching::read;
    incident.first.memory = "shared";
    const auto other = std::find_if(
        program.shared_variables.begin(),
        program.shared_variables.end(),
        [&](const SharedVariable& v) {
            return incident.first.address >= v.offset && incident.first.address < v.offset + v.bytes;
        }
    );
    incident.detail = fmt::format(
        "outside of {}, which has bytes {} to {}{}",
        variable_name(meant.name),
        meant.offset,
        meant.offset + meant.bytes - 1,
        other == program.shared_variables.end() ? "" : ", inside of " + variable_name(other->name)
    );
    report(*w.block, std::move(incident));
}

}  // namespace wl::emulator
