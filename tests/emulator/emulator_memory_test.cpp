// Loads, stores and atomics in every space; what lies outside is suppressed, named and counted.
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>
#include <numeric>

namespace wl::emulator::test {
namespace {

std::vector<uint32_t> tell_tale(size_t count) {
    std::vector<uint32_t> v(count);
    for (size_t k = 0; k < count; ++k) v[k] = static_cast<uint32_t>(k / 32 * 1000 + k % 32);
    return v;
}

TEST(EmulatorMemory, VectorsKeepTheOrderOfTheirElements) {
    for (const std::string space : {"global", "shared"}) {
        const std::string from = space == "global" ? "%rd10" : "%r20";
        std::string body =
            "mul.wide.u32 %rd9, %r0, 16;\nadd.u64 %rd10, %rd1, %rd9;\nadd.u64 %rd11, %rd0, %rd9;\n"
            "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd10];\n"
            "shl.b32 %r20, %r0, 4;\nmov.u32 %r21, s;\nadd.u32 %r20, %r20, %r21;\n"
            "st.shared.v2.u32 [%r20], {%r10, %r11};\nst.shared.v2.u32 [%r20+8], {%r12, %r13};\nld.";
        body.append(space).append(".v4.u32 {%r14, %r15, %r16, %r17}, [").append(from);
        body.append("];\nst.global.v4.u32 [%rd11], {%r17, %r16, %r15, %r14};\n");
        KernelRun run(kernel(body, ".shared .align 16 .b8 s[512];\n"));
        run.out<uint32_t>("d", 128).in("a", tell_tale(128)).go();
        EXPECT_TRUE(run.result.incidents.empty());
        const auto d = run.get<uint32_t>("d");
        const auto a = tell_tale(128);
        for (size_t k = 0; k < 128; ++k) EXPECT_EQ(d[k], a[k / 4 * 4 + 3 - k % 4]) << space;
    }
}

TEST(EmulatorMemory, NarrowLoadsExtendBySign) {
    KernelRun run(
        kernel(
            "ld.global.s8 %r10, [%rd1];\nld.global.u8 %r11, [%rd1];\nld.global.s16 %r12, [%rd1+2];\n"
            "ld.global.s32 %rd10, [%rd1+4];\nst.global.u32 [%rd0], %r10;\nst.global.u32 [%rd0+4], %r11;\n"
            "st.global.u32 [%rd0+8], %r12;\nst.global.u64 [%rd0+16], %rd10;\nst.global.u8 [%rd0+24], %r12;\n"
            "ld.global.u16 %h1, [%rd1+2];\nst.global.u16 [%rd0+26], %h1;\n"
        ),
        1
    );
    run.out<uint32_t>("d", 7).in("a", std::vector<uint32_t>{0x8001ff80, 0xfffffff0}).go();
    const auto d = run.get<uint32_t>("d");
    EXPECT_EQ(d[0], 0xffffff80u);
    EXPECT_EQ(d[1], 0x80u);
    EXPECT_EQ(d[2], 0xffff8001u);
    EXPECT_EQ(d[4], 0xfffffff0u);
    EXPECT_EQ(d[5], 0xffffffffu);
    EXPECT_EQ(d[6], 0x80010001u & 0xffff00ffu);
}

TEST(EmulatorMemory, GenericAddressesReachEverySpace) {
    KernelRun run(kernel(
        ".local .align 8 .b8 mine[64];\n"
        "mov.u64 %rd10, s;\ncvta.shared.u64 %rd11, %rd10;\nmov.u64 %rd12, mine;\ncvta.local.u64 %rd13, "
        "%rd12;\n"
        "mul.wide.u32 %rd14, %r0, 4;\nadd.u64 %rd15, %rd11, %rd14;\n"
        "st.u32 [%rd15], %r0;\nadd.u32 %r10, %r0, 500;\nst.u32 [%rd13+4], %r10;\n"
        "cvta.to.local.u64 %rd16, %rd13;\nld.local.u32 %r11, [%rd16+4];\n"
        "cvta.to.shared.u64 %rd17, %rd15;\nld.shared.u32 %r12, [%rd17];\n"
        "isspacep.shared %p1, %rd15;\nisspacep.global %p2, %rd15;\nisspacep.global %p3, %rd0;\n"
        "selp.u32 %r13, 1, 0, %p1;\nselp.u32 %r14, 10, 0, %p2;\nselp.u32 %r15, 100, 0, %p3;\n"
        "add.u32 %r13, %r13, %r14;\nadd.u32 %r13, %r13, %r15;\n"
        "mul.wide.u32 %rd18, %r0, 16;\nadd.u64 %rd18, %rd0, %rd18;\n"
        "st.v2.u32 [%rd18], {%r11, %r12};\nst.u32 [%rd18+8], %r13;\n",
        ".shared .align 8 .b8 s[128];\n"
    ));
    run.out<uint32_t>("d", 128).go();
    EXPECT_TRUE(run.result.incidents.empty());
    const auto d = run.get<uint32_t>("d");
    for (uint32_t t = 0; t < 32; ++t) {
        EXPECT_EQ(d[4 * t], t + 500) << "every thread has its own local memory";
        EXPECT_EQ(d[4 * t + 1], t);
        EXPECT_EQ(d[4 * t + 2], 101u);
    }
}

TEST(EmulatorMemory, ConstantsAndModuleVariablesHaveTheirInitialisers) {
    KernelRun run(
        kernel(
            "ld.const.u32 %r10, [table+8];\nld.global.u32 %r11, [counter];\nadd.u32 %r12, %r10, %r11;\n"
            "st.global.u32 [%rd0], %r12;\nst.global.u32 [counter+4], %r12;\nmov.u64 %rd10, counter;\n"
            "ld.global.u32 %r13, [%rd10+4];\nst.global.u32 [%rd0+4], %r13;\n",
            ".const .align 4 .u32 table[3] = {1, 2, 30};\n.global .align 4 .u32 counter[2] = {400, 0};\n"
        ),
        1
    );
    run.out<uint32_t>("d", 2).go();
    EXPECT_EQ(run.get<uint32_t>("d"), (std::vector<uint32_t>{430, 430}));
    EXPECT_EQ(run.get<uint32_t>("counter"), (std::vector<uint32_t>{400, 430}));
}

// As compilers load through a pointer that memory held: on a GPU constants lie in global memory.
TEST(EmulatorMemory, GlobalLoadsReachConstantsByTheirGenericAddressAndStoresDoNot) {
    KernelRun run(
        kernel(
            "ld.global.u64 %rd10, [pointer];\nld.global.u32 %r10, [%rd10+4];\nst.global.u32 [%rd0], %r10;\n"
            "ld.global.u32 %r11, [%rd10+12];\nst.global.u32 [%rd10], %r10;\n",
            ".const .align 4 .u32 table[3] = {1, 2, 30};\n"
            ".global .align 8 .u64 pointer[1] = {generic(table)+4};\n"
        ),
        1
    );
    run.out<uint32_t>("d", 1).go();
    EXPECT_EQ(run.get<uint32_t>("d"), (std::vector<uint32_t>{30}));
    const auto found = run.incidents(Incident::Kind::out_of_bounds);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_FALSE(found[0].first.write);
    EXPECT_TRUE(found[1].first.write);
}

TEST(EmulatorMemory, OutOfBoundsIsSuppressedCountedAndNamed) {
    KernelRun run(kernel(load(1, "u32", 4, "%r10") + store(0, "u32", 4, "%r10")), 32, 4);
    run.out<uint32_t>("d", 128).in("input", tell_tale(100)).go();
    const auto found = run.incidents(Incident::Kind::out_of_bounds);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].count, 28u) << "elements 100..127";
    EXPECT_EQ(found[0].first.memory, "global input");
    EXPECT_EQ(found[0].first.block, 3);
    EXPECT_EQ(found[0].first.lanes & (1u << 4), 1u << 4);
    EXPECT_EQ(found[0].first.bytes, 4u);
    EXPECT_FALSE(found[0].first.write);
    EXPECT_EQ(run.get<uint32_t>("d")[99], 3003u);
    EXPECT_EQ(run.get<uint32_t>("d")[100], 0xffffffffu) << "poison";
    EXPECT_EQ(run.result.blocks, 4u);
}

