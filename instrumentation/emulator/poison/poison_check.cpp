// Whether a kernel can read a register or local memory before anything wrote it: registers that are live at
// the entry of a function, by the backward data-flow of liveness over its basic blocks.
#include "instrumentation/emulator/lower/check.h"
#include "instrumentation/emulator/poison/poison.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Operand;
using Kind = Operand::Kind;
using Bits = std::vector<uint64_t>;

void set(Bits& bits, int32_t reg) { bits[static_cast<size_t>(reg) / 64] |= uint64_t{1} << (reg % 64); }
bool has(const Bits& bits, int32_t reg) {
    return (bits[static_cast<size_t>(reg) / 64] >> (reg % 64) & 1) != 0;
}

// visit(register) for every one that the operand names.
template <class Visit>
void each_register(const Operand& o, Visit visit) {
    const bool base = o.kind == Kind::address && o.base_kind == Kind::reg;
    if ((o.kind == Kind::reg || base) && o.index >= 0) visit(o.index);
    for (const Operand& e : o.elements) each_register(e, visit);
}

struct BasicBlock {
    size_t begin = 0, end = 0;
    std::vector<size_t> next;  // instructions that it goes on to
    Bits read, written, live;  // before it is written; at all; on entry
};

std::vector<char> leaders(const ptx::Function& f) {
    std::vector<char> leads(f.code.size() + 1, 0);
    leads[0] = 1;
    for (const auto& [name, at] : f.labels) leads[static_cast<size_t>(at)] = 1;
    for (size_t k = 0; k < f.code.size(); ++k) {
        if (ends_block(f.code[k])) leads[k + 1] = 1;
        for (const int32_t at : targets_of(f, f.code[k])) leads[static_cast<size_t>(at)] = 1;
    }
    return leads;
}

void add_next(const ptx::Function& f, BasicBlock& b) {
    const ptx::Instruction& last = f.code[b.end - 1];
    for (const int32_t at : targets_of(f, last)) b.next.push_back(static_cast<size_t>(at));
    if (!ends_block(last) || last.guard.reg >= 0) b.next.push_back(b.end);
}

void scan(const ptx::Function& f, BasicBlock& b) {
    const auto reads = [&b](int32_t reg) {
        if (!has(b.written, reg)) set(b.read, reg);
    };
    for (size_t k = b.begin; k < b.end; ++k) {
        const ptx::Instruction& in = f.code[k];
        if (in.op == Op::mark) continue;
        const size_t written = ptx::destination_count(in);
        if (in.guard.reg >= 0) reads(in.guard.reg);
        for (size_t o = 0; o < in.operands.size(); ++o)
            if (o >= written || in.operands[o].kind == Kind::address) each_register(in.operands[o], reads);
        if (in.guard.reg >= 0) continue;  // it may not write
        for (size_t o = 0; o < written; ++o)
            if (in.operands[o].kind != Kind::address)
                each_register(in.operands[o], [&b](int32_t reg) { set(b.written, reg); });
    }
}

// The registers that are live where the function begins.
Bits live_at_entry(const ptx::Function& f) {
    const size_t words = f.registers.size() / 64 + 1;
    const std::vector<char> leads = leaders(f);
    std::vector<BasicBlock> blocks;
    std::vector<size_t> block_of(f.code.size() + 1, 0);
    for (size_t k = 0; k < f.code.size(); ++k) {
        if (leads[k] != 0) blocks.push_back({k, k, {}, Bits(words), Bits(words), Bits(words)});
        blocks.back().end = k + 1;
        block_of[k] = blocks.size() - 1;
    }
    for (BasicBlock& b : blocks) {
        add_next(f, b);
        scan(f, b);
        b.live = b.read;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = blocks.size(); k-- > 0;) {
            BasicBlock& b = blocks[k];
            for (const size_t next : b.next) {
                if (next >= f.code.size()) continue;
                const Bits& behind = blocks[block_of[next]].live;
                for (size_t word = 0; word < words; ++word) {
                    const uint64_t more = behind[word] & ~b.written[word] & ~b.live[word];
                    b.live[word] |= more;
                    changed = changed || more != 0;
                }
            }
        }
    }
    return blocks.empty() ? Bits(words) : blocks.front().live;
}

bool is_parameter(const ptx::Function& f, const std::string& name) {
    return std::any_of(f.params.begin(), f.params.end(), [&](const ptx::Variable& v) {
        return v.is_register && v.name == name;
    });
}

bool has_local_memory(const ptx::Function& f) {
    const bool variables = std::any_of(f.variables.begin(), f.variables.end(), [](const ptx::Variable& v) {
        return v.space == ptx::Space::local;
    });
    return variables ||
        std::any_of(f.code.begin(), f.code.end(), [](const auto& in) { return in.op == Op::alloca; });
}

}  // namespace

bool may_read_uninitialised(const ptx::Module& module, std::string_view entry) {
    const ptx::Function* first = ptx::find_entry(module, entry);
    if (first == nullptr) return false;
    for (const int index : reachable_functions(module, static_cast<int>(first - module.functions.data()))) {
        const ptx::Function& f = module.functions[static_cast<size_t>(index)];
        if (f.is_declaration) continue;
        if (has_local_memory(f)) return true;
        const Bits live = live_at_entry(f);
        for (size_t reg = 0; reg < f.registers.size(); ++reg)
            if (has(live, static_cast<int32_t>(reg)) && !is_parameter(f, f.registers[reg].name)) return true;
    }
    return false;
}

}  // namespace wl::emulator
