// Calls: parameters by bytes, recursion, calls by address, divergence.
#include "tests/emulator/emulator_function.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

const std::string kFibonacci = unary(
    "fib",
    "mov.u32 %r2, %r1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra LEAF;\nsub.u32 %r3, %r1, 1;\n" +
        call("fib", "%r3", "%r4") + "sub.u32 %r3, %r1, 2;\n" + call("fib", "%r3", "%r5") +
        "add.u32 %r2, %r4, %r5;\nLEAF:\n"
);

uint32_t fib(uint32_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

TEST(EmulatorCall, LanesRecurseToTheirOwnDepth) {
    KernelRun run(
        kernel("and.b32 %r10, %r0, 15;\n" + call("fib", "%r10", "%r11") + store_r("%r11"), kFibonacci), 64
    );
    run.out<uint32_t>("d", 64).go();
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], fib(t % 16)) << t;
    EXPECT_TRUE(run.result.incidents.empty());
}

// ack(m, n) for m < 3: the depth depends on the values, and the inner call's result is an argument.
TEST(EmulatorCall, DivergentDepthsOfAckermann) {
    const auto two = [](const std::string& m, const std::string& n, const std::string& d) {
        return "{\n.param .b32 x, y, z;\nst.param.b32 [x], " + m + ";\nst.param.b32 [y], " + n +
            ";\ncall (z), ack, (x, y);\nld.param.b32 " + d + ", [z];\n}\n";
    };
    const std::string ack = function(
        "(.param .b32 r) ack(.param .b32 m, .param .b32 n)",
        "ld.param.b32 %r1, [m];\nld.param.b32 %r2, [n];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MORE;\n"
        "add.u32 %r3, %r2, 1;\nst.param.b32 [r], %r3;\nret;\n"
        "MORE:\nsub.u32 %r4, %r1, 1;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra BOTH;\n" +
            two("%r4", "1", "%r3") + "st.param.b32 [r], %r3;\nret;\nBOTH:\nsub.u32 %r5, %r2, 1;\n" +
            two("%r1", "%r5", "%r6") + two("%r4", "%r6", "%r3") + "st.param.b32 [r], %r3;\nret;\n"
    );
    KernelRun run(kernel(
        "and.b32 %r10, %r0, 3;\nmin.u32 %r10, %r10, 2;\nshr.u32 %r11, %r0, 2;\n" +
            two("%r10", "%r11", "%r12") + store_r("%r12"),
        ack
    ));
    run.launch.stack_bytes = 4096;
    run.out<uint32_t>("d", 32).go();
    ASSERT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    for (uint32_t t = 0; t < 32; ++t) {
        const uint32_t m = std::min(t % 4, 2u), n = t / 4;
        EXPECT_EQ(run.get<uint32_t>("d")[t], m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3) << t;
    }
}

TEST(EmulatorCall, MutualRecursionNeedsOnlyADeclaration) {
    const std::string functions = ".func (.param .b32 r) odd(.param .b32 a);\n" +
        unary("even",
              "mov.u32 %r2, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\nsub.u32 %r3, %r1, 1;\n" +
                  call("odd", "%r3", "%r2") + "END:\n") +
        unary("odd",
              "mov.u32 %r2, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\nsub.u32 %r3, %r1, 1;\n" +
                  call("even", "%r3", "%r2") + "END:\n");
    KernelRun run(kernel(call("even", "%r0", "%r11") + store_r("%r11"), functions));
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t % 2 == 0 ? 1u : 0u);
}

TEST(EmulatorCall, LanesOfOneWarpCallDifferentFunctionsThroughATable) {
    const std::string functions = unary("plus", "add.u32 %r2, %r1, 1000;\n") +
        unary("times", "mul.lo.u32 %r2, %r1, 3;\n") + unary("minus", "sub.u32 %r2, %r1, 7;\n") +
        ".global .align 8 .u64 table[3] = {plus, times, minus};\n.const .align 8 .u64 fixed[3] = {minus, "
        "plus, times};\n";
    KernelRun run(
        kernel(
            "rem.u32 %r10, %r0, 3;\nmul.wide.u32 %rd10, %r10, 8;\nmov.u64 %rd11, table;\n"
            "add.u64 %rd12, %rd11, %rd10;\nld.global.u64 %rd13, [%rd12];\n" +
                call_by_address("%rd13", "%r0", "%r11") +
                "mov.u64 %rd11, fixed;\nadd.u64 %rd12, %rd11, %rd10;\nld.const.u64 %rd13, [%rd12];\n" +
                call_by_address("%rd13", "%r11", "%r12") + "activemask.b32 %r13;\n" + store_r("%r12") +
                store(1, "u32", 4, "%r13"),
            functions
        ),
        64
    );
    run.out<uint32_t>("d", 64).out<uint32_t>("mask", 64).go();
    ASSERT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    for (uint32_t t = 0; t < 64; ++t) {
        const uint32_t first = t % 3 == 0 ? t + 1000 : t % 3 == 1 ? 3 * t : t - 7;
        const uint32_t second = t % 3 == 0 ? first - 7 : t % 3 == 1 ? first + 1000 : 3 * first;
        EXPECT_EQ(run.get<uint32_t>("d")[t], second) << t;
        EXPECT_EQ(run.get<uint32_t>("mask")[t], ~0u) << "all lanes meet behind the call";
    }
}

