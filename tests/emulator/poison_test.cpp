// Values that nobody initialised: found where they decide or leave, silent where they are only carried along.
#include "instrumentation/emulator/poison/poison.h"

#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

constexpr uint32_t kEvery = 0xffffffff;  // lane
const std::string kShared = ".shared .align 16 .b8 s[1024];\n";

// Parameter 0 is the output, 1 an input of 64 numbers from 100 on, 2 memory that nobody filled.
PoisonTrace trace(const std::string& body, uint32_t threads = 32, const std::string& before = kShared) {
    KernelRun run(kernel(body, before), threads);
    std::vector<uint32_t> numbers(64);
    for (uint32_t k = 0; k < 64; ++k) numbers[k] = 100 + k;
    run.out<uint32_t>("out", 256).in("numbers", numbers).out<uint32_t>("spare", 256);
    return trace_poison({run.module, *run.program, run.launch, run.memory}, {});
}

// "register -> branch, shared -> global out": what was read, and what it did.
std::string told(const PoisonTrace& t) {
    std::string out;
    for (const Incident& i : t.incidents)
        out += fmt::format("{}{} -> {}", out.empty() ? "" : ", ", i.first.memory, i.second.memory);
    return out;
}
std::string told(const std::string& body) { return told(trace(body)); }

const std::string kOut = "st.global.u32 [%rd0], %r20;\n";
// %r10 = this lane's word of shared memory, which nobody wrote; %r9 points at it.
const std::string kWord =
    "mov.u32 %r8, s;\nshl.b32 %r9, %r0, 2;\nadd.u32 %r9, %r9, %r8;\nld.shared.u32 %r10, [%r9];\n";

TEST(Poison, IsReportedWhereItLeavesAndNamesItsVariable) {
    const PoisonTrace t = trace(kWord + "add.u32 %r20, %r10, 1;\n" + kOut);
    ASSERT_EQ(told(t), "shared -> global out");
    const Incident& i = t.incidents[0];
    EXPECT_EQ(i.detail, "s + 0");
    EXPECT_EQ(i.first.bytes, 4u);
    EXPECT_EQ(i.first.lanes, kEvery);
    EXPECT_EQ(i.second.lanes, kEvery);
    EXPECT_TRUE(i.second.write);
    EXPECT_LT(i.first.site, i.second.site);
    EXPECT_EQ(i.count, 1u);
    EXPECT_EQ(t.blocks, 1);
}

TEST(Poison, ThatIsOnlyCopiedIsSilent) {
    const PoisonTrace t = trace(
        kWord +
        "mov.b32 %r11, %r10;\nst.shared.u32 [%r9+128], %r11;\nld.shared.u32 %r12, [%r9+128];\n"
        "add.u32 %r13, %r12, 7;\nmov.u32 %r20, 1;\n" +
        kOut
    );
    EXPECT_EQ(told(t), "");
    EXPECT_EQ(t.harmless.size(), 1u) << "only the first read is a birth";
}

TEST(Poison, TravelsThroughEveryMemory) {
    EXPECT_EQ(
        told(kWord + "st.shared.u32 [%r9+128], %r10;\nld.shared.u32 %r20, [%r9+128];\n" + kOut),
        "shared -> global out"
    );
    EXPECT_EQ(
        told(
            ".local .align 4 .b8 l[16];\nmov.u32 %r5, 0;\nst.local.u32 [l], %r5;\n"
            "ld.local.u32 %r20, [l+4];\n" +
            kOut
        ),
        "local -> global out"
    );
    EXPECT_EQ(told("ld.global.u32 %r20, [%rd2];\n" + kOut), "global spare -> global out");
    EXPECT_EQ(told("ld.global.u32 %r20, [%rd1];\n" + kOut), "");
    EXPECT_EQ(told("add.u32 %r20, %r40, 1;\n" + kOut), "register -> global out");
}

