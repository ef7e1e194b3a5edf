// Editing decoded programs.
#include "instrumentation/diagnosis/edit.h"

#include <algorithm>
#include <cassert>

namespace wl::diagnosis {

namespace {

void shift_labels(ptx::Operand& operand, uint32_t at) {
    if (operand.kind == ptx::Operand::Kind::label && operand.index > static_cast<int32_t>(at))
        ++operand.index;
    for (ptx::Operand& e : operand.elements) shift_labels(e, at);
}

}  // namespace

ptx::Function& entry_of(ptx::Module& module, const std::string& entry) {
    const auto it =
        std::find_if(module.functions.begin(), module.functions.end(), [&](const ptx::Function& f) {
            return f.is_entry && f.name == entry;
        });
    assert(it != module.functions.end());
    return *it;
}

const ptx::Function& entry_of(const ptx::Module& module, const std::string& entry) {
    return entry_of(const_cast<ptx::Module&>(module), entry);
}

void insert_barrier(ptx::Function& f, uint32_t at) {
    assert(at < f.code.size());
    for (ptx::Instruction& i : f.code) {
        for (ptx::Operand& o : i.operands) shift_labels(o, at);
    }
    for (auto& [name, index] : f.labels) {
        if (index > static_cast<int32_t>(at)) ++index;
    }
    for (std::vector<int32_t>& targets : f.branch_targets) {
        for (int32_t& t : targets) {
            if (t > static_cast<int32_t>(at)) ++t;
        }
    }
    ptx::Instruction barrier;
    barrier.op = ptx::Op::bar;
    barrier.mnemonic = "bar.sync";
    barrier.modifiers.mode = ptx::Mode::sync;
    barrier.location = f.code[at].location;
    ptx::Operand zero;
    zero.kind = ptx::Operand::Kind::immediate;
    barrier.operands.push_back(zero);
    f.code.insert(f.code.begin() + at, barrier);
}

void replace_by_move(ptx::Function& f, uint32_t at, const ptx::Operand& source) {
    ptx::Instruction& i = f.code[at];
    assert(!i.operands.empty() && !i.types.empty());
    const ptx::Operand destination = i.operands.front();
    i.op = ptx::Op::mov;
    i.types = {i.types.front()};
    i.modifiers = {};
    i.operands = {destination, source};
    i.mnemonic = "mov." + std::string(ptx::name_of(i.types.front()));
}

void fix_guard(ptx::Function& f, uint32_t at, bool value) {
    ptx::Instruction& i = f.code[at];
    i.guard = {};
    if (value) return;
    // A branch never taken: to the next instruction. Anything else that is never executed: a move of nothing
    // onto itself has no form, so only branches are fixed to false.
    assert(i.op == ptx::Op::bra);
    i.operands.front().index = static_cast<int32_t>(at) + 1;
    f.labels.emplace(
        "$wl_next_" + std::to_string(at), static_cast<int32_t>(at) + 1
    );  // so that it can be printed
}

bool same_line(const ptx::Module& m, int32_t a, int32_t b) {
    while (a >= 0 && b >= 0) {
        const ptx::Location& x = m.locations[static_cast<size_t>(a)];
        const ptx::Location& y = m.locations[static_cast<size_t>(b)];
        if (x.file != y.file || x.line != y.line) return false;
        a = x.inlined_at, b = y.inlined_at;
    }
    return a < 0 && b < 0;
}

std::vector<Group> group_by_line(
    const ptx::Module& m, const ptx::Function& f, const std::vector<uint32_t>& instructions
) {
    std::vector<Group> out;
    for (const uint32_t i : instructions) {
        const int32_t location = f.code[i].location;
        const auto it = std::find_if(out.begin(), out.end(), [&](const Group& g) {
            return same_line(m, g.location, location);
        });
        if (it == out.end()) {
            out.push_back({location, {i}});
        } else {
            it->members.push_back(i);
        }
    }
    return out;
}

}  // namespace wl::diagnosis
