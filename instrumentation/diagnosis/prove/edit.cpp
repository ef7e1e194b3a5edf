// Editing decoded programs.
#include "instrumentation/diagnosis/prove/edit.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <set>

namespace wl::diagnosis {

namespace {

void shift_labels(ptx::Operand& operand, uint32_t at) {
    if (operand.kind == ptx::Operand::Kind::label && operand.index > static_cast<int32_t>(at))
        ++operand.index;
    for (ptx::Operand& e : operand.elements) shift_labels(e, at);
}

std::string_view other_layout(std::string_view layout) { return layout == "row" ? "col" : "row"; }

int32_t first_register(const ptx::Operand& o) {
    return o.kind == ptx::Operand::Kind::vector && !o.elements.empty() ? o.elements.front().index : o.index;
}

// Both layouts of a product stand side by side in its mnemonic.
void rename_layouts(ptx::Instruction& product, std::string_view a, std::string_view b) {
    const std::string was = fmt::format(".{}.{}.", product.modifiers.layout_a, product.modifiers.layout_b);
    const size_t at = product.mnemonic.find(was);
    if (at != std::string::npos) product.mnemonic.replace(at, was.size(), fmt::format(".{}.{}.", a, b));
    product.modifiers.layout_a = a, product.modifiers.layout_b = b;
}

// Branches to `at` reach the new instruction first.
void insert(ptx::Function& f, uint32_t at, ptx::Instruction made) {
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
    made.location = f.code[at].location;
    f.code.insert(f.code.begin() + at, std::move(made));
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
    ptx::Instruction barrier;
    barrier.op = ptx::Op::bar;
    barrier.mnemonic = "bar.sync";
    barrier.modifiers.mode = ptx::Mode::sync;
    ptx::Operand zero;
    zero.kind = ptx::Operand::Kind::immediate;
    barrier.operands.push_back(zero);
    insert(f, at, std::move(barrier));
}

void insert_syncwarp(ptx::Function& f, uint32_t at) {
    ptx::Instruction sync;
    sync.op = ptx::Op::bar_warp_sync;
    sync.mnemonic = "bar.warp.sync";
    ptx::Operand all_lanes;
    all_lanes.kind = ptx::Operand::Kind::immediate, all_lanes.bits = 0xffffffff;
    sync.operands.push_back(all_lanes);
    insert(f, at, std::move(sync));
}

void insert_fence(ptx::Function& f, uint32_t at) {
    ptx::Instruction fence;
    fence.op = ptx::Op::membar;
    fence.mnemonic = "membar.gl";
    fence.modifiers.scope = "gpu";
    insert(f, at, std::move(fence));
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

void toggle_layout(ptx::Function& f, const std::vector<uint32_t>& loads) {
    std::set<int32_t> a, b;  // first registers of the fragments
    for (const uint32_t at : loads) {
        ptx::Instruction& i = f.code[at];
        if (i.op == ptx::Op::ldmatrix) {
            const size_t trans = i.mnemonic.find(".trans");
            if (trans != std::string::npos)
                i.mnemonic.erase(trans, 6);
            else
                i.mnemonic.insert(std::min(i.mnemonic.rfind(".shared"), i.mnemonic.rfind(".b")), ".trans");
            i.modifiers.trans = !i.modifiers.trans;
            continue;
        }
        assert(i.op == ptx::Op::wmma_load);
        const std::string was = fmt::format(".{}.", i.modifiers.layout_a);
        i.modifiers.layout_a = other_layout(i.modifiers.layout_a);
        i.mnemonic.replace(i.mnemonic.find(was), was.size(), fmt::format(".{}.", i.modifiers.layout_a));
        (i.modifiers.kind == "a" ? a : b).insert(first_register(i.operands.front()));
    }
    for (ptx::Instruction& i : f.code) {
        if (i.op != ptx::Op::wmma_mma || i.operands.size() < 3) continue;
        const bool left = a.count(first_register(i.operands[1])) != 0,
                   right = b.count(first_register(i.operands[2])) != 0;
        if (!left && !right) continue;
        rename_layouts(
            i,
            left ? other_layout(i.modifiers.layout_a) : i.modifiers.layout_a,
            right ? other_layout(i.modifiers.layout_b) : i.modifiers.layout_b
        );
    }
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
