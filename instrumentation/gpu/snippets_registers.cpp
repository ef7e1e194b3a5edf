// Registers of a warp's lanes, and a warp's stages, which have no elements.
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/snippet_parts.h"

#include <cstddef>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

// Claims a record for all 32 lanes and leaves its address in the function's register.
std::string begin_registers(const Numbers& n, const RegisterText& r) {
    return claim_for_warp(n, {32, r.count * (r.cell / n.element), std::to_string(r.cell)}) +
        share_slot_text() + fmt::format("    mov.u64 {}, slot;\n", r.slot);
}

// This lane's cell.
std::string store_register(const RegisterText& r) {
    const char type = r.floating ? 'f' : 'b';
    return fmt::format(
        R"(
    .reg .b64 cell;
    .reg .b32 lane;
    mov.u32 lane, %laneid;
    mul.wide.u32 cell, lane, {bytes};
    add.u64 cell, cell, {slot};
    st.global.{type}{bits} [cell+{at}], {value};
)",
        fmt::arg("bytes", r.cell),
        fmt::arg("slot", r.slot),
        fmt::arg("type", type),
        fmt::arg("bits", r.cell * 8),
        fmt::arg("at", sizeof(Record) + r.index * 32 * r.cell),
        fmt::arg("value", r.value)
    );
}

}  // namespace

std::string stage_text(const Names& names, const Numbers& numbers) {
    return fmt::format("    @!{} bra END;\n", names.warp_on) + iteration_text(numbers) + group_text() +
        claim_for_warp(numbers, {}) +
        "    .reg .pred none;\n    setp.eq.u64 none, slot, 0;\n    @none bra END;\n" +
        complete_text(names, "leads") + "END:\n";
}

std::string register_text(const Names& names, const Numbers& numbers, const RegisterText& reg) {
    std::string text = fmt::format("    @!{} bra END;\n", names.warp_on);
    if (reg.index == 0)
        text += fmt::format("    mov.u64 {}, 0;\n", reg.slot) + iteration_text(numbers) + group_text() +
            begin_registers(numbers, reg);
    text += fmt::format("    .reg .pred none;\n    setp.eq.u64 none, {}, 0;\n    @none bra END;\n", reg.slot);
    text += store_register(reg);
    if (reg.index + 1 == reg.count) {
        if (names.host_visible) text += "    fence.acq_rel.sys;\n";
        text += fmt::format(
            "    st.global.u32 [{slot}+{mark_at}], {mark};\n    st.global.u32 [{slot}+{site_at}], {site};\n"
            "    st.global.u32 [{slot}+{complete}], 1;\n",
            fmt::arg("slot", reg.slot),
            fmt::arg("mark_at", offsetof(Record, mark)),
            fmt::arg("mark", numbers.mark),
            fmt::arg("site_at", offsetof(Record, site)),
            fmt::arg("site", numbers.site),
            fmt::arg("complete", offsetof(Record, complete))
        );
    }
    return text + "END:\n";
}

}  // namespace wl::gpu
