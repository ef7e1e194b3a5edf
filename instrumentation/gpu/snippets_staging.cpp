// Records that wait in shared memory until the device has copied them into the buffer by itself, while the
// block goes on. PTX ISA 9.0: cp.async.bulk, its groups, fence.proxy.async.
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/snippet_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

constexpr uint32_t kLeastStaged = 1024;  // bytes of a record: smaller ones are stored at once
constexpr uint32_t kMostTimes = 4;       // of the largest record, a half of a ring

// Where the rings of the block begin: behind the kernel's own dynamic shared memory, before the mailbox.
std::string rings_text(const Names& names, const char* into, const char* scratch) {
    return fmt::format(
        "    mov.u32 {1}, %dynamic_smem_size;\n    mov.u32 {0}, {2};\n    add.u32 {0}, {0}, {1};\n    "
        "sub.u32 {0}, "
        "{0}, {3};\n",
        into,
        scratch,
        kDynamic,
        kMailboxBytes + names.staging
    );
}

// From there to the ring of `warp`.
std::string to_warp_text(const Names& names, const char* into) {
    return fmt::format(
        "    mad.lo.u32 {0}, warp, {1}, {0};\n    add.u32 {0}, {0}, {2};\n",
        into,
        2 * names.warp_ring.half,
        2 * names.block_ring.half
    );
}

std::string meet_text(const Names& names, bool of_block) {
    return of_block ? fmt::format("    barrier.sync.aligned {};\n", names.barrier)
                    : "    bar.warp.sync -1;\n";
}

}  // namespace

void choose_rings(Names& names, const Staging& s) {
    if (s.room == 0) return;
    const uint32_t warps = s.threads / 32;
    const auto total = [&](uint32_t block, uint32_t warp) { return 2 * block + 2 * warps * warp; };
    uint32_t block = s.largest_block >= kLeastStaged ? s.largest_block : 0;
    uint32_t warp = s.largest_warp >= kLeastStaged ? s.largest_warp : 0;
    if (total(block, warp) > s.room && total(block, 0) <= s.room && block != 0) warp = 0;
    if (total(block, warp) > s.room) block = 0;
    const uint32_t bytes = total(block, warp);
    if (bytes == 0 || bytes > s.room) return;
    const uint32_t times = std::min(kMostTimes, s.room / bytes);
    names.block_ring.half = times * block, names.warp_ring.half = times * warp;
    names.staging = times * bytes;
}

bool is_staged(const Ring& ring, uint32_t record) {
    return !ring.at.empty() && record >= kLeastStaged && record <= ring.half;
}

std::string stage_begin_text(const Names& names) {
    std::string text;
    if (names.staging != 0) text += "    .reg .b32 ring, ring_end;\n" + rings_text(names, "ring", "ring_end");
    const auto begin = [&](const Ring& r) {
        text += fmt::format("    mov.u32 {}, ring;\n    mov.u32 {}, {};\n", r.at, r.left, r.half);
    };
    if (names.block_ring.half != 0) begin(names.block_ring);
    if (names.warp_ring.half == 0) return text;
    text += to_warp_text(names, "ring");
    begin(names.warp_ring);
    return text;
}

// What is in the half that is filled next has been copied when all groups but the latest are done.
std::string stage_room_text(const Names& names, bool of_block, uint32_t record) {
    const Ring& ring = of_block ? names.block_ring : names.warp_ring;
    return fmt::format(
               R"(
    .reg .b32 stage, filled, twice;
    .reg .pred roomy;
    setp.ge.u32 roomy, {left}, {record};
    @roomy bra ROOMY;
    @leads cp.async.bulk.commit_group;
    @leads cp.async.bulk.wait_group.read 1;
)",
               fmt::arg("left", ring.left),
               fmt::arg("record", record)
           ) +
        meet_text(names, of_block) + rings_text(names, "stage", "twice") +
        (of_block ? std::string() : to_warp_text(names, "stage")) +
        fmt::format(
               R"(
    shl.b32 twice, stage, 1;
    add.u32 twice, twice, {half};
    sub.u32 filled, {half}, {left};
    sub.u32 {at}, {at}, filled;
    sub.u32 {at}, twice, {at};
    mov.u32 {left}, {half};
ROOMY:
    mov.b32 stage, {at};
    add.u32 {at}, {at}, {record};
    sub.u32 {left}, {left}, {record};
)",
               fmt::arg("half", ring.half),
               fmt::arg("at", ring.at),
               fmt::arg("left", ring.left),
               fmt::arg("record", record)
        );
}

std::string stage_send_text(const Names& names, bool of_block, uint32_t record) {
    return "    fence.proxy.async.shared::cta;\n" + meet_text(names, of_block) +
        fmt::format("    @leads cp.async.bulk.global.shared::cta.bulk_group [slot], [stage], {};\n", record);
}

// A thread does not leave before what it had copied has been read.
std::string stage_end_text() {
    return "    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group.read 0;\n";
}

}  // namespace wl::gpu
