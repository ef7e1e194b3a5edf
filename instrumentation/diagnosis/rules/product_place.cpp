// Where a product takes its operands: the loads of its fragments, else the instruction that multiplies.
#include "instrumentation/diagnosis/rules/product_fit.h"
#include "instrumentation/diagnosis/rules/words.h"

#include <algorithm>

namespace wl::diagnosis {

namespace {

using ptx::Op;

bool is_fragment_load(const ptx::Instruction& i, bool left) {
    return i.op == Op::ldmatrix || (i.op == Op::wmma_load && i.modifiers.kind == (left ? "a" : "b"));
}

bool is_product(const ptx::Instruction& i) {
    return i.op == Op::wmma_mma || i.op == Op::mma || i.op == Op::fma || i.op == Op::mad;
}

std::vector<ptx::Group> product_lines(const Symptoms& s) {
    std::vector<uint32_t> products;
    for (uint32_t i = 0; i < s.entry.code.size(); ++i) {
        if (is_product(s.entry.code[i])) products.push_back(i);
    }
    return group_by_line(s.experiment.module, s.entry, products);
}

}  // namespace

std::vector<ptx::Group> fragment_loads(const Symptoms& s, bool left) {
    std::vector<uint32_t> loads;
    for (uint32_t i = 0; i < s.entry.code.size(); ++i) {
        if (is_fragment_load(s.entry.code[i], left)) loads.push_back(i);
    }
    return group_by_line(s.experiment.module, s.entry, loads);
}

capture::Where where_of_load(const Symptoms& s, bool left, const capture::Probe& probe) {
    const std::vector<ptx::Group> loads = fragment_loads(s, left);
    if (probe.site < 0) {
        const std::vector<ptx::Group>& at = loads.empty() ? product_lines(s) : loads;
        return at.size() == 1 ? where_of(s, at.front().members.front()) : capture::Where{};
    }
    const auto mark = static_cast<uint32_t>(probe.site);
    const auto behind = std::find_if(loads.rbegin(), loads.rend(), [&](const ptx::Group& g) {
        return g.members.front() < mark;
    });
    if (behind != loads.rend()) return where_of(s, behind->members.front());
    for (uint32_t i = std::min(mark, static_cast<uint32_t>(s.entry.code.size())); i-- > 0;) {
        if (is_product(s.entry.code[i])) return where_of(s, i);
    }
    return where_of(s, mark);
}

}  // namespace wl::diagnosis
