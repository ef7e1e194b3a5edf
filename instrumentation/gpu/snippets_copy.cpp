// The elements of a matrix go to its record.
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/snippet_parts.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

// One step of a thread through the matrix: it keeps the place where it is, and goes on by `threads` units.
std::string step_text(uint32_t k, uint32_t bytes) {
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

std::string value_of(uint32_t k, const char* type) {
    return std::string(type).starts_with("v4") ? fmt::format("{{v{0}a, v{0}b, v{0}c, v{0}d}}", k)
        : std::string(type) == "u64"           ? fmt::format("wide{}", k)
                                               : fmt::format("v{}a", k);
}

// A load that not every thread makes starts from zero: a register that is written under a condition alone
// would keep what it held the time before, and its place all through the kernel's loop.
std::string guarded_load(uint32_t k, const std::string& guard, const char* type, const std::string& from) {
    std::string text;
    if (!guard.empty() && std::string(type) == "u64")
        text = fmt::format("    mov.u64 wide{}, 0;\n", k);
    else if (!guard.empty())
        for (const char part : std::string(type).starts_with("v4") ? std::string("abcd") : std::string("a"))
            text += fmt::format("    mov.b32 v{}{}, 0;\n", k, part);
    return text + fmt::format("    {}ld.{} {}, {};\n", guard, type, value_of(k, type), from);
}

// Units of `bytes` each from a matrix to the record, by `threads` threads of which this is number `rank`;
// `at_once`: loads in flight.
std::string copy_loop(const char* label, uint32_t bytes, const char* type, uint32_t at_once) {
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
    for (uint32_t k = 0; k < at_once; ++k) text += step_text(k, bytes);
    for (uint32_t k = 0; k < at_once; ++k)
        text += guarded_load(k, k == 0 ? "" : fmt::format("@there{} ", k), type, fmt::format("[from{}]", k));
    for (uint32_t k = 0; k < at_once; ++k)
        text += fmt::format(
            "    @there{0} st.global.{1} [to{0}+{2}], {3};\n", k, type, sizeof(Record), value_of(k, type)
        );
    return text + fmt::format("    bra {};\n", label);
}

const char* type_of(uint32_t bytes) {
    switch (bytes) {
        case 1: return "u8";
        case 2: return "u16";
        case 4: return "u32";
        case 8: return "u64";
        default: return "v4.u32";
    }
}

constexpr uint32_t kAtOnce = 4;  // loads in flight

std::string copy_registers() {
    std::string text = R"(
    .reg .b32 row_bytes, units, total, e, row, col, row_step, col_step;
    .reg .b64 stride, low;
    .reg .pred finished, narrow, wraps;
)";
    for (uint32_t k = 0; k < kAtOnce; ++k)
        text += fmt::format(
            "    .reg .b32 v{0}a, v{0}b, v{0}c, v{0}d;\n    .reg .b64 from{0}, to{0}, wide{0};\n    .reg "
            ".pred there{0};\n",
            k
        );
    return text;
}

// Any matrix, any number of threads. Ends at COPIED.
std::string copy_text(const Numbers& n, uint32_t at_once) {
    return fmt::format(
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
           ) +
        copy_loop("WIDE", 16, type_of(16), at_once) + "NARROW:\n" +
        copy_loop("SINGLE", n.element, type_of(n.element), at_once) + "COPIED:\n";
}

// `row` and `col` of unit `e`; ptxas divides by a constant as by any number.
std::string row_of_text(const Known& k, const char* e) {
    if (std::has_single_bit(k.row_units))
        return fmt::format(
            "    shr.u32 row, {0}, {1};\n    and.b32 col, {0}, {2};\n",
            e,
            std::countr_zero(k.row_units),
            k.row_units - 1
        );
    return fmt::format(
        "    div.u32 row, {0}, {1};\n    mul.lo.u32 col, row, {1};\n    sub.u32 col, {0}, col;\n",
        e,
        k.row_units
    );
}

// Step `j` of thread `rank`: its addresses are relative to those of step 0 where all threads step whole rows.
std::string known_step(const Known& k, uint32_t j, uint32_t threads) {
    const uint32_t first = j * threads;
    std::string text;
    if (first + threads > k.units)
        text += fmt::format("    setp.lt.u32 there{}, rank, {};\n", j % kAtOnce, k.units - first);
    if (threads % k.row_units == 0 || k.row_units == k.units) return text;
    return text +
        fmt::format(
               R"(
    add.u32 e, rank, {first};
{row}    mul.wide.u32 from{j}, row, {stride};
    mad.wide.u32 from{j}, col, {unit}, from{j};
    add.u64 from{j}, from{j}, address;
)",
               fmt::arg("j", j % kAtOnce),
               fmt::arg("first", first),
               fmt::arg("row", row_of_text(k, "e")),
               fmt::arg("stride", k.stride),
               fmt::arg("unit", k.unit)
        );
}

