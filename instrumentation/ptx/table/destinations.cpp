// Which operands an instruction writes, read off the roles of its row in the table.
#include "instrumentation/ptx/table/destinations.h"

#include <algorithm>
#include <string_view>

namespace wl::ptx {

size_t destination_count(const Instruction& in) {
    if (in.op == Op::call) return std::min<size_t>(in.operands.size(), 1);
    if (in.form == nullptr) return 0;
    const std::string_view roles = in.form->operands;
    size_t count = 0;
    for (size_t at = 0; at < roles.size();) {
        const size_t role = roles[at] == '{' ? at + 1 : at;
        const bool first = role < roles.size() && roles[role] == 'd';
        const bool second = roles[at] == '|' && in.modifiers.pair;
        if (first || second) ++count;
        at = std::min(roles.find(' ', at), roles.size() - 1) + 1;
    }
    return std::min(count, in.operands.size());
}

}  // namespace wl::ptx
