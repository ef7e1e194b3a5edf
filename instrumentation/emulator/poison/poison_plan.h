// What each instruction does with poison, worked out once for a program. Internal to the poison trace.
#pragma once

#include "instrumentation/emulator/program/program.h"

#include <array>

namespace wl::emulator {

// How poison goes from the sources of an instruction to its results: as their bits do.
using PoisonWay = ptx::Flow;

// What a poisoned operand decides by itself.
enum class PoisonEffect : uint8_t { branch, address, lane, barrier, call, leaves };

struct PoisonCell {
    uint32_t slot = 0;
    uint8_t bits = 0;  // 1: a predicate; 0: nothing is kept there
};
struct PoisonSource {
    PoisonCell cell;  // bits 0: an immediate
    bool negated = false;
    uint64_t value = 0;
};
struct PoisonDecider {
    PoisonCell cell;
    PoisonEffect effect = PoisonEffect::branch;
};

struct PoisonStep {
    PoisonWay way = PoisonWay::none;
    uint8_t width = 32;         // bits of the type
    uint8_t source_width = 32;  // of the sources' type, where it differs
    uint8_t table = 0;
    bool is_signed = false;
    bool guard_decides = false;  // else it chooses between the old value of the results and the new one
    bool guard_negated = false;
    bool copies = false;  // store: of registers that only loads of its size write
    PoisonCell guard;     // bits 0: always
    std::vector<PoisonSource> sources;
    std::vector<PoisonCell> source_cells;  // theirs
    std::vector<PoisonCell> results;
    std::vector<PoisonDecider> deciders;
    PoisonSource size;                  // of a copy
    std::optional<PoisonSource> fill;   // as much of it is read; the other bytes become zero
    const MemorySite* sites = nullptr;  // of what memory_sites.cpp knows: the addresses in their order
    const ptx::Instruction* in = nullptr;
};

struct PoisonFunction {
    std::vector<uint32_t> slots;  // by register
    const ptx::Function* source = nullptr;
};

struct PoisonPlan {
    std::vector<PoisonStep> steps;          // by index in Program::code
    std::vector<PoisonFunction> functions;  // as Program::functions
    std::vector<uint32_t> widest_store;     // bytes of an element, by Program::shared_variables
};
// ISA 9.7.9.6: the lane whose value `lane` gets; b and c as the instruction has them.
int shuffle_source(ptx::Mode mode, uint32_t lane, uint32_t b, uint32_t c);

PoisonPlan plan_poison(const ptx::Module& module, const Program& program);

// What the lanes of a warp have in one cell: poisoned bits, the value, and which read brought the poison in.
// `birth` means something where `bits` does.
struct PoisonRow {
    alignas(64) std::array<uint64_t, 32> bits, values;
    alignas(64) std::array<uint32_t, 32> birth;
};
// Poisoned bits of result `k` of every lane, from its sources. Values are looked at only when `uses_values`.
void poison_of_result(const PoisonStep& step, size_t k, const PoisonRow* sources, PoisonRow& result);
constexpr bool uses_values(PoisonWay way) {
    return (way >= PoisonWay::bit_and && way <= PoisonWay::carry && way != PoisonWay::bit_xor) ||
        (way >= PoisonWay::field && way <= PoisonWay::compare);
}

constexpr uint64_t ones(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

}  // namespace wl::emulator