std::string known_place(const Known& k, uint32_t j, uint32_t threads) {
    if (k.row_units == k.units) return fmt::format("[from+{}]", uint64_t{j} * threads * k.unit);
    if (threads % k.row_units == 0)
        return fmt::format("[from+{}]", uint64_t{j} * (threads / k.row_units) * k.stride);
    return fmt::format("[from{}]", j % kAtOnce);
}

// A matrix that is known, by all of `threads` threads, when `slot` is known to hold it. Goes to TAKEN, or to
// LOOP where its address is not aligned. `behind_loads`: nothing of the matrix is read any more.
std::string copy_known(const Known& k, uint32_t threads, const std::string& behind_loads) {
    std::string text = fmt::format(
        R"(
    .reg .b64 from, to, misaligned;
    .reg .pred odd;
    and.b64 misaligned, address, {mask};
    setp.ne.u64 odd, misaligned, 0;
    @odd bra LOOP;
    mad.wide.u32 to, rank, {unit}, slot;
)",
        fmt::arg("mask", k.unit - 1),
        fmt::arg("unit", k.unit)
    );
    text += k.row_units == k.units ? fmt::format("    mad.wide.u32 from, rank, {}, address;\n", k.unit)
                                   : row_of_text(k, "rank") +
            fmt::format("    mul.wide.u32 from, row, {};\n    mad.wide.u32 from, col, {}, from;\n    add.u64 "
                        "from, from, "
                        "address;\n",
                        k.stride,
                        k.unit);
    const uint32_t steps = (k.units + threads - 1) / threads;
    const char* const type = type_of(k.unit);
    for (uint32_t begin = 0; begin < steps; begin += kAtOnce) {
        const uint32_t end = std::min(begin + kAtOnce, steps);
        const auto guard = [&](uint32_t j) {
            return (j + 1) * threads > k.units ? fmt::format("@there{} ", j % kAtOnce) : std::string();
        };
        for (uint32_t j = begin; j < end; ++j) text += known_step(k, j, threads);
        for (uint32_t j = begin; j < end; ++j)
            text += guarded_load(j % kAtOnce, guard(j), type, known_place(k, j, threads));
        if (end == steps) text += behind_loads;
        for (uint32_t j = begin; j < end; ++j)
            text += fmt::format(
                "    {}st.global.{} [to+{}], {};\n",
                guard(j),
                type,
                sizeof(Record) + uint64_t{j} * threads * k.unit,
                value_of(j % kAtOnce, type)
            );
    }
    return text + "    bra TAKEN;\n";
}

}  // namespace

constexpr uint32_t kMostSteps = 16;  // of a thread through a matrix that is known

Known known_of(const Numbers& n, const MatrixText& m, uint32_t threads) {
    Known k;
    if (!m.known_rows || !m.known_cols || !m.known_ld) return k;
    uint64_t rows = *m.known_rows, row_bytes = uint64_t{*m.known_cols} * n.element;
    const uint64_t bytes = rows * row_bytes;
    if (bytes == 0 || bytes > uint64_t{n.element} * execution::kMostTileElements || bytes > UINT32_MAX / 2)
        return k;
    k.bytes = static_cast<uint32_t>(bytes), k.stride = uint64_t{*m.known_ld} * n.element;
    if (k.stride == row_bytes || rows == 1) rows = 1, row_bytes = bytes, k.stride = bytes;
    for (k.unit = 16; k.unit > n.element && (row_bytes | k.stride) % k.unit != 0;) k.unit /= 2;
    k.row_units = static_cast<uint32_t>(row_bytes / k.unit);
    k.units = static_cast<uint32_t>(bytes / k.unit);
    if (k.units > kMostSteps * threads) k.unit = 0;
    return k;
}

std::string copies_text(const Numbers& n, const Known& k, uint32_t threads, const CopyText& around) {
    if (!around.quick || k.unit == 0) return copy_registers() + around.begin + copy_text(n, kAtOnce);
    return copy_registers() + "    @!quick bra LOOP;\n" + copy_known(k, threads, around.behind_loads) +
        "LOOP:\n" + around.begin + copy_text(n, 1);
}

}  // namespace wl::gpu