TEST(EmulatorMemory, AStoreOutsideSharedMemoryChangesNothing) {
    KernelRun run(kernel(
        "shl.b32 %r10, %r0, 4;\nmov.u32 %r11, s;\nadd.u32 %r10, %r10, %r11;\nst.shared.u32 [%r10], %r0;\n",
        ".shared .align 16 .b8 s[256];\n"
    ));
    run.go();
    const auto found = run.incidents(Incident::Kind::out_of_bounds);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].count, 16u);
    EXPECT_EQ(found[0].first.memory, "shared");
    EXPECT_EQ(found[0].first.address, 256u);
    EXPECT_TRUE(found[0].first.write);
}

TEST(EmulatorMemory, MisalignedAccessesAreFound) {
    KernelRun run(
        kernel(
            "ld.global.u32 %r10, [%rd1+2];\nmov.u32 %r11, s;\nld.shared.v2.u32 {%r12, %r13}, [%r11+4];\n",
            ".shared .align 16 .b8 s[64];\n"
        ),
        1
    );
    run.out<uint32_t>("d", 1).in("a", tell_tale(4)).go();
    const auto found = run.incidents(Incident::Kind::misaligned);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].first.memory, "global a");
    EXPECT_EQ(found[1].first.memory, "shared");
}

TEST(EmulatorMemory, SharedMemoryStartsPoisoned) {
    KernelRun run(
        kernel(
            "mov.u32 %r10, s;\nld.shared.f32 %f1, [%r10+8];\nst.global.f32 [%rd0], %f1;\n",
            ".shared .align 16 .b8 s[64];\n"
        ),
        1,
        2
    );
    run.out<uint32_t>("d", 1).go();
    EXPECT_EQ(run.get<uint32_t>("d")[0], 0xffffffffu);
    const auto found = run.incidents(Incident::Kind::uninitialised_read);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].count, 2u);
}

