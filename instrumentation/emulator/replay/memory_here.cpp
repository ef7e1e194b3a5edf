// Reads the state that the block stands in; nothing is run.
#include "instrumentation/emulator/replay/memory_here.h"

#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/banks.h"
#include "instrumentation/emulator/replay/inside.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace wl::emulator {

std::vector<RequestHere> requests_here(const Replayer& t) {
    const Program& program = *block_inside(t).context.program;
    const size_t at = code_index(block_inside(t), instruction_here(t));
    const auto span = std::lower_bound(
        program.memory_spans.begin(),
        program.memory_spans.end(),
        at,
        [](const auto& s, size_t k) { return s.instruction < k; }
    );
    std::vector<RequestHere> out;
    if (span == program.memory_spans.end() || span->instruction != at) return out;
    // Reading registers needs a warp that could be written, in the split that stands here.
    Warp& warp = const_cast<Warp&>(warp_here(t));
    std::byte* const registers = std::exchange(warp.registers, warp.frame->registers);
    const uint32_t mask = std::exchange(warp.mask, here(t).lanes);
    const uint32_t lanes = guard_lanes(warp, instruction_here(t));
    for (size_t s = span->first; s < span->first + span->count; ++s)
        for (const MemoryRequest& r : program.memory_sites[s].requests) {
            const Asked asked = asked_by(warp, lanes, program.memory_sites[s], r);
            if (asked.shared.mask != 0) out.push_back({false, asked.shared});
            if (asked.global.mask != 0) out.push_back({true, asked.global});
        }
    warp.registers = registers, warp.mask = mask;
    return out;
}

std::vector<CopyHere> copies_here(const Replayer& t) {
    std::vector<CopyHere> out;
    for (const Warp& w : block_inside(t).warps)
        for (const PendingCopy& c : w.copies)
            out.push_back({w.index, c.instr->site, c.time, c.lanes, c.age, c.mbarrier});
    return out;
}

int lanes_in_flight(const Replayer& t) {
    int lanes = 0;
    for (const Warp& w : block_inside(t).warps)
        for (const PendingCopy& c : w.copies) lanes += std::popcount(c.lanes);
    return lanes;
}

std::vector<SharedVariableHere> shared_variables(const Replayer& t) {
    std::vector<SharedVariableHere> out;
    const uint64_t whole = shared_memory(t).size();
    for (const SharedVariable& v : block_inside(t).context.program->shared_variables) {
        const uint64_t rest = whole - std::min<uint64_t>(whole, v.offset);
        out.push_back({v.name, v.offset, static_cast<uint32_t>(v.bytes == 0 ? rest : std::min(v.bytes, rest))}
        );
    }
    for (const Symbol& s : block_inside(t).context.program->symbols) {
        const bool listed = std::any_of(out.begin(), out.end(), [&](const SharedVariableHere& v) {
            return v.symbol == s.name;
        });
        if (s.space == ptx::Space::shared && !listed && s.offset < whole)  // without extent: dynamic
            out.push_back({s.name, static_cast<uint32_t>(s.offset), static_cast<uint32_t>(whole - s.offset)});
    }
    return out;
}

std::span<const std::byte> shared_memory(const Replayer& t) {
    return {warp_here(t).shared, warp_here(t).shared_bytes};
}

}  // namespace wl::emulator
