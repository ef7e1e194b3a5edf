// The stack of a thread: frames of local memory, its end, alloca.
#include "tests/emulator/emulator_function.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

TEST(EmulatorStack, EveryActivationHasItsOwnLocalArray) {
    const std::string deep = function(
        "(.param .b32 r) deep(.param .b32 n, .param .b64 up)",
        ".local .align 8 .b8 mine[16];\nld.param.b32 %r1, [n];\nld.param.b64 %rd1, [up];\n"
        "mov.u64 %rd2, mine;\ncvta.local.u64 %rd3, %rd2;\nst.local.u32 [%rd2], %r1;\nmul.lo.u32 %r3, %r1, "
        "%r1;\n"
        "st.u32 [%rd1+4], %r3;\nmov.u32 %r5, 0;\nst.local.u32 [mine+4], %r5;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 "
        "bra LEAF;\n"
        "sub.u32 %r4, %r1, 1;\n{\n.param .b32 q, s;\n.param .b64 a;\nst.param.b32 [q], %r4;\nst.param.b64 "
        "[a], %rd3;\n"
        "call (s), deep, (q, a);\nld.param.b32 %r5, [s];\n}\n"
        "LEAF:\nld.local.u32 %r6, [mine];\nld.u32 %r7, [%rd3+4];\nadd.u32 %r5, %r5, %r7;\n"
        "mad.lo.u32 %r5, %r6, 1000, %r5;\nst.param.b32 [r], %r5;\nret;\n"
    );
    KernelRun run(kernel(
        ".local .align 8 .b8 top[16];\nmov.u64 %rd10, top;\ncvta.local.u64 %rd10, %rd10;\nand.b32 %r10, %r0, "
        "7;\n"
        "{\n.param .b32 q, s;\n.param .b64 a;\nst.param.b32 [q], %r10;\nst.param.b64 [a], %rd10;\n"
        "call (s), deep, (q, a);\nld.param.b32 %r11, [s];\n}\nld.local.u32 %r12, [top+4];\nadd.u32 %r11, "
        "%r11, %r12;\n" +
            store_r("%r11"),
        deep
    ));
    run.out<uint32_t>("d", 32).go();
    ASSERT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    for (uint32_t t = 0; t < 32; ++t) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k <= t % 8; ++k) sum += 1000 * k + k * k;
        EXPECT_EQ(run.get<uint32_t>("d")[t], sum) << t;
    }
}

TEST(EmulatorStack, AnAccessPastTheFrameOrToOneThatIsGoneIsOutOfBounds) {
    const std::string leak = function(
        "(.param .b64 r) leak()",
        ".local .align 8 .b8 mine[16];\nmov.u64 %rd1, mine;\nst.param.b64 [r], %rd1;\nst.local.u32 "
        "[mine+12], 5;\n"
        "ld.local.u32 %r1, [%rd1+16];\nret;\n"
    );
    KernelRun run(kernel(
        "{\n.param .b64 s;\ncall (s), leak;\nld.param.b64 %rd10, [s];\n}\nld.local.u32 %r11, [%rd10];\n" +
            store_r("%r11"),
        leak
    ));
    run.out<uint32_t>("d", 32).go();
    const auto found = run.incidents(Incident::Kind::out_of_bounds);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(sites(*run.program)[found[0].first.site].function, "leak");
    EXPECT_EQ(sites(*run.program)[found[0].first.site].text, "ld.local.u32 %r1, [%rd1+16];");
    EXPECT_EQ(sites(*run.program)[found[1].first.site].text, "ld.local.u32 %r11, [%rd10];");
    EXPECT_EQ(found[0].first.memory, "local");
}

TEST(EmulatorStack, EndlessRecursionOverflowsTheStack) {
    KernelRun run(
        kernel(
            call("forever", "%r0", "%r11") + store_r("%r11"), unary("forever", call("forever", "%r1", "%r2"))
        ),
        64
    );
    run.out<uint32_t>("d", 64).go();
    const auto found = run.incidents(Incident::Kind::stack_overflow);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].detail.find("forever at depth"), std::string::npos) << found[0].detail;
    EXPECT_EQ(run.result.blocks, 0u);
}

TEST(EmulatorStack, TheStackLimitIsTheLaunchs) {
    const std::string count = unary(
        "count",
        "mov.u32 %r2, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\nsub.u32 %r3, %r1, 1;\n" +
            call("count", "%r3", "%r2") + "add.u32 %r2, %r2, 1;\nEND:\n"
    );
    for (const bool enough : {false, true}) {
        KernelRun run(kernel("mov.u32 %r10, 1000;\n" + call("count", "%r10", "%r11") + store_r("%r11"), count)
        );
        run.launch.stack_bytes = enough ? 16 * 1001 : 16 * 500;
        run.in("d", std::vector<uint32_t>(32, ~0u)).go();
        EXPECT_EQ(run.incidents(Incident::Kind::stack_overflow).empty(), enough);
        EXPECT_EQ(run.get<uint32_t>("d")[31], enough ? 1000u : ~0u);
    }
}

TEST(EmulatorStack, AllocaTakesEachLanesOwnSizeAndIsGivenBack) {
    KernelRun run(kernel(
        "stacksave.u64 %rd10;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n"
        "AGAIN:\nmad.lo.u32 %r10, %r0, 4, 4;\ncvt.u64.u32 %rd11, %r10;\nalloca.u64 %rd12, %rd11, 16;\n"
        "mul.wide.u32 %rd13, %r0, 4;\nadd.u64 %rd13, %rd12, %rd13;\nst.local.u32 [%rd13], %r0;\nst.local.u32 "
        "[%rd12], 9;\n"
        "ld.local.u32 %r11, [%rd13];\nadd.u32 %r13, %r13, %r11;\nstackrestore.u64 %rd10;\nadd.u32 %r12, "
        "%r12, 1;\n"
        "setp.lt.u32 %p1, %r12, 100;\n@%p1 bra AGAIN;\n" +
        store_r("%r13")
    ));
    run.out<uint32_t>("d", 32).go();
    ASSERT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t == 0 ? 900 : 100 * t);
}

TEST(EmulatorStack, AllocaBeyondTheStackIsNoted) {
    KernelRun run(kernel("mov.u64 %rd10, 100000;\nalloca.u64 %rd11, %rd10, 16;\n" + store_r("%r0")));
    run.out<uint32_t>("d", 32).go();
    EXPECT_EQ(run.incidents(Incident::Kind::stack_overflow).size(), 1u);
}

}  // namespace
}  // namespace wl::emulator::test