TEST(Poison, DecidesBranchesAddressesAndLanes) {
    EXPECT_EQ(
        told(kWord + "setp.eq.u32 %p1, %r10, 0;\n@%p1 bra END;\nmov.u32 %r20, 1;\nEND:\n"), "shared -> branch"
    );
    EXPECT_EQ(
        told(kWord + "and.b32 %r11, %r10, 12;\nadd.u32 %r11, %r11, %r8;\nst.shared.u32 [%r11], %r0;\n"),
        "shared -> address"
    );
    EXPECT_EQ(told(kWord + "shfl.sync.idx.b32 %r20, %r0, %r10, 31, -1;\n"), "shared -> lane");
    EXPECT_EQ(
        told(
            kWord +
            "setp.eq.u32 %p1, %r10, 0;\nvote.sync.any.pred %p2, %p1, -1;\n@%p2 bra END;\n"
            "mov.u32 %r20, 1;\nEND:\n"
        ),
        "shared -> branch"
    );
    EXPECT_EQ(
        told(kWord + "setp.eq.u32 %p1, %r10, 0;\n@%p1 st.global.u32 [%rd0], %r0;\n"), "shared -> branch"
    );
}

// Whether poison of %r10 that went through `body` into %r20 leaves.
bool leaves(const std::string& body) { return !told(kWord + body + kOut).empty(); }

TEST(Poison, ThatIsMaskedAwayIsClean) {
    EXPECT_FALSE(leaves("and.b32 %r20, %r10, 0;\n"));
    EXPECT_TRUE(leaves("and.b32 %r20, %r10, 1;\n"));
    EXPECT_FALSE(leaves("or.b32 %r20, %r10, -1;\n"));
    EXPECT_TRUE(leaves("or.b32 %r20, %r10, 1;\n"));
    EXPECT_TRUE(leaves("xor.b32 %r20, %r10, -1;\n"));
    EXPECT_FALSE(leaves("and.b32 %r11, %r10, 0xff00;\nshl.b32 %r20, %r11, 16;\nand.b32 %r20, %r20, 0xffff;\n")
    );
    EXPECT_FALSE(leaves("shr.u32 %r11, %r10, 16;\nshr.u32 %r20, %r11, 16;\n"));
    EXPECT_TRUE(leaves("shr.s32 %r11, %r10, 16;\nshr.s32 %r20, %r11, 16;\n"));
    EXPECT_FALSE(leaves("mov.u32 %r5, 9;\nprmt.b32 %r20, %r5, %r10, 0x3210;\n"));
    EXPECT_TRUE(leaves("mov.u32 %r5, 9;\nprmt.b32 %r20, %r5, %r10, 0x3214;\n"));
    EXPECT_FALSE(leaves("mov.u32 %r5, 9;\nbfi.b32 %r20, %r5, %r10, 0, 32;\n"));
    EXPECT_TRUE(leaves("mov.u32 %r5, 9;\nbfi.b32 %r20, %r5, %r10, 0, 31;\n"));
    EXPECT_FALSE(leaves("and.b32 %r11, %r10, 0xff00;\nbfe.u32 %r20, %r11, 16, 8;\n"));
    EXPECT_TRUE(leaves("and.b32 %r11, %r10, 0xff00;\nbfe.u32 %r20, %r11, 8, 8;\n"));
    EXPECT_FALSE(leaves("shl.b32 %r11, %r10, 16;\nadd.u32 %r11, %r11, 5;\nand.b32 %r20, %r11, 0xffff;\n"));
    EXPECT_FALSE(leaves("mul.lo.u32 %r20, %r10, 0;\n"));
    EXPECT_TRUE(leaves("mul.lo.u32 %r20, %r10, 2;\n"));
    EXPECT_FALSE(leaves("mov.u32 %r5, 0;\nlop3.b32 %r20, %r10, %r5, %r5, 0xc0;\n"));  // a & b
    EXPECT_TRUE(leaves("mov.u32 %r5, 1;\nlop3.b32 %r20, %r10, %r5, %r5, 0xc0;\n"));
    EXPECT_FALSE(leaves("cvt.u32.u8 %r20, %r0;\n"));
    EXPECT_FALSE(leaves("shl.b32 %r11, %r10, 8;\ncvt.u32.u8 %r20, %r11;\n"));
    EXPECT_TRUE(leaves("cvt.u32.u8 %r20, %r10;\n"));
}

