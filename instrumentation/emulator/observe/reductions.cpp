// Warp reductions by shuffles. Models: shuffle and combination of 32-bit values within one basic block,
// unrolled or as the body of a loop. Not modelled: reductions of 64-bit values (two shuffles a step), through
// shared memory.
#include "instrumentation/emulator/observe/reductions.h"

#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/ptx/table/destinations.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace wl::emulator {
namespace {

using ptx::Op;
using Kind = ptx::Operand::Kind;

// A value numbered within a basic block: equal numbers are equal values.
struct Numbered {
    int shuffled_from = -1;  // the number whose shuffle this is
    uint32_t site = 0;       // of that shuffle
    int chain = -1;          // the chain whose latest combination this is
};
struct Chain {
    Reduction reduction;
    Op combines = Op::invalid;
    int steps = 0;
    int input_register = -1, input = -1;  // where the head's input came from
};
struct Numbering {
    std::map<int32_t, int> of_register;
    std::vector<Numbered> values;
    std::vector<Chain> chains;
};

int fresh(Numbering& n) {
    n.values.emplace_back();
    return static_cast<int>(n.values.size()) - 1;
}
int number_of(Numbering& n, const ptx::Operand& o) {
    if (o.kind != Kind::reg) return -1;
    const auto [it, inserted] = n.of_register.try_emplace(o.index, -1);
    if (inserted) it->second = fresh(n);
    return it->second;
}

bool is_combination(Op op) {
    return op == Op::add || op == Op::min || op == Op::max || op == Op::and_ || op == Op::or_ ||
        op == Op::xor_;
}

// d = op(x, shuffle of x): a step. Returns the number of d.
int combine(Numbering& n, const ptx::Instruction& in, uint32_t site) {
    const int a = number_of(n, in.operands[1]), b = number_of(n, in.operands[2]);
    if (a < 0 || b < 0) return fresh(n);
    const auto is_shuffle_of = [&](int s, int x) {
        return n.values[static_cast<size_t>(s)].shuffled_from == x;
    };
    const int shuffled = is_shuffle_of(b, a) ? b : is_shuffle_of(a, b) ? a : -1;
    if (shuffled < 0) return fresh(n);
    const Numbered step = n.values[static_cast<size_t>(shuffled)];
    int chain = n.values[static_cast<size_t>(step.shuffled_from)].chain;
    if (chain < 0 || n.chains[static_cast<size_t>(chain)].combines != in.op) {
        Chain made;
        made.combines = in.op;
        made.reduction.head = step.site;
        made.reduction.sums = in.op == Op::add;
        made.input = step.shuffled_from;
        for (const auto& [reg, number] : n.of_register)
            if (number == made.input) made.input_register = reg;
        chain = static_cast<int>(n.chains.size());
        n.chains.push_back(std::move(made));
    }
    Chain& c = n.chains[static_cast<size_t>(chain)];
    c.reduction.sites.push_back(step.site);
    c.reduction.sites.push_back(site);
    ++c.steps;
    const int result = fresh(n);
    n.values[static_cast<size_t>(result)].chain = chain;
    return result;
}

void define(Numbering& n, const ptx::Instruction& in, uint32_t site) {
    const size_t written = ptx::destination_count(in);
    int result = -1;
    const bool plain = in.guard.reg < 0 && in.operands.size() >= 2;
    if (plain && in.op == Op::mov) result = number_of(n, in.operands[1]);
    if (plain && in.op == Op::shfl) {
        const int from = number_of(n, in.operands[in.modifiers.pair ? 2 : 1]);
        if (from >= 0) {
            result = fresh(n);
            n.values[static_cast<size_t>(result)].shuffled_from = from;
            n.values[static_cast<size_t>(result)].site = site;
        }
    }
    if (plain && is_combination(in.op) && in.operands.size() == 3) result = combine(n, in, site);
    for (size_t k = 0; k < written; ++k) {
        const auto& d = in.operands[k];
        if (d.kind == Kind::reg) n.of_register[d.index] = k == 0 && result >= 0 ? result : fresh(n);
        for (const auto& element : d.elements)
            if (element.kind == Kind::reg) n.of_register[element.index] = fresh(n);
    }
}

// A chain of one step counts when its result goes back into the register it came from: the body of a loop.
bool is_reduction(const Numbering& n, const Chain& chain) {
    if (chain.steps >= 2) return true;
    const auto held = n.of_register.find(chain.input_register);
    if (held == n.of_register.end()) return false;
    return n.values[static_cast<size_t>(held->second)].chain >= 0 &&
        &n.chains[static_cast<size_t>(n.values[static_cast<size_t>(held->second)].chain)] == &chain;
}

}  // namespace

std::vector<Reduction> find_reductions(const ptx::Function& function) {
    std::set<int32_t> leaders;
    for (const auto& [name, target] : function.labels) leaders.insert(target);
    std::vector<Reduction> found;
    Numbering n;
    const auto finish = [&] {
        for (const Chain& chain : n.chains)
            if (is_reduction(n, chain)) found.push_back(chain.reduction);
        n = {};
    };
    for (size_t k = 0; k < function.code.size(); ++k) {
        if (leaders.contains(static_cast<int32_t>(k))) finish();
        define(n, function.code[k], static_cast<uint32_t>(k));
    }
    finish();
    return found;
}

void observe_reduction(Warp& w, const Instr* i, size_t index) {
    if (!w.block->context.options->checks.uniform || std::popcount(w.mask) < 2) return;
    const uint32_t* a = cells<uint32_t>(w, i->r[2]);
    const uint32_t first = a[first_lane(w.mask)];
    const uint32_t mask = w.mask;
    uint32_t difference = 0;
    WL_FOR_LANES difference |= (mask >> lane & 1) != 0 ? a[lane] ^ first : 0;
    ReductionCount& count = w.block->seen.reductions[index];
    if (difference != 0) {
        ++count.varied;
        return;
    }
    if (count.uniform++ == 0 || w.block->now.index < count.witness.block) {
        count.witness = witness(w, i, mask);
        count.witness.value = first;
        count.witness.memory = "register";
    }
    if ((first & 0x7fffffff) != 0) ++count.nonzero;
}

void add(std::vector<ReductionCount>& into, const std::vector<ReductionCount>& from) {
    for (size_t k = 0; k < into.size(); ++k) {
        const bool earlier =
            from[k].uniform != 0 && (into[k].uniform == 0 || from[k].witness.block < into[k].witness.block);
        if (earlier) into[k].witness = from[k].witness;
        into[k].uniform += from[k].uniform;
        into[k].varied += from[k].varied;
        into[k].nonzero += from[k].nonzero;
    }
}

std::vector<Incident> uniform_reductions(const Program& program, const std::vector<ReductionCount>& counts) {
    std::vector<Incident> found;
    for (size_t k = 0; k < counts.size(); ++k) {
        const Reduction& reduction = program.reductions[k];
        const ReductionCount& c = counts[k];
        if (!reduction.sums || c.varied != 0 || c.nonzero == 0) continue;
        Incident incident;
        incident.kind = Incident::Kind::uniform_reduction;
        incident.first = c.witness;
        incident.count = c.uniform;
        incident.group = reduction.sites;
        incident.detail = fmt::format(
            "a warp reduction added a value that all {} lanes already shared, {} times of {}",
            std::popcount(c.witness.lanes),
            c.uniform,
            c.uniform
        );
        found.push_back(std::move(incident));
    }
    return found;
}

}  // namespace wl::emulator
