// Static definition chains.
#include "instrumentation/diagnosis/rules/definitions.h"

#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/operand_registers.h"

#include <algorithm>
#include <deque>

namespace wl::diagnosis {

namespace {

using ptx::Op;

// The single move or definition behind a register; -1 when there are several.
int64_t unique_definition(const Definitions& defs, const ptx::Operand& o) {
    if (o.kind != ptx::Operand::Kind::reg || defs[static_cast<size_t>(o.index)].size() != 1) return -1;
    return defs[static_cast<size_t>(o.index)].front();
}

}  // namespace

Definitions definitions(const ptx::Function& f) {
    Definitions out(f.registers.size());
    for (uint32_t i = 0; i < f.code.size(); ++i) {
        const size_t n = ptx::destination_count(f.code[i]);
        for (size_t d = 0; d < n; ++d) {
            if (f.code[i].operands[d].kind == ptx::Operand::Kind::address) continue;
            each_register(f.code[i].operands[d], [&](size_t r) { out[r].push_back(i); });
        }
    }
    return out;
}

bool comes_from(const ptx::Function& f, const Definitions& defs, const ptx::Operand& operand, Op op) {
    ptx::Operand at = operand;
    for (int depth = 0; depth < 8; ++depth) {
        const int64_t d = unique_definition(defs, at);
        if (d < 0) return false;
        const ptx::Instruction& i = f.code[static_cast<size_t>(d)];
        if (i.op == op) return true;
        if (i.op != Op::mov || i.operands.size() < 2) return false;
        at = i.operands[1];
    }
    return false;
}

int32_t input_location(const ptx::Function& f, const Definitions& defs, uint32_t instruction) {
    const ptx::Instruction& start = f.code[instruction];
    const size_t first = ptx::destination_count(start);
    if (start.operands.size() <= first) return -1;
    ptx::Operand at = start.operands[first];
    for (int depth = 0; depth < 8; ++depth) {
        if (at.kind != ptx::Operand::Kind::reg || defs[static_cast<size_t>(at.index)].empty()) return -1;
        const ptx::Instruction& i = f.code[defs[static_cast<size_t>(at.index)].back()];
        if (i.op != Op::mov || i.operands.size() < 2 || i.operands[1].kind != ptx::Operand::Kind::reg)
            return i.location;
        at = i.operands[1];
    }
    return -1;
}

int64_t nearest_definition(
    const ptx::Function& f,
    const Definitions& defs,
    uint32_t instruction,
    const std::vector<Op>& ops,
    int depth
) {
    std::deque<std::pair<uint32_t, int>> queue{
        {instruction, 0}
    };
    std::vector<bool> seen(f.code.size());
    while (!queue.empty()) {
        const uint32_t at = queue.front().first;
        const int d = queue.front().second;
        queue.pop_front();
        if (at != instruction && std::find(ops.begin(), ops.end(), f.code[at].op) != ops.end()) return at;
        if (d == depth) continue;
        const ptx::Instruction& i = f.code[at];
        for (size_t o = ptx::destination_count(i); o < i.operands.size(); ++o) {
            if (i.operands[o].kind == ptx::Operand::Kind::address) continue;  // the value, not where it lies
            each_register(i.operands[o], [&](size_t r) {
                for (const uint32_t def : defs[r]) {
                    if (!seen[def]) seen[def] = true, queue.emplace_back(def, d + 1);
                }
            });
        }
    }
    return -1;
}

bool depends_on_thread(const ptx::Function& f, const Definitions& defs, uint32_t instruction) {
    using Special = ptx::SpecialRegister;
    std::deque<uint32_t> queue{instruction};
    std::vector<bool> seen(f.code.size());
    while (!queue.empty()) {
        const ptx::Instruction& i = f.code[queue.front()];
        queue.pop_front();
        for (size_t o = ptx::destination_count(i); o < i.operands.size(); ++o) {
            if (i.operands[o].kind == ptx::Operand::Kind::special) {
                const auto special = static_cast<Special>(i.operands[o].index);
                if (special <= Special::tid_z || special == Special::laneid || special == Special::warpid)
                    return true;
            }
            each_register(i.operands[o], [&](size_t r) {
                for (const uint32_t def : defs[r]) {
                    if (!seen[def]) seen[def] = true, queue.push_back(def);
                }
            });
        }
    }
    return false;
}

}  // namespace wl::diagnosis