TEST(Poison, GoesByteByByteThroughAPermutation) {
    const auto leaves = [](const std::string& choice) {
        const std::string byte = "and.b32 %r11, %r10, 0xff00;\nmov.u32 %r5, 9;\n";
        return !told(kWord + byte + "prmt.b32 %r20, %r11, %r5, " + choice + ";\n" + kOut).empty();
    };
    EXPECT_TRUE(leaves("0x4441")) << "byte 1 is poisoned";
    EXPECT_TRUE(leaves("0x4449")) << "and so is its sign";
    EXPECT_FALSE(leaves("0x4440"));
    EXPECT_FALSE(leaves("0x4532"));
}

TEST(Poison, FollowsTheChosenOperandOnly) {
    EXPECT_FALSE(leaves("setp.eq.u32 %p1, %r0, 99;\nselp.u32 %r20, %r10, 7, %p1;\n"));
    EXPECT_TRUE(leaves("setp.ne.u32 %p1, %r0, 99;\nselp.u32 %r20, %r10, 7, %p1;\n"));
    EXPECT_FALSE(leaves("setp.eq.u32 %p1, %r10, 0;\nselp.u32 %r20, 7, 7, %p1;\n"));
    EXPECT_TRUE(leaves("setp.eq.u32 %p1, %r10, 0;\nselp.u32 %r20, 7, 8, %p1;\n"));
    EXPECT_TRUE(leaves("setp.eq.u32 %p1, %r10, 0;\nmov.u32 %r20, 7;\n@%p1 mov.u32 %r20, 8;\n"));
    // A comparison that a clean predicate has decided already.
    const std::string both = "setp.eq.u32 %p1, %r0, 99;\nsetp.lt.and.u32 %p2, %r10, 5, %p1;\n";
    EXPECT_FALSE(leaves(both + "selp.u32 %r20, 7, 8, %p2;\n"));
}

TEST(Poison, OfOneLaneReachesOnlyLanesThatTakeIt) {
    // Lane 3 alone has a poisoned value.
    const std::string one = "mov.u32 %r11, %r0;\nsetp.eq.u32 %p1, %r0, 3;\n@%p1 ld.shared.u32 %r11, [%r9];\n";
    const auto stored = [&](const std::string& body) {
        const PoisonTrace t = trace(kWord + one + body + store(0, "u32", 4, "%r20"));
        return t.incidents.empty() ? 0u : t.incidents[0].second.lanes;
    };
    EXPECT_EQ(stored("mov.u32 %r20, %r11;\n"), 1u << 3);
    EXPECT_EQ(stored("shfl.sync.bfly.b32 %r20, %r11, 1, 31, -1;\n"), 1u << 2);
    EXPECT_EQ(stored("shfl.sync.up.b32 %r20, %r11, 2, 0, -1;\n"), 1u << 5);
    EXPECT_EQ(stored("shfl.sync.down.b32 %r20, %r11, 1, 31, -1;\n"), 1u << 2);
    EXPECT_EQ(stored("shfl.sync.idx.b32 %r20, %r11, 3, 31, -1;\n"), kEvery);
    EXPECT_EQ(stored("shfl.sync.idx.b32 %r20, %r11, 4, 31, -1;\n"), 0u);
    EXPECT_EQ(stored("redux.sync.add.u32 %r20, %r11, -1;\n"), kEvery);
    const std::string ballot = "setp.lt.u32 %p2, %r11, 9;\nvote.sync.ballot.b32 %r12, %p2, -1;\n";
    EXPECT_EQ(stored(ballot + "and.b32 %r20, %r12, 8;\n"), kEvery);
    EXPECT_EQ(stored(ballot + "and.b32 %r20, %r12, 4;\n"), 0u);
}

TEST(Poison, GoesThroughABarrierThatReduces) {
    const std::string red = "setp.lt.u32 %p1, %r11, 9;\nbarrier.red.popc.aligned.u32 %r20, 0, %p1;\n";
    EXPECT_EQ(told(kWord + "mov.u32 %r11, %r10;\n" + red + kOut), "shared -> global out");
    EXPECT_EQ(told(kWord + "mov.u32 %r11, %r0;\n" + red + kOut), "");
}

