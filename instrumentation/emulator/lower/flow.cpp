// Basic blocks of a function in weak topological order (Bourdoncle, FMPA 1993): loops stay together, so that
// lanes which leave a loop wait behind it for the others.
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>

namespace wl::emulator {
namespace {

struct Graph {
    std::vector<uint32_t> begin;  // first instruction of each block
    std::vector<std::vector<uint32_t>> successors;
};

Graph build(const ptx::Function& function, size_t size) {
    std::vector<char> leads(size, 0);
    leads[0] = 1;
    for (const auto& [name, target] : function.labels)
        if (static_cast<size_t>(target) < size) leads[static_cast<size_t>(target)] = 1;
    for (size_t k = 0; k < function.code.size(); ++k) {
        const auto& in = function.code[k];
        if (ends_block(in)) leads[k + 1] = 1;
        for (const int32_t target : targets_of(function, in)) leads[static_cast<size_t>(target)] = 1;
    }
    Graph g;
    std::vector<uint32_t> block_of(size, 0);
    for (size_t k = 0; k < size; ++k) {
        if (leads[k] != 0) g.begin.push_back(static_cast<uint32_t>(k));
        block_of[k] = static_cast<uint32_t>(g.begin.size()) - 1;
    }
    g.successors.resize(g.begin.size());
    for (size_t b = 0; b < g.begin.size(); ++b) {
        const size_t end = b + 1 < g.begin.size() ? g.begin[b + 1] : size;
        const size_t last = end - 1;
        const bool known = last < function.code.size();
        const bool leaves = known && ends_block(function.code[last]) && function.code[last].guard.reg < 0;
        if (known)
            for (const int32_t target : targets_of(function, function.code[last]))
                g.successors[b].push_back(block_of[static_cast<size_t>(target)]);
        if (!leaves && end < size) g.successors[b].push_back(block_of[end]);
    }
    return g;
}

// One level of the decomposition: strongly connected components of the blocks whose level is `level`, by
// Tarjan's algorithm without recursion; each component in reverse order of completion.
struct Components {
    const Graph& graph;
    std::vector<uint32_t>& level;  // of each block: which sub-problem it belongs to
    std::vector<uint32_t> number, low;
    std::vector<char> on_stack;
    std::vector<uint32_t> stack;
    uint32_t next = 1;
};

struct Frame {
    uint32_t block;
    size_t edge;
};

void search(Components& c, uint32_t root, std::vector<std::vector<uint32_t>>& found) {
    const uint32_t here = c.level[root];
    std::vector<Frame> frames{
        {root, 0}
    };
    const auto enter = [&](uint32_t b) {
        c.number[b] = c.low[b] = c.next++;
        c.stack.push_back(b);
        c.on_stack[b] = 1;
    };
    enter(root);
    while (!frames.empty()) {
        Frame& f = frames.back();
        const uint32_t b = f.block;
        if (f.edge < c.graph.successors[b].size()) {
            const uint32_t s = c.graph.successors[b][f.edge++];
            if (c.level[s] != here) continue;
            if (c.number[s] == 0) {
                enter(s);
                frames.push_back({s, 0});
            } else if (c.on_stack[s] != 0) {
                c.low[b] = std::min(c.low[b], c.number[s]);
            }
            continue;
        }
        frames.pop_back();
        if (!frames.empty()) c.low[frames.back().block] = std::min(c.low[frames.back().block], c.low[b]);
        if (c.low[b] != c.number[b]) continue;
        std::vector<uint32_t>& component = found.emplace_back();
        uint32_t member = 0;
        do {
            member = c.stack.back();
            c.stack.pop_back();
            c.on_stack[member] = 0;
            component.push_back(member);
        } while (member != b);
        std::reverse(component.begin(), component.end());  // the head, where the search entered, first
    }
}

// Positions of all blocks. Work items are processed last in, first out, so that a loop's inside is ordered
// before what follows the loop.
std::vector<uint32_t> positions(const Graph& g) {
    const size_t n = g.begin.size();
    std::vector<uint32_t> level(n, 0), position(n, 0);
    struct Item {
        std::vector<uint32_t> blocks;  // the first is a head when `is_loop`
        bool is_component;
    };
    std::vector<Item> work;
    std::vector<uint32_t> all(n);
    for (size_t b = 0; b < n; ++b) all[b] = static_cast<uint32_t>(b);
    work.push_back({all, false});
    uint32_t next = 0, levels = 0;
    Components c{g, level, std::vector<uint32_t>(n), std::vector<uint32_t>(n), std::vector<char>(n), {}};
    while (!work.empty()) {
        const Item item = std::move(work.back());
        work.pop_back();
        size_t from = 0;
        if (item.is_component) {
            position[item.blocks[0]] = next++;
            level[item.blocks[0]] = ~0u;
            from = 1;
        }
        if (from == item.blocks.size()) continue;
        ++levels;
        for (size_t k = from; k < item.blocks.size(); ++k) {
            level[item.blocks[k]] = levels;
            c.number[item.blocks[k]] = 0;
        }
        std::vector<std::vector<uint32_t>> found;
        for (size_t k = from; k < item.blocks.size(); ++k)
            if (c.number[item.blocks[k]] == 0) search(c, item.blocks[k], found);
        // Components are found last first; pushed in that order, the first is popped first.
        for (auto& component : found) work.push_back({std::move(component), true});
    }
    return position;
}

}  // namespace

void order_blocks(const ptx::Function& function, std::span<Instr> code) {
    const Graph g = build(function, code.size());
    const std::vector<uint32_t> position = positions(g);
    for (size_t b = 0; b < g.begin.size(); ++b) {
        const size_t end = b + 1 < g.begin.size() ? g.begin[b + 1] : code.size();
        for (size_t k = g.begin[b]; k < end; ++k) code[k].order = position[b] & 0x3fffffff;
        code[g.begin[b]].leader = 1;
    }
}

}  // namespace wl::emulator
