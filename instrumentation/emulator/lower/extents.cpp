// Which array an access means: the one whose address its own was made from, by the registers that addresses
// go through. What lies outside of it is out of bounds, whoever has the bytes.
#include "instrumentation/emulator/lower/extents.h"

#include "instrumentation/emulator/lower/origins.h"

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

}  // namespace wl::emulator
