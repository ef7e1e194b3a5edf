// What a launch can reach: every aligned word that is an address of an allocation counts as a pointer.
#include "instrumentation/runtime/record.h"

#include "instrumentation/execution/constants.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <span>

namespace wl::runtime {
namespace {

using execution::Allocation;

const Allocation* holder_of(const execution::GlobalMemory& memory, uint64_t address) {
    const auto& all = memory.allocations;
    const auto behind = std::upper_bound(
        all.begin(), all.end(), address, [](uint64_t at, const Allocation& a) { return at < a.base; }
    );
    if (behind == all.begin()) return nullptr;
    const Allocation& a = *std::prev(behind);
    return address - a.base < a.bytes.size() ? &a : nullptr;
}

// Adds the allocations that the aligned words of `bytes`, which lie at `base`, point into.
void reach(
    const execution::GlobalMemory& memory,
    uint64_t base,
    std::span<const std::byte> bytes,
    std::set<uint64_t>& reached,
    std::deque<const Allocation*>& next
) {
    for (size_t at = (0 - base) % sizeof(uint64_t); at + sizeof(uint64_t) <= bytes.size();
         at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        const Allocation* a = holder_of(memory, word);
        if (a != nullptr && reached.insert(a->base).second) next.push_back(a);
    }
}

// The variable's name in PTX; empty: an allocation of the program.
std::string variable_of(const ptx::Module& module, const Allocation& a) {
    for (const ptx::Variable& v : module.variables) {
        const bool constant = v.space == ptx::Space::constant;
        if (a.name == (constant ? execution::name_of_constant(v.name) : v.name)) return v.name;
    }
    return {};
}

}  // namespace

launches::RecordedLaunch record_of(
    const Asked& asked,
    const execution::GlobalMemory& after,
    uint64_t of_entry,
    std::vector<std::string> command
) {
    launches::RecordedLaunch out;
    out.ptx = asked.module.text, out.entry = asked.entry;
    out.grid = asked.launch.grid, out.block = asked.launch.block;
    out.dynamic_shared = asked.launch.dynamic_shared, out.stack = asked.launch.stack_bytes;
    out.cooperative = asked.launch.cooperative, out.params = asked.launch.params;
    out.device = "emulator", out.command = std::move(command);
    out.number = static_cast<uint64_t>(asked.number), out.of_entry = of_entry;
    const execution::GlobalMemory& before = *asked.before;
    std::set<uint64_t> reached;
    std::deque<const Allocation*> next;
    for (const Allocation& a : before.allocations)
        if (!variable_of(asked.module, a).empty() && reached.insert(a.base).second) next.push_back(&a);
    reach(before, 0, asked.launch.params, reached, next);
    for (; !next.empty(); next.pop_front()) {
        const Allocation& a = *next.front();
        launches::Memory kept;
        kept.name = variable_of(asked.module, a), kept.is_variable = !kept.name.empty();
        if (!kept.is_variable) kept.name = a.name;
        kept.base = a.base, kept.before = a.bytes;
        const Allocation* left = holder_of(after, a.base);
        if (left != nullptr && left->bytes.size() == a.bytes.size()) launches::set_left(kept, left->bytes);
        out.memory.push_back(std::move(kept));
        reach(before, a.base, a.bytes, reached, next);
    }
    std::sort(out.memory.begin(), out.memory.end(), [](const auto& a, const auto& b) {
        return a.base < b.base;
    });
    if (!before.textures.empty()) out.notes.emplace_back("textures of the program are not kept");
    return out;
}

}  // namespace wl::runtime
