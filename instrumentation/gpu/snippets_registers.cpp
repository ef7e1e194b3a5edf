// Registers of a warp's lanes, and a warp's stages, which have no elements.
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/snippet_parts.h"

#include <cstddef>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

// Where register `index` of a fragment lies in the record: its vector is `width` registers wide and begins
// with register `first`.
struct Place {
    uint32_t first = 0, width = 1;
};

Place place_of(const RegisterText& r, uint32_t index) {
    Place p;
    for (const uint32_t width : vectors_of(r.count, r.cell)) {
        p.width = width;
        if (index < p.first + width) break;
        p.first += width;
    }
    return p;
}

// The lanes' cells: whole vectors where all their registers are here, else one by one.
std::string store_registers(const RegisterText& r) {
    const std::string type = fmt::format("{}{}", r.floating ? 'f' : 'b', r.cell * 8);
    std::string text = "    .reg .b64 cell1, cell2, cell4;\n";
    for (const uint32_t width : {1u, 2u, 4u})
        text += fmt::format("    mad.wide.u32 cell{0}, lane, {1}, slot;\n", width, width * r.cell);
    for (size_t k = 0; k < r.values.size();) {
        const Place p = place_of(r, r.values[k].index);
        const uint32_t within = r.values[k].index - p.first;
        const size_t at = sizeof(Record) + size_t{p.first} * 32 * r.cell + size_t{within} * r.cell;
        const bool whole = within == 0 && p.width > 1 && k + p.width <= r.values.size();
        std::string value = r.values[k].text;
        for (size_t j = 1; whole && j < p.width; ++j) value += ", " + r.values[k + j].text;
        text += whole
            ? fmt::format("    st.global.v{0}.{1} [cell{0}+{2}], {{{3}}};\n", p.width, type, at, value)
            : fmt::format("    st.global.{1} [cell{0}+{2}], {3};\n", p.width, type, at, value);
        k += whole ? p.width : 1;
    }
    return text;
}

// Other marks of the fragment stand elsewhere: the address is kept for them.
std::string parted_text(const Names& names, const Numbers& numbers, const RegisterText& r) {
    std::string text;
    if (r.is_first())
        text += fmt::format("    mov.u64 {}, 0;\n", r.slot) + iteration_text(numbers) +
            claim_for_warp(
                    names, numbers, {32, r.count * (r.cell / numbers.element), std::to_string(r.cell)}
            ) +
            fmt::format("    mov.u64 {}, slot;\n", r.slot);
    else
        text += fmt::format(
            "    .reg .b32 lane;\n    .reg .b64 slot;\n    .reg .pred none;\n    and.b32 lane, {1}, 31;\n    "
            "mov.u64 slot, {0};\n    setp.eq.u64 none, slot, 0;\n    @none bra END;\n",
            r.slot,
            names.tid
        );
    text += store_registers(r);
    if (!r.is_last()) return text;
    if (names.host_visible) text += "    fence.acq_rel.sys;\n";
    return text +
        fmt::format(
               "    st.global.u32 [slot+{}], {};\n    st.global.u32 [slot+{}], {};\n    st.global.u32 "
               "[slot+{}], 1;\n",
               offsetof(Record, mark),
               numbers.mark,
               offsetof(Record, site),
               numbers.site,
               offsetof(Record, complete)
        );
}

}  // namespace

std::string stage_text(const Names& names, const Numbers& numbers) {
    return fmt::format("    @!{} bra END;\n", names.warp_on) + iteration_text(numbers) +
        claim_for_warp(names, numbers, {.whole = true}) +
        (names.host_visible ? "    fence.acq_rel.sys;\n" : "") + "END:\n";
}

std::string register_text(const Names& names, const Numbers& numbers, const RegisterText& r) {
    std::string text = fmt::format("    @!{} bra END;\n", names.warp_on);
    if (!r.is_first() || !r.is_last()) return text + parted_text(names, numbers, r) + "END:\n";
    const WarpRecord record{
        .rows = 32,
        .cols = r.count * (r.cell / numbers.element),
        .pitch = std::to_string(r.cell),
        .whole = !names.host_visible};
    text += iteration_text(numbers) + claim_for_warp(names, numbers, record) + store_registers(r);
    if (names.host_visible)
        text += "    fence.acq_rel.sys;\n    bar.warp.sync group;\n" + complete_text(names, "leads");
    return text + "END:\n";
}

}  // namespace wl::gpu