TEST(Poison, OfPaddingInAVectorCopyIsSilent) {
    // Rows of three words and one of padding, copied by vectors; only the three are stored.
    const std::string rows =
        "mov.u32 %r8, s;\nshl.b32 %r9, %r0, 4;\nadd.u32 %r9, %r9, %r8;\n"
        "st.shared.u32 [%r9], %r0;\nst.shared.u32 [%r9+4], %r0;\nst.shared.u32 [%r9+8], %r0;\n"
        "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r9];\nst.shared.v4.u32 [%r9+512], {%r10, %r11, %r12, "
        "%r13};\n"
        "ld.shared.v4.u32 {%r14, %r15, %r16, %r17}, [%r9+512];\n";
    const PoisonTrace t = trace(rows + "add.u32 %r20, %r14, %r16;\n" + kOut);
    EXPECT_EQ(told(t), "");
    EXPECT_EQ(t.harmless.size(), 1u);
    const PoisonTrace used = trace(rows + "add.u32 %r20, %r14, %r17;\n" + kOut);
    ASSERT_EQ(told(used), "shared -> global out");
    EXPECT_EQ(used.incidents[0].detail, "s + 12");
}

TEST(Poison, OfSomeBytesLeavesTheOthersClean) {
    const std::string half = "mov.u32 %r8, s;\nmov.u16 %h1, 5;\nst.shared.u16 [%r8], %h1;\n";
    EXPECT_EQ(told(half + "ld.shared.u32 %r10, [%r8];\nand.b32 %r20, %r10, 0xffff;\n" + kOut), "");
    const std::string word = half + "ld.shared.u32 %r20, [%r8];\n";
    EXPECT_EQ(told(word + kOut), "") << "padding, as far as one can see: it is only copied";
    EXPECT_EQ(told(word + "xor.b32 %r20, %r20, 1;\n" + kOut), "shared -> global out");
    const std::string byte = "mov.u32 %r8, s;\nmov.u16 %h1, 5;\nst.shared.u8 [%r8], %h1;\n";
    EXPECT_EQ(told(byte + "ld.shared.u8 %r20, [%r8+1];\n" + kOut), "shared -> global out") << "made wider";
    EXPECT_EQ(told(byte + "ld.shared.u8 %h2, [%r8+1];\nst.global.u8 [%rd0], %h2;\n"), "shared -> global out")
        << "an array of bytes has no padding";
    EXPECT_EQ(told(half + "ld.shared.u16 %r20, [%r8];\n" + kOut), "");
}

TEST(Poison, OfAnAtomicsMemoryStaysThere) {
    EXPECT_EQ(
        told("mov.u32 %r8, s;\nred.shared.add.u32 [%r8], 1;\nld.shared.u32 %r20, [%r8];\n" + kOut),
        "shared -> global out"
    );
    EXPECT_EQ(
        told(
            "mov.u32 %r8, s;\nmov.u32 %r5, 0;\nst.shared.u32 [%r8], %r5;\nbar.sync 0;\n"
            "red.shared.add.u32 [%r8], 1;\nld.shared.u32 %r20, [%r8];\n" +
            kOut
        ),
        ""
    );
    EXPECT_EQ(told("red.global.add.u32 [%rd2], 1;\n"), "global spare -> global spare");
    EXPECT_EQ(told("atom.global.exch.b32 %r20, [%rd2], 1;\n"), "");
}

TEST(Poison, ComesWithAnAsynchronousCopyAndIsZeroWhereItFills) {
    const auto copied = [&](const std::string& size, const std::string& at) {
        return told(
            "mov.u32 %r8, s;\ncp.async.ca.shared.global [%r8], [%rd2], 16" + size +
            ";\ncp.async.wait_all;\nld.shared.u32 %r20, [%r8+" + at + "];\n" + kOut
        );
    };
    EXPECT_EQ(copied("", "4"), "global spare -> global out");
    EXPECT_EQ(copied(", 4", "0"), "global spare -> global out");
    EXPECT_EQ(copied(", 4", "4"), "");
}

