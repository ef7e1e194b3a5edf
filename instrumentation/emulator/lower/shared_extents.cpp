// Which variable of shared memory an access means: the one whose address its own was made from, by the
// registers that addresses go through. What lies outside of it is out of bounds, whoever has the bytes.
#include "instrumentation/emulator/lower/shared_extents.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/emulator/lower/lowering.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/ptx/table/destinations.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Operand;
using Kind = Operand::Kind;

// What a register's value was made from: nothing seen so far, numbers, one variable (1 + its index in
// Program::shared_variables), or several of these.
using Origin = int;
constexpr Origin kUnseen = -2, kSeveral = -1, kNumber = 0;

Origin either(Origin a, Origin b) { return a == kUnseen ? b : b == kUnseen || a == b ? a : kSeveral; }
Origin sum(Origin a, Origin b) {
    if (a == kUnseen || b == kUnseen) return kUnseen;
    return a == kNumber ? b : b == kNumber ? a : kSeveral;
}

struct Tracer {
    Lowering& l;
    std::vector<Origin> registers;

    Origin of_symbol(const Operand& o) const {
        const auto index = static_cast<size_t>(o.index);
        const auto& places = o.local ? l.function_variables : l.linking.module_variables;
        if (places[index].space != ptx::Space::shared) return kNumber;
        const auto& all = l.program.shared_variables;
        const auto it = std::find_if(all.begin(), all.end(), [&](const SharedVariable& v) {
            return v.offset == places[index].offset;
        });
        return it == all.end() ? kSeveral : static_cast<Origin>(it - all.begin()) + 1;
    }
    Origin of(const Operand& o) const {
        const Kind kind = o.kind == Kind::address ? o.base_kind : o.kind;
        if (kind == Kind::symbol) return of_symbol(o);
        return kind == Kind::reg ? registers[static_cast<size_t>(o.index)] : kNumber;
    }
    Origin of_result(const ptx::Instruction& in) const {
        const auto& o = in.operands;
        switch (in.op) {
            case Op::mov:
            case Op::cvt:
            case Op::cvta: return of(o[1]);
            case Op::add:
            case Op::sub: return sum(of(o[1]), of(o[2]));
            case Op::mad: return sum(sum(of(o[1]), of(o[2])) == kNumber ? kNumber : kSeveral, of(o[3]));
            case Op::selp: return either(of(o[1]), of(o[2]));
            default: return kNumber;
        }
    }
    bool pass() {
        bool changed = false;
        for (const ptx::Instruction& in : l.function.code) {
            const size_t written = ptx::destination_count(in);
            for (size_t k = 0; k < written; ++k) {
                if (in.operands[k].kind != Kind::reg) continue;
                Origin& held = registers[static_cast<size_t>(in.operands[k].index)];
                const Origin now = either(held, written == 1 ? of_result(in) : kNumber);
                changed = changed || now != held;
                held = now;
            }
        }
        return changed;
    }
};

}  // namespace

void add_shared_extents(Lowering& l) {
    if (l.program.shared_variables.empty()) return;
    Tracer tracer{l, std::vector<Origin>(l.function.registers.size(), kUnseen)};
    while (tracer.pass()) {}
    for (size_t k = 0; k < l.function.code.size(); ++k) {
        const auto& operands = l.function.code[k].operands;
        const auto at = std::find_if(operands.begin(), operands.end(), [](const Operand& o) {
            return o.kind == Kind::address;
        });
        const Origin origin = at == operands.end() ? kNumber : tracer.of(*at);
        if (origin <= kNumber) continue;
        const size_t site = l.first_site + k;
        if (l.program.shared_extents.size() <= site) l.program.shared_extents.resize(site + 1, -1);
        l.program.shared_extents[site] = origin - 1;
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
        demangle(meant.name),
        meant.offset,
        meant.offset + meant.bytes - 1,
        other == program.shared_variables.end() ? "" : ", inside of " + demangle(other->name)
    );
    report(*w.block, std::move(incident));
}

}  // namespace wl::emulator
