// Loops that hang on registers alone: those that never end are seen at once, and nobody else is taken for
// one.
#include "tests/emulator/emulator_cuda.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

std::string of_body(const std::string& body) {
    return ptx_of(
        "extern \"C\" __global__ void k(unsigned* count, int n) {\n"
        "    __shared__ float s[128];\n"
        "    const int t = threadIdx.x;\n"
        "    s[t] = s[t + 64] = 1;\n"
        "    __syncthreads();\n" +
        body + "\n    if (t == 0) count[1] = s[0];\n}\n"
    );
}

KernelRun run_of(const std::string& body) {
    KernelRun run(of_body(body), 64);
    run.in<uint32_t>("count", {0, 0, 0, 0}).add(50).go();
    return run;
}

TEST(ClosedLoop, ThatNeverEndsIsSeenAtOnce) {
    for (const char* body : {
             "for (int i = t; i < n; i = 32) atomicAdd(count, 1u);",
             "for (int i = t; i < n; i ^= 1) atomicAdd(count, 1u);",
             "for (int reach = 32; reach > 0; reach /= 1) { s[t] += s[t + reach]; __syncthreads(); }",
             "for (int i = 0; i < n; i += t / 40) { if (i % 3 == 1) s[t] += i; atomicAdd(count, 1u); }",
             "for (int k = 0; k < n; k = 16) { if (t + k < n) s[t] += count[3]; __syncthreads(); s[t] *= s[t "
             "+ 1]; "
             "__syncthreads(); }",
             "if (t >= 60) for (;;) atomicAdd(count, 1u);",
             // Lanes come to its begin one after the other.
             "for (int k = 0; k < n; k = 16) { s[t] = t % 32 < 9 && k + t < n ? count[2] : 0; s[t + 64] = t "
             "% 32 < 5 && k "
             "+ t < n ? count[3] : 0; __syncthreads(); s[t] += s[t ^ 1]; __syncthreads(); }",
         }) {
        const KernelRun run = run_of(body);
        const auto found = run.incidents(Kind::endless_loop);
        ASSERT_EQ(found.size(), 1u) << body;
        EXPECT_EQ(
            found[0].detail, "what the loop's condition is made of is again what it was before: it never ends"
        ) << body;
        EXPECT_EQ(line_of(*run.program, found[0].first.site), 6) << body;
        EXPECT_LT(run.result.warp_instructions, 1u << 20) << body;
        EXPECT_EQ(run.result.blocks, 0u) << body;
    }
}

TEST(ClosedLoop, LanesThatStayAreNamed) {
    const KernelRun run = run_of("for (int i = 0; i < n; i += t % 32 == 5 ? 0 : 1) atomicAdd(count, 1u);");
    const auto found = run.incidents(Kind::endless_loop);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.lanes, 1u << 5);
}

// They take long, and the registers of a loop come again; but somebody else ends it.
TEST(ClosedLoop, ThatEndsIsLeftAlone) {
    for (const char* body : {
             // It counts.
             "for (int i = 0; i < 400000; ++i) atomicAdd(count, 1u);",
             // An inner one begins anew each time.
             "while (atomicAdd(count, 1u) < 8000000)\n"
             "#pragma unroll 1\n"
             "    for (int j = 0; j < 3; ++j) ((volatile float*)s)[t] = j;",
             // Memory ends it.
             "for (int j = 0; ((volatile unsigned*)count)[0] < 8000000; j ^= 1) atomicAdd(count, 1u);",
             // Memory that stays as it is for long does.
             "if (t < 32) for (int j = 0; ((volatile float*)s)[70] == 1; j ^= 1) atomicAdd(count, 1u);\n"
             "else for (int i = 0; i < 60000; ++i) ((volatile float*)s)[t] = ((volatile float*)s)[70] = i < "
             "59999 ? 1 : 2;",
             // Another lane does.
             "for (int j = 0; __any_sync(~0u, t < 60 && s[t] < 60000); j ^= 1) s[t] += 1;",
             // A warp stands at its begin while the other works.
             "#pragma unroll 1\n"
             "for (int j = 0; j < 2; ++j) {\n"
             "    __syncthreads();\n"
             "    if (t >= 32) for (int i = 0; i < 50000; ++i) ((volatile float*)s)[t] = i;\n"
             "}",
             // Lanes come to its begin and wait for the others.
             "#pragma unroll 1\n"
             "for (int j = 0; j < 3; ++j) {\n"
             "    __syncwarp();\n"
             "    if (t % 2) for (int i = 0; i < 50000; ++i) ((volatile float*)s)[t] = i;\n"
             "}",
         }) {
        const KernelRun run = run_of(body);
        EXPECT_TRUE(run.incidents(Kind::endless_loop).empty()) << body;
        EXPECT_EQ(run.result.blocks, 1u) << body;
        EXPECT_GT(run.result.warp_instructions, 1u << 18) << body;
    }
}

// Behind it stands a jump into its middle: who takes that has left the loop, and is seen in it all the time.
TEST(ClosedLoop, ThatIsEnteredInTheMiddleReachesAsFarAsTheJump) {
    KernelRun run(
        kernel("HEAD:\nmov.u32 %r12, 0;\nMIDDLE:\nsetp.ne.u32 %p1, %r12, 0;\n@%p1 bra HEAD;\n"
               "xor.b32 %r12, %r12, 1;\natom.global.add.u32 %r13, [%rd0], 1;\n"
               "setp.lt.u32 %p2, %r13, 10000000;\n@%p2 bra MIDDLE;\n"),
        32
    );
    run.in<uint32_t>("count", {0}).go();
    EXPECT_TRUE(run.incidents(Kind::endless_loop).empty());
}

}  // namespace
}  // namespace wl::emulator::test
