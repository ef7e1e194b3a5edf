// PTX ISA 9.7.13.1: all threads of a warp execute the same aligned barrier. CUDA C++ Programming Guide 13.0,
// independent thread scheduling: it waits for all threads that have not exited. So a lane that returned
// before the barrier is not missing there, whatever it stored first, and one that goes round it is.
// compute-sanitizer's synccheck tells the two apart in the same way (docs/measured/exits-h200.log).
#include "instrumentation/emulator/lower/ways_round.h"

#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/ptx/blocks.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>

namespace wl::emulator {
namespace {

bool is_aligned_barrier(const ptx::Instruction& in) { return in.op == ptx::Op::bar && in.modifiers.aligned; }

// In the entry, or in what it calls.
bool has_aligned_barrier(const Lowering& l) {
    const std::vector<int>& reached = l.program.listing.functions;
    return std::any_of(reached.begin(), reached.end(), [&](int f) {
        const ptx::Code& code = l.module.functions[static_cast<size_t>(f)].code;
        return std::any_of(code.begin(), code.end(), is_aligned_barrier);
    });
}

}  // namespace

void add_ways_round(Lowering& l) {
    const ptx::Code& code = l.function.code;
    if (!l.function.is_entry || !has_aligned_barrier(l)) return;
    ptx::Blocks blocks = ptx::blocks_of(l.function);
    WaysRound out;
    out.meets = post_dominators(blocks), out.exit = blocks.exit;
    std::vector<uint8_t> leaves(blocks.exit + 1, 1);
    for (uint32_t k = 0; k < code.size(); ++k) {
        if (traits_of(code[k]).control != ptx::Control::leave) leaves[blocks.of[k]] = 0;
    }
    for (uint32_t& meets : out.meets)
        if (meets != ptx::kNoBlock && leaves[meets] != 0) meets = blocks.exit;
    out.block_of = std::move(blocks.of);
    l.program.ways_round = std::move(out);
}

}  // namespace wl::emulator