// As the virtual functions of an object that one kernel makes and the next one uses.
TEST(EmulatorCall, AddressesThatOneKernelStoresAreCalledByTheNext) {
    const std::string functions = unary("unused", "mov.u32 %r2, 0;\n") +
        unary("plus", "add.u32 %r2, %r1, 1000;\n") + unary("times", "mul.lo.u32 %r2, %r1, 3;\n") +
        unary("minus", "sub.u32 %r2, %r1, 7;\n") +
        ".global .align 8 .u64 known[1] = {times};\n"
        ".visible .entry make(.param .u64 to)\n{\n.reg .b64 %rd<8>;\nld.param.u64 %rd0, [to];\n"
        "mov.u64 %rd1, minus;\nst.global.u64 [%rd0], %rd1;\nmov.u64 %rd1, plus;\nst.global.u64 [%rd0+8], "
        "%rd1;\nld.global.u64 %rd1, [known];\nst.global.u64 [%rd0+16], %rd1;\nret;\n}\n";
    KernelRun run(
        kernel(
            "rem.u32 %r10, %r0, 3;\nmul.wide.u32 %rd10, %r10, 8;\nadd.u64 %rd12, %rd0, %rd10;\n"
            "ld.global.u64 %rd13, [%rd12];\n" +
                call_by_address("%rd13", "%r0", "%r11") + store(1, "u32", 4, "%r11"),
            functions
        ),
        32
    );
    run.out<uint64_t>("table", 3).out<uint32_t>("d", 32);
    Launch first = run.launch;
    first.block = {1, 1, 1};
    const RunResult made = emulator::run(*lower(run.module, "make"), first, run.memory, run.options);
    EXPECT_TRUE(made.incidents.empty());
    run.go();
    ASSERT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    for (uint32_t t = 0; t < 32; ++t)
        EXPECT_EQ(run.get<uint32_t>("d")[t], t % 3 == 0 ? t - 7 : t % 3 == 1 ? t + 1000 : 3 * t) << t;
}

TEST(EmulatorCall, ACallOfWhatIsNoFunctionIsNoted) {
    KernelRun run(kernel("mov.u64 %rd10, 4096;\n" + call_by_address("%rd10", "%r0", "%r11") + store_r("%r11"))
    );
    run.out<uint32_t>("d", 32).go();
    const auto found = run.incidents(Incident::Kind::undefined_target);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.value, 4096u);
    EXPECT_EQ(run.result.blocks, 0u);
}

TEST(EmulatorCall, ACallWithTheWrongParametersIsNoted) {
    const std::string two = function("(.param .b32 r) two(.param .b32 a, .param .b32 b)", "ret;\n");
    KernelRun run(
        kernel("mov.u64 %rd10, two;\n" + call_by_address("%rd10", "%r0", "%r11") + store_r("%r11"), two)
    );
    run.out<uint32_t>("d", 32).go();
    ASSERT_EQ(run.incidents(Incident::Kind::undefined_target).size(), 1u);
    EXPECT_NE(run.result.incidents[0].detail.find("two"), std::string::npos);
}

