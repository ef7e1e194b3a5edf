#include "instrumentation/emulator/observe/hooked.h"

#include <utility>

namespace wl::emulator {
namespace {

// The executor of an instruction with hooks.
template <At at>
const Instr* enter(Warp& w, const Instr* i) {
    const Block& block = *w.block;
    const auto& first = block.context.hooks->first[static_cast<size_t>(at)][block.now.variant];
    const Hook& hook = *first[code_index(block, i)];
    return hook.hooking(w, i, hook);
}

Hook* innermost(Hook* hook) {
    while (hook != nullptr && hook->behind != nullptr) hook = hook->behind;
    return hook;
}

// An instruction that neither waits nor has a guard has one executor, which both kinds of hooks stand before.
Exec enter_lanes(Instr& i, Hook* of_split) {
    const Exec executor = i.inner;
    i.inner = enter<At::lanes>;
    if (of_split != nullptr && of_split->executor == executor) of_split->executor = i.inner;
    if (i.exec == executor) i.exec = i.inner;
    return executor;
}

}  // namespace

Hooked hookable(const Program& program) {
    Hooked out;
    out.program = program;
    const std::vector<Instr>& code = out.program.code[kPlain];
    out.traits.resize(code.size());
    for (size_t k = 0; k < code.size(); ++k) {
        out.traits[k].index = k;
        out.traits[k].site = code[k].site;
        out.traits[k].executor = code[k].exec;
    }
    for (const OrderSite& s : program.order_sites) out.traits[s.instruction].order = s;
    for (const MemorySpan& s : program.memory_spans) {
        out.traits[s.instruction].first_memory = s.first;
        out.traits[s.instruction].memory = std::span(out.program.memory_sites).subspan(s.first, s.count);
    }
    out.table = std::make_unique<HookTable>();
    for (auto& of_kind : out.table->first)
        for (auto& of_variant : of_kind) of_variant.resize(code.size());
    return out;
}

void put_instead(Hooked& hooked, HookPlace place, Hooking hooking, const Chosen& chosen) {
    for (const Traits& traits : hooked.traits) {
        if (!chosen(traits)) continue;
        for (size_t v = 0; v < kVariants; ++v) {
            if (!place.variants[v]) continue;
            Instr& i = hooked.program.code[v][traits.index];
            Hook*& first = hooked.table->first[static_cast<size_t>(place.at)][v][traits.index];
            Hook& hook = *hooked.hooks.emplace_back(std::make_unique<Hook>());
            hook = {hooking, first, nullptr, &traits};
            if (first == nullptr && place.at == At::split) {
                hook.executor = std::exchange(i.exec, enter<At::split>);
            } else if (first == nullptr) {
                auto& of_split = hooked.table->first[static_cast<size_t>(At::split)][v];
                hook.executor = enter_lanes(i, innermost(of_split[traits.index]));
            }
            first = &hook;
        }
    }
}

}  // namespace wl::emulator