TEST(EmulatorMemory, ReadingGlobalMemoryThatNobodyWroteIsFound) {
    KernelRun run(
        kernel("st.global.u32 [%rd0], 1;\nld.global.u32 %r10, [%rd0];\nld.global.u32 %r11, [%rd0+4];\n"), 1
    );
    run.out<uint32_t>("d", 2).go();
    const auto found = run.incidents(Incident::Kind::uninitialised_read);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.memory, "global d");
    EXPECT_EQ(run.module.functions[0].code[found[0].first.site].operands[1].offset, 4);
}

TEST(EmulatorMemory, AtomicsAddOverBlocksAndWorkers) {
    KernelRun run(
        kernel("red.global.add.u32 [%rd0], 1;\natom.global.add.u64 %rd10, [%rd0+8], 3;\natom.global.max.s32 "
               "%r10, [%rd0+16], %r2;\n"
               "atom.global.inc.u32 %r11, [%rd0+20], 9;\nred.global.add.f32 [%rd0+24], 0f3F800000;\n"
               "atom.global.or.b32 %r12, [%rd0+28], 5;\n"),
        256,
        200
    );
    run.in("d", std::vector<uint32_t>(8, 0));
    run.options.threads = 4;
    run.go();
    const auto d = run.get<uint32_t>("d");
    const uint32_t all = 256 * 200;
    EXPECT_EQ(d[0], all);
    EXPECT_EQ(d[2], 3 * all);
    EXPECT_EQ(d[4], all - 1);
    EXPECT_EQ(d[5], all % 10);
    EXPECT_EQ(std::bit_cast<float>(d[6]), static_cast<float>(all));
    EXPECT_EQ(d[7], 5u);
}

TEST(EmulatorMemory, SharedAtomicsReturnTheOldValueAndAreNoRace) {
    KernelRun run(
        kernel(
            "mov.u32 %r10, s;\nsetp.ne.u32 %p1, %r0, 0;\n@!%p1 st.shared.u32 [%r10], 0;\nbar.sync 0;\n"
            "atom.shared.add.u32 %r11, [%r10], 1;\nmul.wide.u32 %rd10, %r11, 4;\nadd.u64 %rd10, %rd0, "
            "%rd10;\n"
            "st.global.u32 [%rd10], %r0;\natom.shared.cas.b32 %r12, [%r10], 9999, 1;\n",
            ".shared .align 16 .b8 s[16];\n"
        ),
        64
    );
    run.out<uint32_t>("d", 64).go();
    EXPECT_TRUE(run.result.incidents.empty());
    auto d = run.get<uint32_t>("d");
    std::sort(d.begin(), d.end());
    std::vector<uint32_t> every(64);
    std::iota(every.begin(), every.end(), 0);
    EXPECT_EQ(d, every) << "each thread drew its own ticket";
}

}  // namespace
}  // namespace wl::emulator::test
