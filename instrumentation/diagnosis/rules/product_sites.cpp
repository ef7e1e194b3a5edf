// Where the operands of a product are loaded.
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/product_fit.h"

#include <algorithm>

namespace wl::diagnosis {

namespace {

using ptx::Op;

bool is_product(const ptx::Instruction& i) {
    return i.op == Op::wmma_mma || i.op == Op::mma || i.op == Op::fma || i.op == Op::mad;
}

// The last one in the entry before `mark`; nullptr: there is none.
const ptx::Places* nearest_before(const Symptoms& s, const std::vector<ptx::Places>& lines, uint32_t mark) {
    const auto it = std::find_if(lines.rbegin(), lines.rend(), [&](const ptx::Places& line) {
        return line.front().function == s.functions.front() && line.front().at < mark;
    });
    return it == lines.rend() ? nullptr : &*it;
}

}  // namespace

std::vector<ptx::Places> fragment_loads(const Symptoms& s, bool left) {
    return lines_with(s, [left](const ptx::Instruction& i) {
        return i.op == Op::ldmatrix || (i.op == Op::wmma_load && i.modifiers.kind == (left ? "a" : "b"));
    });
}

capture::Where where_of_load(const Symptoms& s, bool left, const capture::Probe& probe) {
    const std::vector<ptx::Places> loads = fragment_loads(s, left);
    if (probe.site < 0) {
        const std::vector<ptx::Places> at = loads.empty() ? lines_with(s, is_product) : loads;
        return at.size() == 1 ? where_of(s, at.front().front()) : capture::Where{};
    }
    const auto mark = static_cast<uint32_t>(probe.site);
    if (const ptx::Places* load = nearest_before(s, loads, mark)) return where_of(s, load->front());
    for (uint32_t i = std::min(mark, static_cast<uint32_t>(s.entry.code.size())); i-- > 0;)
        if (is_product(s.entry.code[i])) return where_of(s, i);
    return where_of(s, mark);
}

}  // namespace wl::diagnosis
