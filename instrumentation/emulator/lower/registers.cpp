// Slots of registers in a warp's file.
#include "instrumentation/base/error.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

std::vector<uint32_t> assign_registers(const ptx::Function& function, RegisterFile& file) {
    constexpr size_t kMost = 1'000'000;  // their slots fit 32 bits
    if (function.registers.size() > kMost)
        throw Unsupported(
            "unsupported: " + std::to_string(function.registers.size()) + " registers in " + function.name
        );
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
