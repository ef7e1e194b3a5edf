// Matrices in memory: of a block between barriers, of a warp where it stands. PTX ISA 9.0: barrier.sync.
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/snippet_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

// The matrix of a mark: what does not make sense has no elements.
std::string matrix_text(const Numbers& n, const MatrixText& m) {
    return fmt::format(
        R"(
    .reg .b64 address, place, bytes, slot;
    .reg .b32 rows, cols, pitch, shared, threads;
    .reg .pred senseless, in_shared;
    mov.b64 address, {address};
    mov.b32 rows, {rows};
    mov.b32 cols, {cols};
    mov.b32 pitch, {ld};
    mul.wide.s32 bytes, rows, cols;
    setp.gt.s64 senseless, bytes, {most};
    setp.lt.or.s32 senseless, rows, 0, senseless;
    setp.lt.or.s32 senseless, cols, 0, senseless;
    @senseless mov.b32 rows, 0;
    @senseless mov.b32 cols, 0;
    mul.wide.s32 bytes, rows, cols;
    mul.lo.u64 bytes, bytes, {element};
    mov.b64 place, address;
    isspacep.shared in_shared, address;
    selp.b32 shared, 1, 0, in_shared;
    @in_shared cvta.to.shared.u64 place, address;
)",
        fmt::arg("address", m.address),
        fmt::arg("rows", m.rows),
        fmt::arg("cols", m.cols),
        fmt::arg("ld", m.ld),
        fmt::arg("element", n.element),
        fmt::arg("most", execution::kMostTileElements)
    );
}

// The threads of the block agree who copies what, and where to: some have left, or there is no room.
std::string agree_text(const Names& names) {
    return fmt::format(
               R"(
    .reg .b32 box, extent, base;
    barrier.sync {barrier};
    activemask.b32 group;
    mov.u32 extent, %dynamic_smem_size;
    mov.u32 box, {dynamic};
    add.u32 box, box, extent;
)",
               fmt::arg("dynamic", kDynamic),
               fmt::arg("barrier", names.barrier)
           ) +
        group_values() +
        fmt::format(
               R"(
    mov.b32 base, 0;
    @leads atom.shared.add.u32 base, [box-{mailbox}], members;
    shfl.sync.idx.b32 base, base, leader, 31, group;
    add.u32 rank, rank, base;
    setp.eq.u32 leads, rank, 0;
    mov.u64 slot, 0;
    @!leads bra CLAIMED;
)",
               fmt::arg("mailbox", kMailboxBytes)
        ) +
        ask_text() +
        fmt::format(
               R"(
CLAIMED:
    @leads st.shared.u64 [box-24], slot;
    barrier.sync {barrier};
    ld.volatile.shared.u32 threads, [box-{mailbox}];
    ld.volatile.shared.u64 slot, [box-24];
    barrier.sync {barrier};
    @leads st.shared.u32 [box-{mailbox}], 0;
    setp.eq.u64 none, slot, 0;
    @none bra END;
)",
               fmt::arg("barrier", names.barrier),
               fmt::arg("mailbox", kMailboxBytes)
        );
}

// All threads of the block come together, and look whether they are all, in whole warps. What they see counts
// for the tiles behind this one to which they need not come together again.
std::string meet_text(const Names& names) {
    return fmt::format(
        R"(
    .reg .b32 count;
    .reg .pred together;
    setp.eq.u32 together, group, -1;
    @!together bra APART;
    barrier.red.popc.aligned.u32 count, {barrier}, together;
    bra MET;
APART:
    barrier.red.popc.u32 count, {barrier}, together;
MET:
    setp.eq.u32 {all}, count, {threads};
)",
        fmt::arg("barrier", names.barrier),
        fmt::arg("all", names.all_here),
        fmt::arg("threads", names.threads)
    );
}

std::string quick_block_claim(const Names& names, const Known& known) {
    return fmt::format(
        R"(
    .reg .pred quick;
    setp.ge.and.u32 quick, {left}, {size}, {all};
    @!quick bra AGREE;
    mov.u64 slot, {next};
    add.u64 {next}, {next}, {size};
    sub.u32 {left}, {left}, {size};
    mov.b32 rank, {tid};
    mov.b32 threads, {threads};
    setp.eq.u32 leads, rank, 0;
    bra CLAIMED_ALL;
AGREE:
)",
        fmt::arg("left", names.tile_left),
        fmt::arg("next", names.tile_next),
        fmt::arg("size", record_bytes(known.bytes)),
        fmt::arg("all", names.all_here),
        fmt::arg("tid", names.tid),
        fmt::arg("threads", names.threads)
    );
}

// Nobody writes before all have read.
std::string part_text(const Names& names, bool quick, bool meets) {
    if (!quick) return fmt::format("    barrier.sync {};\n", names.barrier);
    return fmt::format(
        "    @quick bra QUICK;\n    barrier.sync {0};\n    bra PARTED;\nQUICK:\n{1}PARTED:\n",
        names.barrier,
        meets ? fmt::format("    barrier.sync.aligned {};\n", names.barrier) : ""
    );
}

}  // namespace

std::string block_tile_text(const Names& names, const Numbers& numbers, const MatrixText& matrix) {
    const Known known = known_of(numbers, matrix, std::max(names.threads, 1u));
    const bool quick = known.bytes != 0 && !names.tile_next.empty();
    std::string text = fmt::format("    @!{} bra END;\n", names.on) + iteration_text(numbers);
    text += group_registers() + "    activemask.b32 group;\n";
    if (quick && matrix.meets_before) text += meet_text(names);
    text += matrix_text(numbers, matrix);
    if (quick) text += quick_block_claim(names, known);
    text += agree_text(names);
    if (quick) text += "CLAIMED_ALL:\n";
    const std::string head = head_text(names, numbers, "leads", "-1", !names.host_visible);
    const bool meets_early = matrix.meets_behind && !names.host_visible;
    const std::string early = meets_early ? fmt::format("    barrier.sync.aligned {};\n", names.barrier) : "";
    text += copies_text(numbers, known, names.threads, {quick, head, early + head});
    if (names.host_visible) text += "TAKEN:\n    fence.acq_rel.sys;\n";
    text += part_text(names, quick, matrix.meets_behind);
    text += names.host_visible ? complete_text(names, "leads") : "TAKEN:\n";
    return text + "END:\n";
}

std::string warp_tile_text(const Names& names, const Numbers& numbers, const MatrixText& matrix) {
    const Known known = known_of(numbers, matrix, 32);
    const bool quick = known.bytes != 0 && !names.warp_next.empty();
    std::string text = fmt::format("    @!{} bra END;\n", names.warp_on) + iteration_text(numbers);
    text += matrix_text(numbers, matrix);
    text += claim_matrix_for_warp(names, numbers, known.bytes, !names.host_visible);
    text += "    bar.warp.sync group;\n    mov.b32 threads, members;\n";
    text += copies_text(numbers, known, 32, {.quick = quick}) + "TAKEN:\n";
    if (names.host_visible) text += "    fence.acq_rel.sys;\n";
    text += "    bar.warp.sync group;\n";
    if (names.host_visible) text += complete_text(names, "leads");
    return text + "END:\n";
}

}  // namespace wl::gpu
