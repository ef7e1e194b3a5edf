// Offsets are those of Control and Record in dump.h. PTX ISA 9.0: activemask, shfl.sync, atom.
#include "instrumentation/gpu/snippet_parts.h"

#include "instrumentation/gpu/dump.h"

#include <cstddef>
#include <fmt/format.h>

namespace wl::gpu {

uint32_t record_bytes(uint32_t elements) {
    return static_cast<uint32_t>((sizeof(Record) + elements + kGranule - 1) / kGranule * kGranule);
}

std::string group_registers() {
    return "    .reg .b32 group, below, rank, members, leader, lane, warp;\n    .reg .pred leads, none;\n";
}

std::string group_values() {
    return R"(
    mov.u32 below, %lanemask_lt;
    and.b32 below, group, below;
    popc.b32 rank, below;
    popc.b32 members, group;
    brev.b32 leader, group;
    clz.b32 leader, leader;
    setp.eq.u32 leads, rank, 0;
)";
}

// A vector of words at a time; the first word last.
std::string head_text(
    const Names& names, const Numbers& n, const char* guard, const char* owner, bool whole
) {
    return fmt::format(
        R"(
    {{
    .reg .b64 magic, clock;
    .reg .b32 h_owner, h_mark, h_site, h_iteration, h_whole, h_low, h_high;
    mov.u64 clock, %clock64;
    xor.b64 magic, slot, {magic};
    mov.b32 h_owner, {owner};
    mov.b32 h_mark, {mark};
    mov.b32 h_site, {site};
    mov.u32 h_iteration, {iteration};
    mov.b32 h_whole, {whole};
    mov.b64 {{h_low, h_high}}, bytes;
    @{guard} st.global.v4.b32 [slot+16], {{h_owner, h_mark, h_site, group}};
    @{guard} st.global.v2.b64 [slot+32], {{clock, place}};
    @{guard} st.global.v4.b32 [slot+48], {{rows, cols, pitch, shared}};
    @{guard} st.global.v4.b32 [slot+64], {{h_iteration, h_whole, h_low, h_high}};
    @{guard} st.global.v2.b64 [slot], {{magic, {block}}};
    }}
)",
        fmt::arg("magic", kMagic),
        fmt::arg("owner", owner),
        fmt::arg("mark", n.mark),
        fmt::arg("site", n.site),
        fmt::arg("iteration", n.counter.empty() ? "0" : "counted"),
        fmt::arg("whole", whole ? 1 : 0),
        fmt::arg("guard", guard),
        fmt::arg("block", names.block)
    );
}

// From what is left of the block's part; where that is too little, from what lies behind all parts.
std::string ask_text() {
    return fmt::format(
        R"(
    .reg .b64 size, offset, start, limit, first, end, part;
    .reg .b32 mail, extended, granules, given, most;
    .reg .pred fits, over;
    add.u64 size, bytes, {head} + {granule} - 1;
    and.b64 size, size, -{granule};
    shr.u64 offset, size, 6;
    cvt.u32.u64 granules, offset;
    mov.u32 extended, %dynamic_smem_size;
    mov.u32 mail, {dynamic};
    add.u32 mail, mail, extended;
    atom.shared.add.u32 given, [mail-28], granules;
    ld.volatile.shared.u64 slot, [mail-16];
    ld.volatile.shared.u32 most, [mail-8];
    cvt.u64.u32 start, given;
    add.u64 limit, start, offset;
    cvt.u64.u32 end, most;
    setp.le.u64 fits, limit, end;
    shl.b64 start, start, 6;
    add.u64 slot, slot, start;
    @fits bra CLAIMED;
    atom.global.add.u64 offset, [{control}+{claimed}], size;
    ld.global.v2.u64 {{start, limit}}, [{control}];
    ld.global.v2.u64 {{first, end}}, [{control}+{first}];
    ld.global.u64 part, [{control}+{part}];
    sub.u64 end, end, first;
    mad.lo.u64 offset, end, part, offset;
    add.u64 size, size, offset;
    setp.gt.u64 over, size, limit;
    mov.u64 slot, 0;
    @over red.global.add.u64 [{control}+{dropped}], 1;
    @over bra CLAIMED;
    add.u64 slot, start, offset;
)",
        fmt::arg("control", kControl),
        fmt::arg("dynamic", kDynamic),
        fmt::arg("head", sizeof(Record)),
        fmt::arg("granule", kGranule),
        fmt::arg("claimed", offsetof(Control, claimed)),
        fmt::arg("dropped", offsetof(Control, dropped)),
        fmt::arg("first", offsetof(Control, first_block)),
        fmt::arg("part", offsetof(Control, part))
    );
}
static_assert(kGranule == 64);

namespace {

// All lanes of the warp together, and there is room in its share.
std::string quick_claim_text(const Names& names, uint32_t known) {
    return fmt::format(
        R"(
    .reg .pred quick;
    setp.eq.u32 leads, lane, 0;
    mov.b32 rank, lane;
    mov.b32 members, 32;
    setp.eq.u32 quick, group, -1;
    setp.ge.and.u32 quick, {left}, {size}, quick;
    @!quick bra ASK;
    mov.u64 slot, {next};
    add.u64 {next}, {next}, {size};
    sub.u32 {left}, {left}, {size};
    bra HEAD;
ASK:
)",
        fmt::arg("left", names.warp_left),
        fmt::arg("next", names.warp_next),
        fmt::arg("size", record_bytes(known))
    );
}

// The leader's `slot` becomes that of all lanes of the group.
std::string share_slot_text() {
    return R"(
    .reg .b32 slot_low, slot_high;
    mov.b64 {slot_low, slot_high}, slot;
    shfl.sync.idx.b32 slot_low, slot_low, leader, 31, group;
    shfl.sync.idx.b32 slot_high, slot_high, leader, 31, group;
    mov.b64 slot, {slot_low, slot_high};
    setp.eq.u64 none, slot, 0;
    @none bra END;
)";
}

}  // namespace

std::string claim_matrix_for_warp(const Names& names, const Numbers& n, uint32_t known, bool whole) {
    const bool quick = known != 0 && !names.warp_next.empty();
    std::string text = group_registers() +
        fmt::format("    activemask.b32 group;\n    shr.u32 warp, {0}, 5;\n    and.b32 lane, {0}, 31;\n",
                    names.tid);
    if (quick) text += quick_claim_text(names, known);
    text += group_values() + "    mov.u64 slot, 0;\n    @!leads bra CLAIMED;\n" + ask_text() + "CLAIMED:\n";
    text += share_slot_text();
    if (quick) text += "HEAD:\n";
    return text + head_text(names, n, "leads", "warp", whole);
}

std::string claim_for_warp(const Names& names, const Numbers& n, const WarpRecord& r) {
    const uint32_t bytes = r.rows * r.cols * n.element;
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
)",
               fmt::arg("place", r.place),
               fmt::arg("rows", r.rows),
               fmt::arg("cols", r.cols),
               fmt::arg("pitch", r.pitch),
               fmt::arg("bytes", bytes)
           ) +
        claim_matrix_for_warp(names, n, bytes, r.whole);
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

std::string complete_text(const Names& names, const char* guard) {
    return fmt::format(
        "    @{} st.global.u32 [slot+{}], 1;\n{}",
        guard,
        offsetof(Record, complete),
        names.host_visible ? "    fence.acq_rel.sys;\n" : ""
    );
}

}  // namespace wl::gpu