// A 16x8 product: a's row 2 alone is poisoned (lanes 8-11, first register), so rows 2 of the result are.
TEST(Poison, OfOneRowReachesOneRowOfAProduct) {
    std::string body = kWord;
    for (int k = 30; k < 38; ++k) body += fmt::format("mov.u32 %r{}, 0;\n", k);
    body += "shr.u32 %r11, %r0, 2;\nsetp.eq.u32 %p1, %r11, 2;\n@%p1 ld.shared.u32 %r30, [%r9];\n";
    for (int k = 1; k < 9; ++k) body += fmt::format("mov.f32 %f{}, 0f00000000;\n", k);
    body +=
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r30, %r31, %r32, %r33}, "
        "{%r34, %r35}, {%f1, %f2, %f3, %f4};\n";
    const auto lanes = [&](const std::string& element) {
        const PoisonTrace t = trace(body + store(0, "f32", 4, element));
        return t.incidents.empty() ? 0u : t.incidents[0].second.lanes;
    };
    EXPECT_EQ(lanes("%f1"), 0x00000f00u);
    EXPECT_EQ(lanes("%f2"), 0x00000f00u);
    EXPECT_EQ(lanes("%f3"), 0u) << "rows 8 to 15";
}

TEST(Poison, ReachesFragmentsByTheirPlaceInMemory) {
    // 16 rows of 8 halves; row 5 is not written. ldmatrix.x1 of rows 0 to 7: lanes 20-23 hold row 5.
    const std::string rows =
        "mov.u32 %r8, s;\nshl.b32 %r9, %r0, 4;\nadd.u32 %r9, %r9, %r8;\nsetp.ne.u32 %p1, %r0, 5;\n"
        "mov.u32 %r5, 0;\n@%p1 st.shared.v4.u32 [%r9], {%r5, %r5, %r5, %r5};\nbar.warp.sync -1;\n";
    const auto lanes = [&](const std::string& load) {
        const PoisonTrace t = trace(rows + load + store(0, "u32", 4, "%r20"));
        return t.incidents.empty() ? 0u : t.incidents[0].second.lanes;
    };
    EXPECT_EQ(lanes("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r9];\n"), 0x00f00000u);
    // Transposed: column 5, the upper half of lanes 2 mod 4.
    EXPECT_EQ(lanes("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r20}, [%r9];\n"), 0x44444444u);
    EXPECT_EQ(
        lanes("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r21}, "
              "[%r9];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r20, %r21;\n"),
        0x44444444u
    );
}

TEST(Poison, OneFindingForEachReadWithACountOfItsEffects) {
    const PoisonTrace t = trace(
        kWord +
        "mov.u32 %r11, 0;\nL:\nsetp.lt.u32 %p1, %r10, 5;\n@%p1 bra M;\nadd.u32 %r11, %r11, 1;\nM:\n"
        "add.u32 %r12, %r12, %r11;\nmov.u32 %r13, %r11;\nadd.u32 %r11, %r13, 1;\nsetp.lt.u32 %p2, %r11, 6;\n"
        "@%p2 bra L;\nst.global.u32 [%rd0], %r10;\n"
    );
    ASSERT_EQ(told(t), "shared -> branch");
    EXPECT_GT(t.incidents[0].count, 2u) << "the branch in each turn, and the store";
}

// What %r20 of each lane is when everything unwritten reads as zero.
std::vector<uint32_t> with_zeros(const std::string& body) {
    KernelRun run(kernel(body + store(0, "u32", 4, "%r20"), kShared));
    run.out<uint32_t>("out", 32).out<uint32_t>("none", 32).out<uint32_t>("spare", 32);
    PoisonOptions options;
    options.as_zero = true;
    const PoisonTrace t = trace_poison({run.module, *run.program, run.launch, run.memory}, options);
    EXPECT_TRUE(t.incidents.empty());
    return run.get<uint32_t>("out");
}

