// Slots of registers in a warp's file.
#include "instrumentation/emulator/lowering.h"

#include <algorithm>

namespace wl::emulator {

namespace {

size_t written_by_form(const ptx::Instruction& in) {
    using ptx::Op;
    switch (in.op) {
        case Op::st:
        case Op::red:
        case Op::bra:
        case Op::brx_idx:
        case Op::ret:
        case Op::exit:
        case Op::trap:
        case Op::mark:
        case Op::membar:
        case Op::fence:
        case Op::cp_async:
        case Op::cp_async_commit_group:
        case Op::cp_async_wait_group:
        case Op::cp_async_wait_all:
        case Op::bar_warp_sync:
        case Op::prefetch:
        case Op::prefetchu:
        case Op::discard:
        case Op::applypriority:
        case Op::nanosleep: return 0;
        case Op::bar: return in.modifiers.mode == ptx::Mode::red ? 1 : 0;
        default: return in.modifiers.pair ? 2 : 1;
    }
}

}  // namespace

size_t destination_count(const ptx::Instruction& in) {
    return std::min(written_by_form(in), in.operands.size());
}

std::vector<uint32_t> assign_registers(const ptx::Function& function, RegisterFile& file) {
    std::vector<uint32_t> slots(function.registers.size());
    uint32_t end = 0;
    const auto place = [&](uint32_t bytes, auto wanted) {
        for (size_t k = 0; k < slots.size(); ++k) {
            if (!wanted(function.registers[k].type)) continue;
            slots[k] = end;
            end += bytes;
        }
    };
    const auto is_predicate = [](ptx::Type t) { return t == ptx::Type::pred; };
    place(4, is_predicate);
    end = (end + 127) / 128 * 128;
    place(kLanes * 4, [&](ptx::Type t) { return !is_predicate(t) && ptx::bytes_of(t) < 8; });
    end = (end + 255) / 256 * 256;
    place(kLanes * 8, [](ptx::Type t) { return ptx::bytes_of(t) == 8; });
    place(2 * kPlane, [](ptx::Type t) { return ptx::bytes_of(t) == 16; });
    file.bytes = end;
    return slots;
}

}  // namespace wl::emulator
