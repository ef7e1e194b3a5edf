// Which array an access means: the one whose address its own was made from, by the registers that addresses
// go through. What lies outside of it is out of bounds, whoever has the bytes.
#include "instrumentation/emulator/lower/extents.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/emulator/lower/origins.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Operand;
using Of = Origin::Of;

bool is_global(Of of) { return of == Of::global || of == Of::parameter; }

// The array of one kind of memory that an instruction's address was made from; of two addresses, that one
// which has such an array.
Origin meant_by(
    const Lowering& l, const std::vector<Origin>& registers, const ptx::Instruction& in, bool global
) {
    for (const Operand& o : in.operands) {
        if (o.kind != Operand::Kind::address) continue;
        const Origin origin = origin_of(l, registers, o);
        if (global ? is_global(origin.of) : origin.of == Of::shared) return origin;
        if (!global) return {};  // the first address is that of shared memory, wherever there are two
    }
    return {};
}

}  // namespace

void add_extents(Lowering& l) {
    const std::vector<Origin> registers = trace_origins(l);
    for (size_t k = 0; k < l.function.code.size(); ++k) {
        const ptx::Instruction& in = l.function.code[k];
        const size_t site = l.first_site + k;
        if (const Origin o = meant_by(l, registers, in, false); o.of == Of::shared) {
            if (l.program.shared_extents.size() <= site) l.program.shared_extents.resize(site + 1, -1);
            l.program.shared_extents[site] = static_cast<int>(o.index);
        }
        const Origin o = meant_by(l, registers, in, true);
        if (is_global(o.of))
            l.program.pointers.push_back({static_cast<uint32_t>(site), o.of == Of::parameter, o.index});
    }
}

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
