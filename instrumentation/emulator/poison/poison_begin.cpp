// What a block, and an activation of a function, begins with.
#include "instrumentation/emulator/device.h"
#include "instrumentation/emulator/poison/poison_state.h"

#include <algorithm>

namespace wl::emulator {

void begin_poison(Poison& p, const Block& block) {
    p.frames.clear();
    p.frame = nullptr;
    const size_t shared = block.shared.size();
    p.shared.bits.assign(shared, unset(p));
    p.shared.birth.assign(shared, kUnread);
    for (const SharedVariable& v : block.context.program->shared_variables)
        if (v.name == kReservedVariable) std::fill_n(p.shared.bits.begin() + v.offset, v.bytes, uint8_t{0});
    p.local.assign(block.warps.size() * kLanes, {});
}

namespace {

// Nobody has set the register of any lane.
void forget_all_lanes(TaintedRegisters& r, uint32_t slot, ptx::Type type, uint32_t bits) {
    const uint32_t bytes = std::max(4u, ptx::bytes_of(type));
    const size_t first = slot / 4, cells = type == ptx::Type::pred ? 1 : size_t{bytes} / 4 * kLanes;
    if (first + cells > r.bits.size()) return;
    std::fill_n(r.bits.begin() + static_cast<std::ptrdiff_t>(first), cells, bits);
    std::fill_n(r.birth.begin() + static_cast<std::ptrdiff_t>(first), cells, kUnread);
}

}  // namespace

void enter_function(Poison& p, const FunctionCode& function, uint32_t lanes) {
    TaintedRegisters& r = *p.registers;
    const size_t cells = function.file.constants / 4;
    const uint64_t all_bits = p.reads != nullptr ? 0 : ~uint64_t{0};
    const auto bits = static_cast<uint32_t>(all_bits);
    if (r.bits.empty()) {
        r.bits.assign(cells, bits);
        r.birth.assign(cells, kUnread);
    }
    r.entered |= lanes;
    const auto function_index =
        static_cast<size_t>(&function - p.warp->block->context.program->functions.data());
    const PoisonFunction& f = p.plan->functions[function_index];
    for (size_t k = 0; k < f.slots.size(); ++k) {
        const ptx::Type t = f.source->registers[k].type;
        if (lanes == kAllLanes) {
            forget_all_lanes(r, f.slots[k], t, bits);
            continue;
        }
        const uint32_t bytes = ptx::bytes_of(t) < 8 ? 4 : 8;
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            const int lane = first_lane(rest);
            if (t == ptx::Type::pred) {
                write_taint(p, {f.slots[k], 1}, lane, {all_bits & 1, kUnread});
                continue;
            }
            for (uint32_t plane = 0; plane < std::max(1u, ptx::bytes_of(t) / 8); ++plane)
                write_cell(p, f.slots[k] + plane * kLanes * 8, bytes, lane, {all_bits, kUnread});
        }
    }
    for (const ParamPlace& param : function.params)
        if (param.in == ParamPlace::In::cell || param.in == ParamPlace::In::wide)
            clear(p, {param.at, static_cast<uint8_t>(param.in == ParamPlace::In::cell ? 32 : 64)}, lanes);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(first_lane(rest));
        TaintedBytes& t = p.local[static_cast<size_t>(p.warp->index * kLanes) + lane];
        const size_t base = std::min<size_t>(p.warp->frame->base[lane], t.bits.size());
        const size_t end = std::min<size_t>(base + function.local_bytes, t.bits.size());
        for (size_t at = base; at < end; ++at) {
            t.bits[at] = unset(p);
            t.birth[at] = kUnread;
        }
    }
}

}  // namespace wl::emulator
