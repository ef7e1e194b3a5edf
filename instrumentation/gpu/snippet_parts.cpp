// Offsets are those of Control and Record in dump.h. PTX ISA 9.0: activemask, shfl.sync, atom.
#include "instrumentation/gpu/snippet_parts.h"

#include "instrumentation/gpu/dump.h"
#include "instrumentation/ptx/edit/position.h"

#include <cstddef>
#include <fmt/format.h>

namespace wl::gpu {

std::string group_text() {
    return R"(
    .reg .b32 group, below, rank, members, leader;
    .reg .pred leads;
    activemask.b32 group;
    mov.u32 below, %lanemask_lt;
    and.b32 below, group, below;
    popc.b32 rank, below;
    popc.b32 members, group;
    brev.b32 leader, group;
    clz.b32 leader, leader;
    setp.eq.u32 leads, rank, 0;
)";
}

namespace {

// What a record begins with; its first word last.
std::string head_text(const Numbers& n) {
    return fmt::format(
        R"(
    mov.u32 iteration, {iteration};
    st.global.u64 [slot+8], block;
    st.global.u32 [slot+16], owner;
    st.global.u32 [slot+20], {mark};
    st.global.u32 [slot+24], {site};
    st.global.u32 [slot+28], group;
    st.global.u64 [slot+32], clock;
    st.global.u64 [slot+40], place;
    st.global.u32 [slot+48], rows;
    st.global.u32 [slot+52], cols;
    st.global.u32 [slot+56], pitch;
    st.global.u32 [slot+60], shared;
    st.global.u32 [slot+64], iteration;
    st.global.u64 [slot+72], bytes;
    st.global.u64 [slot], magic;
)",
        fmt::arg("iteration", n.counter.empty() ? "0" : "counted"),
        fmt::arg("mark", n.mark),
        fmt::arg("site", n.site)
    );
}

}  // namespace

std::string claim_text(const Numbers& n, const char* owner) {
    return ptx::position_text() +
        fmt::format(
               R"(
    .reg .b64 size, offset, limit, magic, clock, start, last;
    .reg .b32 mail, extended;
    .reg .pred fits;
    .reg .b32 iteration, owner;
    .reg .pred over;
    mov.u64 clock, %clock64;
    ld.global.v2.u64 {{start, limit}}, [{control}];
    mov.b32 owner, {owner};
    add.u64 size, bytes, {head};
    add.u64 size, size, {granule} - 1;
    and.b64 size, size, -{granule};
    mov.u32 extended, %dynamic_smem_size;
    mov.u32 mail, {dynamic};
    add.u32 mail, mail, extended;
    atom.shared.add.u64 slot, [mail-16], size;
    ld.volatile.shared.u64 last, [mail-8];
    add.u64 magic, slot, size;
    setp.le.u64 fits, magic, last;
    @fits bra FOUND;
    atom.global.add.u64 offset, [{control}+{claimed}], size;
    add.u64 size, size, offset;
    setp.gt.u64 over, size, limit;
    mov.u64 slot, 0;
    @over red.global.add.u64 [{control}+{dropped}], 1;
    @over bra CLAIMED;
    add.u64 slot, start, offset;
FOUND:
    sub.u64 offset, slot, start;
    xor.b64 magic, offset, {magic};
{write}CLAIMED:
)",
               fmt::arg("control", kControl),
               fmt::arg("dynamic", kDynamic),
               fmt::arg("head", sizeof(Record)),
               fmt::arg("granule", kGranule),
               fmt::arg("claimed", offsetof(Control, claimed)),
               fmt::arg("dropped", offsetof(Control, dropped)),
               fmt::arg("owner", owner),
               fmt::arg("magic", kMagic),
               fmt::arg("write", head_text(n))
        );
}

std::string claim_for_warp(const Numbers& n, const WarpRecord& r) {
    return fmt::format(
               R"(
    .reg .b64 place, bytes, slot;
    .reg .b32 rows, cols, pitch, shared;
    mov.u64 place, {place};
    mov.b32 rows, {rows};
    mov.b32 cols, {cols};
    mov.b32 pitch, {pitch};
    mov.b32 shared, 0;
    mov.u64 bytes, {bytes};
    mov.u64 slot, 0;
    @!leads bra CLAIMED;
)",
               fmt::arg("place", r.place),
               fmt::arg("rows", r.rows),
               fmt::arg("cols", r.cols),
               fmt::arg("pitch", r.pitch),
               fmt::arg("bytes", r.rows * r.cols * n.element)
           ) +
        claim_text(n, "warp");
}

