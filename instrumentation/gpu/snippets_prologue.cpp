// What a function does before its first instruction. Offsets are those of Control in dump.h.
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/snippets.h"
#include "instrumentation/ptx/edit/position.h"

#include <cstddef>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

// Is this warp's bit set in the control's mask?
std::string chosen_warp_text(const Names& names, const std::string& chosen, size_t mask) {
    return fmt::format(
        R"(
    ld.global.u64 warps, [{control}+{mask}];
    shr.b64 warps, warps, warp;
    and.b64 warps, warps, 1;
    setp.ne.and.u64 {chosen}, warps, 0, {on};
)",
        fmt::arg("control", kControl),
        fmt::arg("mask", mask),
        fmt::arg("chosen", chosen),
        fmt::arg("on", names.on)
    );
}

}  // namespace

namespace {

// `part` is declared by position_text. The block's part of the buffer is shared out among its tiles, its
// warps, and who asks.
std::string shares_text(const Names& names) {
    std::string text = fmt::format(
        R"(
    .reg .b64 start, limit, before;
    .reg .b32 tile_share, warp_share, warps_here, rest, mail, extended;
    .reg .pred follows;
    ld.global.v2.u64 {{start, limit}}, [{control}];
    ld.global.u64 part, [{control}+{part}];
    ld.global.v2.u32 {{tile_share, warp_share}}, [{control}+{shares}];
    sub.u64 before, block, first;
    mad.lo.u64 start, before, part, start;
)",
        fmt::arg("control", kControl),
        fmt::arg("part", offsetof(Control, part)),
        fmt::arg("shares", offsetof(Control, tile_share))
    );
    if (!names.tile_next.empty())
        text += fmt::format(
            "    mov.u64 {}, start;\n    mov.u32 {}, tile_share;\n", names.tile_next, names.tile_left
        );
    text += R"(
    cvt.u64.u32 before, tile_share;
    add.u64 start, start, before;
    sub.u64 part, part, before;
)";
    if (!names.warp_next.empty())
        text += fmt::format(
            "    mul.wide.u32 before, warp, warp_share;\n    add.u64 {}, start, before;\n    mov.u32 {}, "
            "warp_share;\n",
            names.warp_next,
            names.warp_left
        );
    return text;
}

// Thread 0 puts the rest where all can ask for it.
std::string mailbox_text(const Names& names) {
    return fmt::format(
        R"(
    setp.ne.u32 follows, tid, 0;
    @follows bra MEET;
    mov.u32 warps_here, %ntid.z;
    mul.lo.u32 warps_here, warps_here, ny;
    mul.lo.u32 warps_here, warps_here, nx;
    add.u32 warps_here, warps_here, 31;
    shr.u32 warps_here, warps_here, 5;
    mul.wide.u32 before, warps_here, warp_share;
    add.u64 start, start, before;
    sub.u64 part, part, before;
    shr.u64 part, part, 6;
    cvt.u32.u64 rest, part;
    mov.u32 extended, %dynamic_smem_size;
    mov.u32 mail, {dynamic};
    add.u32 mail, mail, extended;
    mov.u64 before, 0;
    st.shared.u64 [mail-{mailbox}], before;
    st.shared.u64 [mail-16], start;
    st.shared.u32 [mail-8], rest;
MEET:
    barrier.sync {barrier};
)",
        fmt::arg("dynamic", kDynamic),
        fmt::arg("mailbox", kMailboxBytes),
        fmt::arg("barrier", names.barrier)
    );
}

}  // namespace

std::string prologue_text(const Names& names, bool is_entry) {
    std::string text = ptx::position_text() +
        fmt::format(
                           R"(
    .reg .b64 first, end, warps;
    mov.u32 {tid}, tid;
    mov.u64 {block}, block;
    ld.global.v2.u64 {{first, end}}, [{control}+{first}];
    setp.ge.u64 {on}, block, first;
    setp.lt.and.u64 {on}, block, end, {on};
)",
                           fmt::arg("tid", names.tid),
                           fmt::arg("block", names.block),
                           fmt::arg("control", kControl),
                           fmt::arg("first", offsetof(Control, first_block)),
                           fmt::arg("on", names.on)
        ) +
        chosen_warp_text(names, names.warp_on, offsetof(Control, warps));
    if (!names.store_on.empty())
        text += chosen_warp_text(names, names.store_on, offsetof(Control, store_warps));
    if (!names.epoch.empty()) text += fmt::format("    mov.u32 {}, 0;\n", names.epoch);
    if (!is_entry) return text;
    for (const std::string& next : {names.tile_next, names.warp_next})
        if (!next.empty()) text += fmt::format("    mov.u64 {}, 0;\n", next);
    for (const std::string& left : {names.tile_left, names.warp_left})
        if (!left.empty()) text += fmt::format("    mov.u32 {}, 0;\n", left);
    text += fmt::format("    @!{} bra READY;\n", names.on);
    return text + shares_text(names) + mailbox_text(names) + "READY:\n";
}

}  // namespace wl::gpu
