// Video instructions on bytes and halves: selection, saturation, masks, and where sm_90 leaves the ISA's
// text.
#include "tests/emulator/emulator_elementwise.h"

namespace wl::emulator::test {
namespace {

uint32_t one(const std::string& op, uint32_t a, uint32_t b, uint32_t c, const std::string& d, const char* s) {
    KernelRun run(
        kernel(
            fmt::format("mov.u32 %r31, {};\nmov.u32 %r32, {};\nmov.u32 %r33, {};\n", a, b, c) + op + " %r30" +
            d + ", " + s + ";\nst.global.u32 [%rd0], %r30;\n"
        ),
        1
    );
    run.out<uint32_t>("d", 1).go();
    return run.get<uint32_t>("d")[0];
}

TEST(EmulatorVideo, BytesAreAddedEachByItself) {
    EXPECT_EQ(one("vadd4.u32.u32.u32", 0x01ff7f80, 0x01010180, 0, "", "%r31, %r32, %r33"), 0x02008000u);
    EXPECT_EQ(one("vadd4.u32.u32.u32.sat", 0x01ff7f80, 0x01010180, 0, "", "%r31, %r32, %r33"), 0x02ff80ffu);
    EXPECT_EQ(one("vadd4.s32.s32.s32.sat", 0x01ff7f80, 0x01010180, 0, "", "%r31, %r32, %r33"), 0x02007f80u);
    EXPECT_EQ(one("vabsdiff4.u32.u32.u32.add", 0x01020304, 0x04030201, 100, "", "%r31, %r32, %r33"), 108u);
}

TEST(EmulatorVideo, SelectorsChooseAmongBothOperands) {
    EXPECT_EQ(
        one("vadd4.u32.u32.u32", 0x40302010, 0x80706050, 0, "", "%r31.b7654, %r32.b0123, %r33"), 0x90909090u
    ) << "b's bytes and a's backwards";
    EXPECT_EQ(
        one("vsub2.u32.u32.u32", 0x00090007, 0x00020001, 0xaaaabbbb, ".h1", "%r31, %r32, %r33"), 0x0007bbbbu
    ) << "the lower half is c's";
    EXPECT_EQ(one("vadd.s32.s32.u32", 0x00ff0000, 0x0000fe00, 0, "", "%r31.b2, %r32.b1"), 253u);
}

TEST(EmulatorVideo, TheSecondOperationTakesTheThirdOperand) {
    EXPECT_EQ(one("vabsdiff.u32.u32.u32.add", 3, 10, 100, "", "%r31, %r32, %r33"), 107u);
    EXPECT_EQ(one("vmax.s32.s32.s32.min", 5, 0xfffffffe, 3, "", "%r31, %r32, %r33"), 3u);
    EXPECT_EQ(one("vmad.s32.s32.s32.shr7", 1000, 128, 256, "", "%r31, %r32, -%r33"), 998u);
}

TEST(EmulatorVideo, TheUpperHalfIsMergedFromTheUpperHalf) {
    EXPECT_EQ(one("vadd.u32.u32.u32", 0x12345678, 1, 0xaaaabbbb, ".h1", "%r31, %r32, %r33"), 0x1234bbbbu);
    EXPECT_EQ(one("vadd.u32.u32.u32", 0x12345678, 1, 0xaaaabbbb, ".b2", "%r31, %r32, %r33"), 0xaa79bbbbu);
}

}  // namespace
}  // namespace wl::emulator::test