TEST(Poison, ReadAsZeroIsTheCounterfactual) {
    const std::vector<uint32_t> fives(32, 5);
    EXPECT_EQ(with_zeros("add.u32 %r20, %r40, 5;\n"), fives);
    EXPECT_EQ(with_zeros(kWord + "add.u32 %r20, %r10, 5;\n"), fives);
    EXPECT_EQ(with_zeros("ld.global.u32 %r10, [%rd2];\nadd.u32 %r20, %r10, 5;\n"), fives);
    EXPECT_EQ(
        with_zeros(".local .align 4 .b8 l[16];\nld.local.u32 %r10, [l+4];\nadd.u32 %r20, %r10, 5;\n"), fives
    );
    EXPECT_EQ(with_zeros("mov.u32 %r20, 5;\n@%p3 mov.u32 %r20, 6;\n"), fives);
    EXPECT_EQ(
        with_zeros("mov.u32 %r8, s;\nshl.b32 %r9, %r0, 4;\nadd.u32 %r9, %r9, %r8;\n"
                   "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r9];\nadd.u32 %r20, %r10, 5;\n"),
        fives
    );
    EXPECT_EQ(
        with_zeros("mov.u32 %r8, s;\nred.shared.add.u32 [%r8], 5;\nbar.sync 0;\nld.shared.u32 %r20, [%r8];\n"
        ),
        std::vector<uint32_t>(32, 160)
    );
}

TEST(Poison, IsNewInEachActivationOfAFunction) {
    const std::string function =
        ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .pred %p<2>;\n.reg .b32 %x<4>;\n"
        "ld.param.u32 %x1, [a];\nsetp.eq.u32 %p1, %x1, 0;\n@%p1 bra S;\nmov.u32 %x2, 3;\nS:\n"
        "st.param.b32 [r], %x1;\nsetp.eq.u32 %p1, %x2, 9;\n@%p1 bra E;\nmov.u32 %x3, 1;\nE:\nret;\n}\n";
    const auto called = [](const std::string& argument) {
        return "{\n.param .b32 a0;\n.param .b32 r0;\nst.param.b32 [a0], " + argument +
            ";\ncall (r0), f, (a0);\nld.param.b32 %r20, [r0];\n}\n";
    };
    const std::string set = "mov.u32 %r5, 1;\n", unset = "mov.u32 %r6, 0;\n";
    EXPECT_EQ(told(trace(set + called("%r5") + called("%r5"), 32, function)), "");
    EXPECT_EQ(told(trace(set + unset + called("%r5") + called("%r6"), 32, function)), "register -> branch");
}

TEST(Poison, CanOnlyComeFromRegistersThatSomePathLeavesUnset) {
    const auto may = [](const std::string& body) {
        return may_read_uninitialised(ptx::parse(kernel(body, kShared)), "k");
    };
    EXPECT_FALSE(may("mov.u32 %r20, 5;\n" + kOut));
    EXPECT_TRUE(may(kOut));
    const std::string branch = "setp.eq.u32 %p1, %r0, 3;\n@%p1 bra A;\n";
    EXPECT_TRUE(may(branch + "mov.u32 %r20, 5;\nA:\n" + kOut));
    EXPECT_FALSE(may(branch + "mov.u32 %r20, 5;\nbra B;\nA:\nmov.u32 %r20, 6;\nB:\n" + kOut));
    EXPECT_TRUE(may("setp.eq.u32 %p1, %r0, 3;\n@%p1 mov.u32 %r20, 5;\n" + kOut));
    EXPECT_TRUE(
        may("mov.u32 %r5, 0;\nL:\nadd.u32 %r5, %r5, %r6;\nmov.u32 %r6, 1;\nsetp.lt.u32 %p1, %r5, 4;\n@%p1 "
            "bra L;\n")
    );
    EXPECT_FALSE(may(kWord)) << "shared memory is the shadow's business";
    EXPECT_TRUE(may(".local .align 4 .b8 l[16];\nld.local.u32 %r20, [l+4];\n"));
}

}  // namespace
}  // namespace wl::emulator::test
