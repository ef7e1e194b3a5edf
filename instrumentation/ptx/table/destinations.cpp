// Which operands an instruction writes, read off the roles of its row in the table.
#include "instrumentation/ptx/table/destinations.h"

#include "instrumentation/ptx/table/effects.h"

#include <algorithm>

namespace wl::ptx {

size_t destination_count(const Instruction& in) {
    const Traits& t = traits_of(in);
    if (t.control == Control::call) return std::min<size_t>(in.operands.size(), 1);
    const size_t count = t.destinations + (t.has_pair && in.modifiers.pair ? 1u : 0u);
    return std::min(count, in.operands.size());
}

}  // namespace wl::ptx
