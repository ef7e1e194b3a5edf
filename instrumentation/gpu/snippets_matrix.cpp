// Matrices in memory: of a block between barriers, of a warp where it stands. PTX ISA 9.0: barrier.sync.
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/snippet_parts.h"

#include <fmt/format.h>

namespace wl::gpu {
namespace {

// The matrix of a mark: what does not make sense has no elements.
std::string matrix_text(const Numbers& n, const MatrixText& m) {
    return fmt::format(
        R"(
    .reg .b64 address, place, bytes, slot;
    .reg .b32 rows, cols, pitch, shared;
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

constexpr int kAtOnce = 4;  // loads in flight

// One step of a thread through the matrix: it keeps the place where it is, and goes on by `threads` units.
std::string step_text(int k, uint32_t bytes) {
    return fmt::format(
        R"(
    setp.lt.u32 there{k}, e, total;
    cvt.u64.u32 from{k}, row;
    mul.lo.u64 from{k}, from{k}, stride;
    add.u64 from{k}, from{k}, address;
    mul.wide.u32 to{k}, col, {bytes};
    add.u64 from{k}, from{k}, to{k};
    mul.wide.u32 to{k}, e, {bytes};
    add.u64 to{k}, to{k}, slot;
    add.u32 e, e, threads;
    add.u32 row, row, row_step;
    add.u32 col, col, col_step;
    setp.ge.u32 wraps, col, units;
    @wraps sub.u32 col, col, units;
    @wraps add.u32 row, row, 1;
)",
        fmt::arg("k", k),
        fmt::arg("bytes", bytes)
    );
}

std::string value_of(int k, const char* type) {
    return std::string(type).starts_with("v4") ? fmt::format("{{v{0}a, v{0}b, v{0}c, v{0}d}}", k)
        : std::string(type) == "u64"           ? fmt::format("wide{}", k)
                                               : fmt::format("v{}a", k);
}

// Units of `bytes` each from a matrix to the record, by `threads` threads of which this is number `rank`.
std::string copy_loop(const char* label, uint32_t bytes, const char* type) {
    std::string text = fmt::format(
        R"(
    div.u32 units, row_bytes, {bytes};
    mul.lo.u32 total, units, rows;
    setp.eq.u32 finished, total, 0;
    @finished bra COPIED;
    mov.b32 e, rank;
    div.u32 row, rank, units;
    mul.lo.u32 col, row, units;
    sub.u32 col, rank, col;
    div.u32 row_step, threads, units;
    mul.lo.u32 col_step, row_step, units;
    sub.u32 col_step, threads, col_step;
{label}:
    setp.ge.u32 finished, e, total;
    @finished bra COPIED;
)",
        fmt::arg("bytes", bytes),
        fmt::arg("label", label)
    );
    for (int k = 0; k < kAtOnce; ++k) text += step_text(k, bytes);
    for (int k = 0; k < kAtOnce; ++k)
        text += fmt::format("    @there{0} ld.{1} {2}, [from{0}];\n", k, type, value_of(k, type));
    for (int k = 0; k < kAtOnce; ++k)
        text += fmt::format(
            "    @there{0} st.global.{1} [to{0}+{2}], {3};\n", k, type, sizeof(Record), value_of(k, type)
        );
    return text + fmt::format("    bra {};\n", label);
}

std::string copy_text(const Numbers& n) {
    std::string text = R"(
    .reg .b32 row_bytes, units, total, e, row, col, row_step, col_step;
    .reg .b64 stride, low;
    .reg .pred finished, narrow, wraps;
)";
    for (int k = 0; k < kAtOnce; ++k)
        text += fmt::format(
            "    .reg .b32 v{0}a, v{0}b, v{0}c, v{0}d;\n    .reg .b64 from{0}, to{0}, wide{0};\n    .reg "
            ".pred there{0};\n",
            k
        );
    text += fmt::format(
        R"(
    mul.lo.u32 row_bytes, cols, {element};
    mul.wide.s32 stride, pitch, {element};
    cvt.u64.u32 low, row_bytes;
    or.b64 low, low, stride;
    or.b64 low, low, address;
    and.b64 low, low, 15;
    setp.ne.u64 narrow, low, 0;
    @narrow bra NARROW;
)",
        fmt::arg("element", n.element)
    );
    const char* const type = n.element == 1 ? "u8" : n.element == 2 ? "u16" : n.element == 4 ? "u32" : "u64";
    return text + copy_loop("WIDE", 16, "v4.u32") + "NARROW:\n" + copy_loop("SINGLE", n.element, type) +
        "COPIED:\n";
}

}  // namespace

std::string block_tile_text(const Names& names, const Numbers& numbers, const MatrixText& matrix) {
    std::string text = fmt::format("    @!{} bra END;\n", names.on) + iteration_text(numbers);
    text += fmt::format("    barrier.sync {};\n", names.barrier) + group_text();
    text += fmt::format(
        R"(
    .reg .b32 box, extent, base, threads;
    .reg .pred first_of_block, none;
    mov.u32 extent, %dynamic_smem_size;
    mov.u32 box, {dynamic};
    add.u32 box, box, extent;
    mov.b32 base, 0;
    @leads atom.shared.add.u32 base, [box-{mailbox}], members;
    shfl.sync.idx.b32 base, base, leader, 31, group;
    add.u32 rank, rank, base;
    setp.eq.u32 first_of_block, rank, 0;
)",
        fmt::arg("dynamic", kDynamic),
        fmt::arg("mailbox", kMailboxBytes)
    );
    text += matrix_text(numbers, matrix);
    text += "    mov.u64 slot, 0;\n    @!first_of_block bra CLAIMED;\n" + claim_text(numbers, "-1");
    text += fmt::format(
        R"(
    @first_of_block st.shared.u64 [box-24], slot;
    barrier.sync {barrier};
    ld.volatile.shared.u32 threads, [box-{mailbox}];
    ld.volatile.shared.u64 slot, [box-24];
    setp.eq.u64 none, slot, 0;
    @none bra COPIED;
)",
        fmt::arg("barrier", names.barrier),
        fmt::arg("mailbox", kMailboxBytes)
    );
    text += copy_text(numbers);
    if (names.host_visible) text += "    fence.acq_rel.sys;\n";
    text += fmt::format(
        "    barrier.sync {};\n    @first_of_block st.shared.u32 [box-{}], 0;\n    @none bra END;\n",
        names.barrier,
        kMailboxBytes
    );
    return text + complete_text(names, "first_of_block") + "END:\n";
}

std::string warp_tile_text(const Names& names, const Numbers& numbers, const MatrixText& matrix) {
    std::string text =
        fmt::format("    @!{} bra END;\n", names.warp_on) + iteration_text(numbers) + group_text();
    text += "    .reg .b32 threads;\n    .reg .pred none;\n    bar.warp.sync group;\n";
    text += matrix_text(numbers, matrix);
    text += "    mov.b32 threads, members;\n    mov.u64 slot, 0;\n    @!leads bra CLAIMED;\n" +
        claim_text(numbers, "warp");
    text += share_slot_text() + "    setp.eq.u64 none, slot, 0;\n    @none bra END;\n";
    text += copy_text(numbers);
    if (names.host_visible) text += "    fence.acq_rel.sys;\n";
    return text + "    bar.warp.sync group;\n" + complete_text(names, "leads") + "END:\n";
}

}  // namespace wl::gpu