std::string iteration_text(const Numbers& n) {
    if (n.counter.empty()) return {};
    return fmt::format(
        R"(
    .reg .b32 counted, wanted;
    .reg .pred unwanted;
    mov.u32 counted, {counter};
    add.u32 {counter}, {counter}, 1;
    ld.global.u32 wanted, [{control}+{first}];
    setp.lt.u32 unwanted, counted, wanted;
    @unwanted bra END;
    ld.global.u32 wanted, [{control}+{end}];
    setp.ge.u32 unwanted, counted, wanted;
    @unwanted bra END;
)",
        fmt::arg("counter", n.counter),
        fmt::arg("control", kControl),
        fmt::arg("first", n.by_epoch ? offsetof(Control, first_epoch) : offsetof(Control, first_iteration)),
        fmt::arg("end", n.by_epoch ? offsetof(Control, end_epoch) : offsetof(Control, end_iteration))
    );
}

std::string share_slot_text() {
    return R"(
    .reg .b32 slot_low, slot_high;
    mov.b64 {slot_low, slot_high}, slot;
    shfl.sync.idx.b32 slot_low, slot_low, leader, 31, group;
    shfl.sync.idx.b32 slot_high, slot_high, leader, 31, group;
    mov.b64 slot, {slot_low, slot_high};
)";
}

std::string complete_text(const Names& names, const char* guard) {
    return fmt::format(
        "    @{} st.global.u32 [slot+{}], 1;\n{}",
        guard,
        offsetof(Record, complete),
        names.host_visible ? "    fence.acq_rel.sys;\n" : ""
    );
}

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

std::string prologue_text(const Names& names, bool mailbox) {
    std::string text = ptx::position_text() +
        fmt::format(
                           R"(
    .reg .b64 first, end;
    ld.global.u64 first, [{control}+{first}];
    setp.ge.u64 {on}, block, first;
    ld.global.u64 end, [{control}+{end}];
    setp.lt.and.u64 {on}, block, end, {on};
    .reg .b64 warps;
)",
                           fmt::arg("control", kControl),
                           fmt::arg("first", offsetof(Control, first_block)),
                           fmt::arg("end", offsetof(Control, end_block)),
                           fmt::arg("on", names.on)
        ) +
        chosen_warp_text(names, names.warp_on, offsetof(Control, warps));
    if (!names.store_on.empty())
        text += chosen_warp_text(names, names.store_on, offsetof(Control, store_warps));
    if (!names.epoch.empty()) text += fmt::format("    mov.u32 {}, 0;\n", names.epoch);
    if (!mailbox) return text;
    return text +
        fmt::format(
               R"(
    .reg .b32 mail, extended;
    .reg .b64 start, limit, offset, next, last;
    .reg .pred follows, over;
    @!{on} bra READY;
    setp.ne.u32 follows, tid, 0;
    @follows bra MEET;
    mov.u32 extended, %dynamic_smem_size;
    mov.u32 mail, {dynamic};
    add.u32 mail, mail, extended;
    ld.global.v2.u64 {{start, limit}}, [{control}];
    ld.global.u64 part, [{control}+{part}];
    atom.global.add.u64 offset, [{control}+{claimed}], part;
    add.u64 next, start, offset;
    add.u64 last, next, part;
    add.u64 offset, offset, part;
    setp.gt.u64 over, offset, limit;
    @over mov.u64 next, 0;
    @over mov.u64 last, 0;
    st.shared.u32 [mail-{mailbox}], 0;
    st.shared.u64 [mail-16], next;
    st.shared.u64 [mail-8], last;
MEET:
    barrier.sync {barrier};
READY:
)",
               fmt::arg("on", names.on),
               fmt::arg("dynamic", kDynamic),
               fmt::arg("control", kControl),
               fmt::arg("part", offsetof(Control, part)),
               fmt::arg("claimed", offsetof(Control, claimed)),
               fmt::arg("mailbox", kMailboxBytes),
               fmt::arg("barrier", names.barrier)
        );
}

}  // namespace wl::gpu
