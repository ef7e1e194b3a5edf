// Stores of a warp to shared memory, and the barriers that it comes to.
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/snippet_parts.h"

#include <cstddef>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

constexpr uint32_t kAddressBytes = 4;

// Leaves unless the thread's epoch is wanted.
std::string wanted_epoch_text(const Names& names) {
    if (names.epoch.empty()) return {};
    return fmt::format(
        R"(
    .reg .b32 wanted;
    .reg .pred unwanted;
    ld.global.u32 wanted, [{control}+{first}];
    setp.lt.u32 unwanted, {epoch}, wanted;
    @unwanted bra END;
    ld.global.u32 wanted, [{control}+{end}];
    setp.ge.u32 unwanted, {epoch}, wanted;
    @unwanted bra END;
)",
        fmt::arg("control", kControl),
        fmt::arg("epoch", names.epoch),
        fmt::arg("first", offsetof(Control, first_epoch)),
        fmt::arg("end", offsetof(Control, end_epoch))
    );
}

std::string place_text(const StoreText& s) {
    std::string text = "    .reg .b64 target;\n    .reg .b32 at;\n" + s.address;
    if (s.generic)
        text += R"(
    .reg .pred inside;
    isspacep.shared inside, target;
    @!inside bra END;
    cvta.to.shared.u64 target, target;
)";
    return text + "    cvt.u32.u64 at, target;\n";
}

// What lies there now, in words of at most 8 bytes.
std::string read_again_text(uint32_t bytes) {
    const char* const type = bytes == 1 ? "u8" : bytes == 2 ? "u16" : bytes == 4 ? "u32" : "u64";
    return fmt::format(
        "    .reg .b{} left;\n    ld.volatile.shared.{} left, [target];\n", bytes == 8 ? 64 : 32, type
    );
}

// This lane's address and values.
std::string cells_text(const StoreText& s) {
    std::string text = fmt::format(
        R"(
    .reg .b64 cell;
    mul.wide.u32 cell, lane, {address_bytes};
    add.u64 cell, cell, slot;
    st.global.u32 [cell+{head}], at;
    mul.wide.u32 cell, lane, {bytes};
    add.u64 cell, cell, slot;
)",
        fmt::arg("address_bytes", kAddressBytes),
        fmt::arg("head", sizeof(Record)),
        fmt::arg("bytes", s.cell * s.values.size())
    );
    for (size_t k = 0; k < s.values.size(); ++k)
        text += fmt::format(
            "    st.global.{} [cell+{}], {};\n",
            s.type,
            sizeof(Record) + 32 * kAddressBytes + k * s.cell,
            s.values[k]
        );
    return text;
}

}  // namespace

std::string store_text(const Names& names, const Numbers& numbers, const StoreText& s) {
    const auto bytes = static_cast<uint32_t>(s.cell * s.values.size());
    std::string text = s.guard.empty() ? "" : "    " + s.guard + "bra END;\n";
    text += fmt::format("    @!{} bra END;\n", names.store_on) + wanted_epoch_text(names) + place_text(s);
    if (s.again) text += read_again_text(s.cell);
    text += claim_for_warp(names, numbers, {32, kAddressBytes + bytes, s.pitch, "0", !names.host_visible});
    text += cells_text(s);
    if (names.host_visible)
        text += "    fence.acq_rel.sys;\n    bar.warp.sync group;\n" + complete_text(names, "leads");
    return text + "END:\n";
}

std::string bulk_text(const Names& names, const Numbers& numbers, const BulkText& b) {
    std::string text = b.guard.empty() ? "" : "    " + b.guard + "bra END;\n";
    text += fmt::format("    @!{} bra END;\n", names.store_on) + wanted_epoch_text(names);
    text += "    .reg .b64 target, source;\n" + b.address + group_registers();
    text += fmt::format(
        R"(
    .reg .b64 place, bytes, slot, to;
    .reg .b32 rows, cols, pitch, shared, done, a, b, c, d;
    .reg .pred finished;
    shr.u32 warp, {tid}, 5;
    and.b32 lane, {tid}, 31;
    mov.b32 rows, 1;
    shl.b32 group, rows, lane;
    mov.b64 place, target;
    mov.b32 cols, {size};
    mov.b32 pitch, cols;
    mov.b32 shared, 1;
    cvt.u64.u32 bytes, cols;
)",
        fmt::arg("tid", names.tid),
        fmt::arg("size", b.size)
    );
    text += ask_text() + fmt::format(R"(
CLAIMED:
    setp.ne.u64 leads, slot, 0;
    @!leads bra END;
)");
    text += head_text(names, numbers, "leads", "warp", !names.host_visible);
    text += fmt::format(
        R"(
    mov.b64 to, slot;
    mov.b32 done, 0;
COPY:
    setp.ge.u32 finished, done, cols;
    @finished bra COPIED;
    ld.global.v4.b32 {{a, b, c, d}}, [source];
    st.global.v4.b32 [to+{head}], {{a, b, c, d}};
    add.u64 source, source, 16;
    add.u64 to, to, 16;
    add.u32 done, done, 16;
    bra COPY;
COPIED:
)",
        fmt::arg("head", sizeof(Record))
    );
    if (names.host_visible) text += "    fence.acq_rel.sys;\n" + complete_text(names, "leads");
    return text + "END:\n";
}

std::string barrier_text(
    const Names& names, const Numbers& numbers, const std::string& guard, const std::string& id
) {
    std::string text = guard.empty() ? "" : "    " + guard + "bra END;\n";
    text += fmt::format("    @!{} bra END;\n    .reg .b64 number;\n    .reg .b32 named;\n", names.on);
    text += fmt::format("    mov.u32 named, {};\n    cvt.u64.u32 number, named;\n", id);
    text += claim_for_warp(names, numbers, {.place = "number", .whole = true});
    return text + (names.host_visible ? "    fence.acq_rel.sys;\n" : "") + "END:\n";
}

std::string epoch_text(const Names& names, const std::string& guard) {
    const std::string text = fmt::format("    add.u32 {0}, {0}, 1;\n", names.epoch);
    return guard.empty() ? text : "    " + guard + "bra END;\n" + text + "END:\n";
}

}  // namespace wl::gpu
