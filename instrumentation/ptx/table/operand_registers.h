// The registers of an operand.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstddef>

namespace wl::ptx {

// visit(register) for every one that the operand names, as a value or as the base of an address.
template <class Visit>
void each_register(const Operand& o, Visit visit) {
    using Kind = Operand::Kind;
    const bool base = o.kind == Kind::address && o.base_kind == Kind::reg;
    if ((o.kind == Kind::reg || base) && o.index >= 0) visit(static_cast<size_t>(o.index));
    for (const Operand& e : o.elements) each_register(e, visit);
}

}  // namespace wl::ptx
