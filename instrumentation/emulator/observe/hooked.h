// The stage between lowering and running: a copy of a program with hooks at some of its instructions. Several
// observers may put theirs at one instruction; the latest stands outermost. A run that nobody observes
// executes the program itself and pays nothing.
#pragma once

#include "instrumentation/emulator/machine/block.h"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace wl::emulator {

struct Hook;

// Called in place of an instruction. It goes on by `go_on`, or does without it.
using Hooking = const Instr* (*)(Warp&, const Instr*, const Hook&);

// What is known of an instruction before it runs, to choose the hooked ones by.
struct Traits {
    size_t index = 0;  // in Program::code
    uint32_t site = 0;
    Exec executor = nullptr;  // the outermost, which may wait for lanes or other warps
    OrderSite order;          // of an instruction without any, as none
    size_t first_memory = 0;  // in Program::memory_sites
    std::span<const MemorySite> memory;
};

// One hook at one instruction of one variant. Behind it: another hook, or else the executor.
struct Hook {
    Hooking hooking = nullptr;
    Hook* behind = nullptr;
    Exec executor = nullptr;
    const Traits* traits = nullptr;
};

// Which lanes a hook is called for: all of the running split, before guards and waiting; or those whose guard
// is true, of an instruction that is executed now.
enum class At : uint8_t { split, lanes };

// The outermost hook by At, variant and instruction; nullptr: none.
struct HookTable {
    std::array<std::array<std::vector<Hook*>, kVariants>, 2> first;
};

struct Hooked {
    Program program;
    std::vector<Traits> traits;  // by instruction
    std::unique_ptr<HookTable> table;
    std::vector<std::unique_ptr<Hook>> hooks;
};

// A copy without hooks so far.
Hooked hookable(const Program& program);

struct HookPlace {
    At at = At::split;
    std::array<bool, kVariants> variants{true, true, true};
};
constexpr HookPlace in_variant(At at, Variant variant) {
    HookPlace place{
        at, {false, false, false}
    };
    place.variants[variant] = true;
    return place;
}

using Chosen = std::function<bool(const Traits&)>;

// Puts the hook at every chosen instruction. `hooked` may be moved, but not while blocks run it.
void put_instead(Hooked& hooked, HookPlace place, Hooking hooking, const Chosen& chosen);

// What stands behind the hook.
inline const Instr* go_on(const Hook& hook, Warp& w, const Instr* i) {
    return hook.behind != nullptr ? hook.behind->hooking(w, i, *hook.behind) : hook.executor(w, i);
}

// A hook that looks on before the instruction, or once it was executed, which a collective that still waits
// for lanes was not.
using Looking = void (*)(Warp&, const Instr*, const Hook&);
template <Looking look>
const Instr* look_before(Warp& w, const Instr* i, const Hook& hook) {
    look(w, i, hook);
    return go_on(hook, w, i);
}
template <Looking look>
const Instr* look_after(Warp& w, const Instr* i, const Hook& hook) {
    const Instr* next = go_on(hook, w, i);
    if (next != nullptr || running(w).pc != i) look(w, i, hook);
    return next;
}
template <Looking look>
void put_before(Hooked& hooked, HookPlace place, const Chosen& chosen) {
    put_instead(hooked, place, look_before<look>, chosen);
}
template <Looking look>
void put_after(Hooked& hooked, HookPlace place, const Chosen& chosen) {
    put_instead(hooked, place, look_after<look>, chosen);
}

// The block runs the hooked copy.
inline void run_hooked(BlockContext& context, const Hooked& hooked) {
    context.program = &hooked.program;
    context.hooks = hooked.table.get();
}

// Index of the instruction in Program::code.
inline size_t code_index(const Block& block, const Instr* i) {
    return static_cast<size_t>(i - block.context.program->code[block.now.variant].data());
}

}  // namespace wl::emulator
