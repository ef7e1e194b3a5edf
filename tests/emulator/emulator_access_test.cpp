// Registers of 16 bytes, their accesses and what the checks see of them, and cache policies.
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>
#include <numeric>

namespace wl::emulator::test {
namespace {

std::vector<uint64_t> numbered(size_t count) {
    std::vector<uint64_t> v(count);
    std::iota(v.begin(), v.end(), 0x1000'0000'0000);
    return v;
}

// %rd10, %rd11: the lane's 16 bytes of the arrays p1 and p0; %r10: of shared memory s.
const std::string kPlaces =
    ".reg .b128 %q<4>;\nmul.wide.u32 %rd9, %r0, 16;\nadd.u64 %rd10, %rd1, %rd9;\n"
    "add.u64 %rd11, %rd0, %rd9;\nshl.b32 %r10, %r0, 4;\n";
const std::string kShared = ".shared .align 16 .b8 s[512];\n";
// A block has the shared variables that its kernel names.
const std::string kPlacesInShared = kPlaces + "mov.u32 %r9, s;\n";

TEST(EmulatorAccess, SixteenByteRegistersKeepTheOrderOfTheirHalves) {
    KernelRun run(kernel(
        kPlacesInShared +
            "ld.global.b128 %q0, [%rd10];\nst.shared.b128 [%r10], %q0;\nld.shared.b128 %q1, [%r10];\n"
            "mov.b128 {%rd12, %rd13}, %q1;\nmov.b128 %q2, {%rd13, %rd12};\nmov.b128 %q3, %q2;\n"
            "st.global.b128 [%rd11], %q3;\n",
        kShared
    ));
    run.out<uint64_t>("d", 64).in("a", numbered(64)).go();
    EXPECT_TRUE(run.result.incidents.empty());
    const auto d = run.get<uint64_t>("d"), a = numbered(64);
    for (size_t k = 0; k < 64; ++k) EXPECT_EQ(d[k], a[k ^ 1]);
}

TEST(EmulatorAccess, LanesWithoutTheGuardKeepBothHalves) {
    KernelRun run(kernel(
        kPlaces +
        "ld.global.b128 %q0, [%rd10];\nsetp.lt.u32 %p1, %r0, 16;\nmov.b64 %rd12, 5;\n"
        "@%p1 mov.b128 %q0, {%rd12, %rd12};\nst.global.b128 [%rd11], %q0;\n"
    ));
    run.out<uint64_t>("d", 64).in("a", numbered(64)).go();
    const auto d = run.get<uint64_t>("d"), a = numbered(64);
    for (size_t k = 0; k < 64; ++k) EXPECT_EQ(d[k], k < 32 ? 5 : a[k]);
}

TEST(EmulatorAccess, SixteenByteAccessesAreCheckedAsAWhole) {
    KernelRun run(kernel(
        kPlacesInShared +
            "ld.global.b128 %q0, [%rd1+8];\nst.shared.b128 [496], %q0;\nld.shared.b128 %q1, [%r10];\n",
        kShared
    ));
    run.in("d", numbered(2)).in("a", numbered(64)).go();
    EXPECT_EQ(run.incidents(Incident::Kind::misaligned).size(), 1u) << "16 bytes at a multiple of 8";
    const auto races = run.incidents(Incident::Kind::race_warp);
    EXPECT_EQ(races.size(), 0u) << "the lanes store equal values";
    const auto unwritten = run.incidents(Incident::Kind::uninitialised_read);
    ASSERT_EQ(unwritten.size(), 1u);
    EXPECT_EQ(unwritten[0].count, 31u * 4) << "words of lanes 0 to 30";
}

TEST(EmulatorAccess, LanesThatStoreDifferentUpperHalvesRace) {
    KernelRun run(kernel(
        kPlacesInShared +
            "mov.b64 %rd12, 1;\ncvt.u64.u32 %rd13, %r0;\nmov.b128 %q0, {%rd12, %rd13};\n"
            "st.shared.b128 [0], %q0;\n",
        kShared
    ));
    run.go();
    EXPECT_EQ(run.incidents(Incident::Kind::race_warp).size(), 1u);
}

// The constants that CUTLASS passes for whole evict-first and evict-last policies, and what halves them.
TEST(EmulatorAccess, PoliciesAreThoseOfTheHardware) {
    KernelRun run(
        kernel("createpolicy.fractional.L2::evict_first.b64 %rd10;\nst.global.u64 [%rd0], %rd10;\n"
               "createpolicy.fractional.L2::evict_last.b64 %rd10, 1.0;\nst.global.u64 [%rd0+8], %rd10;\n"
               "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %rd10, 0.5;\n"
               "st.global.u64 [%rd0+16], %rd10;\nmov.u64 %rd11, 0x7f0000003000;\n"
               "createpolicy.range.L2::evict_last.b64 %rd10, [%rd11], 8192, 65536;\n"
               "st.global.u64 [%rd0+24], %rd10;\n"),
        1
    );
    run.out<uint64_t>("d", 4).go();
    const auto d = run.get<uint64_t>("d");
    EXPECT_EQ(d[0], 0x12f0000000000000u);
    EXPECT_EQ(d[1], 0x14f0000000000000u);
    EXPECT_EQ(d[2], 0x1570000000000000u);
    EXPECT_EQ(d[3], 0x1c00000000000000u | uint64_t{3} << 44 | uint64_t{2} << 37) << "blocks 3 and 4 of 4 KiB";
}

// What the emulator itself has allocated lies where the host maps memory; no device address does.
TEST(EmulatorAccess, NoDeviceAddressCanBeAHostPointer) {
    KernelRun run(kernel("mov.b64 %rd10, 1;\nst.global.u64 [%rd1], %rd10;\n"), 1);
    run.out<uint64_t>("d", 4).out<uint64_t>("e", 4);
    for (const Allocation& a : run.memory.allocations) {
        EXPECT_GE(a.base, uint64_t{1} << 47) << "user space of x86-64 ends there";
        EXPECT_LT(a.base + a.bytes.size(), uint64_t{1} << 48) << "the upper 16 bits are free for tags";
        EXPECT_EQ(a.base & execution::kWindowMask, 0u);
    }
    const auto host = reinterpret_cast<uint64_t>(run.memory.allocations[0].bytes.data());
    std::memcpy(run.launch.params.data() + 8, &host, 8);
    run.go();
    EXPECT_EQ(run.incidents(Incident::Kind::out_of_bounds).size(), 1u);
}

}  // namespace
}  // namespace wl::emulator::test