// A struct of 8 + 4 + 2 + 1 bytes goes by value and comes back changed in every field.
TEST(EmulatorCall, StructsPassByTheirBytes) {
    const std::string change = function(
        "(.param .align 8 .b8 r[16]) change(.param .align 8 .b8 a[16])",
        "ld.param.b64 %rd1, [a];\nld.param.s32 %r1, [a+8];\nld.param.s16 %r2, [a+12];\nld.param.u8 %r3, "
        "[a+14];\n"
        "add.u64 %rd1, %rd1, 1;\nneg.s32 %r1, %r1;\nsub.s32 %r2, %r2, 1;\nadd.u32 %r3, %r3, 200;\n"
        "st.param.b64 [r], %rd1;\nst.param.b32 [r+8], %r1;\nst.param.b16 [r+12], %r2;\nst.param.b8 [r+14], "
        "%r3;\nret;\n"
    );
    KernelRun run(kernel(
        "mul.wide.u32 %rd10, %r0, 0x10001;\nshl.b64 %rd10, %rd10, 16;\ncvt.u16.u32 %h1, %r0;\nneg.s16 %h2, "
        "%h1;\n"
        "{\n.param .align 8 .b8 q[16], s[16];\nst.param.b64 [q], %rd10;\nst.param.b32 [q+8], %r0;\n"
        "st.param.b16 [q+12], %h2;\nst.param.b8 [q+14], %h1;\ncall (s), change, (q);\n"
        "ld.param.b64 %rd11, [s];\nld.param.v2.b16 {%h3, %h4}, [s+12];\nld.param.b32 %r11, [s+8];\n}\n"
        "cvt.s32.s16 %r12, %h3;\ncvt.u32.u16 %r13, %h4;\nand.b32 %r13, %r13, 255;\n" +
            store(0, "u64", 8, "%rd11") + store(1, "u32", 4, "%r11") + store(2, "u32", 4, "%r12") +
            store(3, "u32", 4, "%r13"),
        change
    ));
    run.out<uint64_t>("l", 32).out<int32_t>("i", 32).out<int32_t>("s", 32).out<uint32_t>("b", 32).go();
    for (uint32_t t = 0; t < 32; ++t) {
        EXPECT_EQ(run.get<uint64_t>("l")[t], (uint64_t{t} * 0x10001 << 16) + 1);
        EXPECT_EQ(run.get<int32_t>("i")[t], -static_cast<int32_t>(t));
        EXPECT_EQ(run.get<int32_t>("s")[t], -static_cast<int32_t>(t) - 1);
        EXPECT_EQ(run.get<uint32_t>("b")[t], (t + 200) & 255);
    }
}

// The function indexes its parameter by a lane's own number, so it takes the address.
TEST(EmulatorCall, AParameterWhoseAddressIsTakenLiesInLocalMemory) {
    const std::string pick = function(
        "(.param .b32 r) pick(.param .align 4 .b8 a[64], .param .b32 k)",
        "ld.param.b32 %r1, [k];\nmul.wide.u32 %rd2, %r1, 4;\nmov.b64 %rd1, a;\nadd.u64 %rd1, %rd1, %rd2;\n"
        "ld.local.b32 %r2, [%rd1];\nld.param.b32 %r3, [a+60];\nmad.lo.u32 %r2, %r3, 100, %r2;\n"
        "st.param.b32 [r], %r2;\nret;\n"
    );
    std::string fill;
    for (int k = 0; k < 16; ++k)
        fill += fmt::format("add.u32 %r20, %r0, {};\nst.param.b32 [q+{}], %r20;\n", k * k, 4 * k);
    KernelRun run(kernel(
        "and.b32 %r10, %r0, 15;\n{\n.param .align 4 .b8 q[64];\n.param .b32 n, s;\n" + fill +
            "st.param.b32 [n], %r10;\ncall (s), pick, (q, n);\nld.param.b32 %r11, [s];\n}\n" +
            store_r("%r11"),
        pick
    ));
    run.out<uint32_t>("d", 32).go();
    ASSERT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    for (uint32_t t = 0; t < 32; ++t) {
        const uint32_t k = t % 16;
        EXPECT_EQ(run.get<uint32_t>("d")[t], 100 * (t + 225) + t + k * k);
    }
}

TEST(EmulatorCall, RegistersAndNumbersCanBeArguments) {
    const std::string two = function(
        "(.param .b32 r) two(.param .b32 a, .param .b32 b)",
        "ld.param.b32 %r1, [a];\nld.param.b32 %r2, [b];\nmad.lo.u32 %r1, %r1, 10, %r2;\nst.param.b32 [r], "
        "%r1;\nret;\n"
    );
    KernelRun run(kernel("call.uni (%r11), two, (%r0, 7);\n" + store_r("%r11"), two));
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], 10 * t + 7);
}

TEST(EmulatorCall, ParametersInRegisterSpaceAreRegistersOfTheFunction) {
    const std::string two = function(
        "(.reg .b32 r) two(.reg .b32 a, .reg .b64 b)",
        "cvt.u32.u64 %r1, b;\nmad.lo.u32 r, a, 10, %r1;\nret;\n"
    );
    KernelRun run(
        kernel("cvt.u64.u32 %rd10, %r0;\ncall.uni (%r11), two, (%r0, %rd10);\n" + store_r("%r11"), two)
    );
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], 11 * t);
    EXPECT_EQ(ptx::print(ptx::parse(ptx::print(run.module))), ptx::print(run.module));
}

