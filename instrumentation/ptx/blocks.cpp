// Post-dominators by Cooper, Harvey and Kennedy's iteration (2001) over the reversed graph.
#include "instrumentation/ptx/blocks.h"

#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <utility>

namespace wl::ptx {
namespace {

// Where it may go on, apart from the next instruction; code.size(): it leaves the function.
std::vector<uint32_t> ways_on(const Function& f, const Instruction& in) {
    if (traits_of(in).control == Control::leave) return {static_cast<uint32_t>(f.code.size())};
    const std::vector<int32_t> targets = targets_of(f, in);
    return {targets.begin(), targets.end()};
}

std::vector<uint32_t> numbers_of(const Function& f) {
    const size_t size = f.code.size() + 1;
    std::vector<char> leads(size, 0);
    leads.back() = 1;
    for (const auto& [name, target] : f.labels) leads[static_cast<size_t>(target)] = 1;
    for (size_t k = 0; k < f.code.size(); ++k) {
        if (!ends_block(f.code[k])) continue;
        leads[k + 1] = 1;
        for (const uint32_t target : ways_on(f, f.code[k])) leads[target] = 1;
    }
    std::vector<uint32_t> block_of(size, 0);
    for (size_t k = 1; k < size; ++k) block_of[k] = block_of[k - 1] + (leads[k] != 0 ? 1 : 0);
    return block_of;
}

}  // namespace

Blocks blocks_of(const Function& f) {
    Blocks g;
    g.of = numbers_of(f);
    const std::vector<uint32_t>& block_of = g.of;
    g.exit = block_of.back();
    g.last.resize(g.exit);
    g.successors.resize(g.exit + 1);
    g.predecessors.resize(g.exit + 1);
    for (size_t k = 0; k < f.code.size(); ++k) g.last[block_of[k]] = static_cast<uint32_t>(k);
    for (uint32_t b = 0; b < g.exit; ++b) {
        const Instruction& in = f.code[g.last[b]];
        std::vector<uint32_t>& to = g.successors[b];
        if (ends_block(in))
            for (const uint32_t target : ways_on(f, in)) to.push_back(block_of[target]);
        if (!ends_block(in) || in.guard.reg >= 0) to.push_back(block_of[g.last[b] + 1]);
        std::sort(to.begin(), to.end());
        to.erase(std::unique(to.begin(), to.end()), to.end());
        for (const uint32_t s : to) g.predecessors[s].push_back(b);
    }
    return g;
}

namespace {

// Blocks in postorder of the reversed graph, the exit last.
std::vector<uint32_t> postorder(const Blocks& g) {
    std::vector<uint32_t> order;
    std::vector<char> seen(g.successors.size(), 0);
    std::vector<std::pair<uint32_t, size_t>> stack{
        {g.exit, 0}
    };
    seen[g.exit] = 1;
    while (!stack.empty()) {
        auto& [block, edge] = stack.back();
        if (edge == g.predecessors[block].size()) {
            order.push_back(block);
            stack.pop_back();
            continue;
        }
        const uint32_t next = g.predecessors[block][edge++];
        if (seen[next] != 0) continue;
        seen[next] = 1;
        stack.emplace_back(next, 0);
    }
    return order;
}

}  // namespace

std::vector<uint32_t> post_dominators(const Blocks& g) {
    const std::vector<uint32_t> order = postorder(g);
    std::vector<uint32_t> number(g.successors.size(), 0), nearest(g.successors.size(), kNoBlock);
    for (size_t k = 0; k < order.size(); ++k) number[order[k]] = static_cast<uint32_t>(k);
    nearest[g.exit] = g.exit;
    const auto common = [&](uint32_t a, uint32_t b) {
        while (a != b) {
            if (number[a] < number[b])
                a = nearest[a];
            else
                b = nearest[b];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = order.size() - 1; k-- > 0;) {
            uint32_t found = kNoBlock;
            for (const uint32_t s : g.successors[order[k]])
                if (nearest[s] != kNoBlock) found = found == kNoBlock ? s : common(found, s);
            changed = changed || found != nearest[order[k]];
            nearest[order[k]] = found;
        }
    }
    return nearest;
}

}  // namespace wl::ptx