// Each activation has an array of its own; the inner one writes through the pointer that it was given.
TEST(EmulatorCall, LanesReturnEarlyAndExitInsideAFunction) {
    const std::string some = function(
        "(.param .b32 r) some(.param .b32 a)",
        "ld.param.b32 %r1, [a];\nst.param.b32 [r], 1;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 ret;\n"
        "setp.ge.u32 %p2, %r1, 24;\n@%p2 exit;\nadd.u32 %r2, %r1, 100;\nst.param.b32 [r], %r2;\n"
    );
    KernelRun run(kernel(
        call("some", "%r0", "%r11") + "activemask.b32 %r12;\n" + store_r("%r11") + store(1, "u32", 4, "%r12"),
        some
    ));
    run.in("d", std::vector<uint32_t>(32, 77)).in("mask", std::vector<uint32_t>(32, 0)).go();
    for (uint32_t t = 0; t < 32; ++t) {
        EXPECT_EQ(run.get<uint32_t>("d")[t], t < 8 ? 1 : t < 24 ? t + 100 : 77) << t;
        EXPECT_EQ(run.get<uint32_t>("mask")[t], t < 24 ? 0x00ffffffu : 0u);
    }
}

TEST(EmulatorCall, APredicatedCallLeavesTheOtherLanesAlone) {
    KernelRun run(kernel(
        "mov.u32 %r11, 5;\nsetp.lt.u32 %p1, %r0, 12;\n{\n.param .b32 q, s;\nst.param.b32 [q], %r0;\n"
        "st.param.b32 [s], %r11;\n@%p1 call (s), plus, (q);\nld.param.b32 %r11, [s];\n}\n" +
            store_r("%r11"),
        unary("plus", "add.u32 %r2, %r1, 1000;\n")
    ));
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t < 12 ? t + 1000 : 5);
}

// The block's barrier and a shuffle over all lanes, in a function that diverges in front of them.
TEST(EmulatorCall, BarriersAndShufflesWorkInsideFunctions) {
    const std::string sum = unary(
        "sum",
        "setp.lt.u32 %p1, %r1, 3;\n@%p1 bra JOIN;\nadd.u32 %r1, %r1, 1;\nJOIN:\nbar.sync 0;\nmov.u32 %r2, "
        "%r1;\n"
        "mov.u32 %r4, 16;\nLOOP:\nshfl.sync.bfly.b32 %r3, %r2, %r4, 31, -1;\nadd.u32 %r2, %r2, %r3;\nshr.u32 "
        "%r4, %r4, "
        "1;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra LOOP;\n"
    );
    KernelRun run(
        kernel("and.b32 %r10, %r0, 31;\n" + call("sum", "%r10", "%r11") + store_r("%r11"), sum), 96
    );
    run.out<uint32_t>("d", 96).go();
    ASSERT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    for (uint32_t t = 0; t < 96; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], 496u + 29);
}

TEST(EmulatorCall, AnAliasIsTheFunctionItStandsFor) {
    const std::string functions = unary("real", "add.u32 %r2, %r1, 3;\n") +
        ".func (.param .b32 r) other(.param .b32 a);\n.alias other, real;\n";
    KernelRun run(kernel(call("other", "%r0", "%r11") + store_r("%r11"), functions));
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t + 3);
}

TEST(EmulatorCall, AFunctionThatIsDefinedNowhereIsNamed) {
    const std::string text = kernel(
        call("theirs", "%r0", "%r11") + store_r("%r11"),
        ".extern .func (.param .b32 r) theirs(.param .b32 a);\n"
    );
    const ptx::Module module = ptx::parse(text);
    ASSERT_EQ(unsupported(module).size(), 1u);
    EXPECT_EQ(unsupported(module)[0].rfind("unsupported: call theirs at PTX line ", 0), 0u)
        << unsupported(module)[0];
}

TEST(EmulatorCall, BranchesThroughATableGoToEveryTarget) {
    const std::string body =
        "T: .branchtargets A, B, C;\nmov.u32 %r11, 0;\nrem.u32 %r10, %r0, COUNT;\nbrx.idx %r10, T;\n"
        "A:\nadd.u32 %r11, %r11, 1;\nB:\nadd.u32 %r11, %r11, 10;\nC:\nadd.u32 %r11, %r11, "
        "100;\nactivemask.b32 %r12;\n";
    const auto with = [&](const std::string& count) {
        std::string text = body;
        return text.replace(text.find("COUNT"), 5, count) + store_r("%r11") + store(1, "u32", 4, "%r12");
    };
    KernelRun run(kernel(with("3")));
    run.out<uint32_t>("d", 32).out<uint32_t>("mask", 32).go();
    for (uint32_t t = 0; t < 32; ++t) {
        EXPECT_EQ(run.get<uint32_t>("d")[t], t % 3 == 0 ? 111 : t % 3 == 1 ? 110 : 100);
        EXPECT_EQ(run.get<uint32_t>("mask")[t], ~0u);
    }
    KernelRun past(kernel(with("4")));
    past.out<uint32_t>("d", 32).out<uint32_t>("mask", 32).go();
    ASSERT_EQ(past.incidents(Incident::Kind::undefined_target).size(), 1u);
    EXPECT_EQ(past.result.incidents[0].first.value, 3u);
}

}  // namespace
}  // namespace wl::emulator::test
