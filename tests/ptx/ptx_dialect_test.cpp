// PTX as older compilers and people's hands write it.
#include "instrumentation/base/error.h"
#include "instrumentation/ptx/module.h"

#include <gtest/gtest.h>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

const std::string kHeader = ".version 6.5\n.target sm_30\n.address_size 64\n";
const std::string kRegisters =
    ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 %fd<9>;\n";

// One entry `k` with the body; what it says again when printed and parsed is the same.
Module entry(const std::string& body) {
    Module m = parse(kHeader + ".visible .entry k(.param .u32 n) {\n" + kRegisters + body + "\nret;\n}\n");
    const std::string printed = print(m);
    EXPECT_EQ(print(parse(printed)), printed);
    return m;
}
const Instruction& first(const Module& m) { return m.functions.at(0).code.at(0); }

TEST(PtxDialect, RegistersOfTheModuleAreEachFunctionsOwn) {
    const Module m = parse(
        "\t.version 1.4\n\t.target sm_11, map_f64_to_f32\n\t.reg .u32 %ra<17>;\n\t.reg .f64 %fda<2>, alone;\n"
        ".entry a() { mov.u32 %ra3, 1; mov.u32 %ra3, 2; exit; }\n.entry b() { mov.f64 alone, "
        "0d0000000000000000; exit; }\n"
    );
    ASSERT_EQ(m.functions.at(0).registers.size(), 1U);
    EXPECT_EQ(m.functions[0].registers[0], (Register{"%ra3", Type::u32}));
    EXPECT_EQ(m.functions.at(1).registers.at(0), (Register{"alone", Type::f64}));
    EXPECT_EQ(m.target_options, std::vector<std::string>{"map_f64_to_f32"});
}

TEST(PtxDialect, ConstantBanksAreOneMemory) {
    const Module m = parse(
        ".version 2.1\n.target sm_20\n.const[2] .align 4 .f32 a[4] = {1.0, 2.0, 3.0, 4.0};\n.extern "
        ".const[1] .b8 "
        "e[];\n.entry k() {\n.reg .f32 %f<3>; ld.const[2].f32 %f1, [a+4];\nld.const[10].v2.f32 {%f1, %f2}, "
        "[a];\nexit; }\n"
    );
    EXPECT_EQ(m.variables.at(0).space, Space::constant);
    EXPECT_EQ(m.variables.at(0).bytes, 16U);
    EXPECT_EQ(first(m).mnemonic, "ld.const.f32");
    EXPECT_EQ(m.functions.at(0).code.at(1).modifiers.vector, 2);
    EXPECT_EQ(print(parse(print(m))), print(m));
}

TEST(PtxDialect, ADeclarationNeedsNoSemicolon) {
    const Module m = parse(
        ".version 2.1\n.target sm_20\n.visible .func (.param .s32 r) twice (.param .s32 x)\n"
        "\t.visible .func (.param .s32 r) thrice (.param .s32 x)\n.file 1 \"<command-line>\"\n"
        ".visible .func (.param .s32 r) twice (.param .s32 x)\n{ ret; }\n.entry k() { exit; }\n"
    );
    ASSERT_EQ(m.functions.size(), 3U);
    EXPECT_FALSE(m.functions[0].is_declaration);
    EXPECT_TRUE(m.functions[1].is_declaration);
    EXPECT_EQ(m.functions[1].name, "thrice");
}

TEST(PtxDialect, DebugLinesOfTheFirstVersionsArePassedOver) {
    const Module m = parse(
        kHeader +
        "@@DWARF .section .debug_pubnames, \"\", @progbits\n.entry k() {\n@@DWARF .byte 0x2b, 0x00\nret; }\n"
        "@@DWARF .4byte .debug_info\n"
    );
    EXPECT_EQ(first(m).op, Op::ret);
    EXPECT_EQ(first(m).text_line, 7U);
}

TEST(PtxDialect, VectorRegistersComeInRangesToo) {
    const Module m = entry(".reg .v4.f32 w<3>; ld.global.v4.f32 w1, [%rd1]; mov.f32 %f1, w1.y;");
    ASSERT_EQ(first(m).operands.at(0).elements.size(), 4U);
    EXPECT_EQ(m.functions[0].code[1].operands.at(1), first(m).operands[0].elements[1]);
    EXPECT_THROW(entry(".reg .v4 .f32 w<100000000>;"), Error);
}

TEST(PtxDialect, AFractionMayStartWithItsPoint) {
    const Module m = entry("mov.f64 %fd1, .5;\nmov.f64 %fd1, -.25e-1;\nmov.f64 %fd1, 5.;");
    EXPECT_EQ(value_of(first(m).operands.at(1), Type::f64), 0x3fe0000000000000U);
    EXPECT_EQ(value_of(m.functions[0].code.at(1).operands.at(1), Type::f64), 0xbf9999999999999aU);
    EXPECT_EQ(value_of(m.functions[0].code.at(2).operands.at(1), Type::f64), 0x4014000000000000U);
}

TEST(PtxDialect, ARegisterWithAnOffsetOutsideAnAddressIsNamedNotIgnored) {
    const Module m =
        entry("add.u32 %r1, %r2+1, %r3;\nadd.u32 %r1, %r2+0, %r3;\nld.shared.u32 %r1, [%r2+-4];");
    EXPECT_EQ(first(m).op, Op::unsupported);
    EXPECT_NE(why_unsupported(first(m)).find("operands"), std::string::npos);
    EXPECT_EQ(m.functions[0].code.at(1).op, Op::add);
    EXPECT_EQ(m.functions[0].code.at(2).operands.at(1).offset, -4);
}

TEST(PtxDialect, ConstantExpressionsStandWhereNumbersDo) {
    const Module m =
        entry("mov.u32 %r1, !0;\nmov.u32 %r1, ~5;\nmov.u32 %r1, (3+4)*2;\nmov.u32 %r1, 1 ? WARP_SZ : 3;");
    const uint64_t expected[] = {1, 0xfffffffa, 14, 32};
    for (size_t i = 0; i < 4; ++i)
        EXPECT_EQ(value_of(m.functions[0].code.at(i).operands.at(1), Type::u32), expected[i]) << i;
}

TEST(PtxDialect, CommentsAndLineEndsMayStandAnywhere) {
    const Module m = parse(
        "/* a */ .version /* b */ 7.0 // c\r\n.target\tsm_70\r\n/* d\r\n*/ "
        ".visible/*x*/.entry/**/k/**/(/**/.param/**/"
        ".u64/**/a/**/)/**/{/**/.reg/**/.u32/**/%r<3>;.reg .pred p;/**/mov/**/.u32/**/%r1/**/,/**/5/**/;\r\n"
        "ld.param\r\n .u32 %r2,\r\n[\r\na\r\n+\r\n4]\r\n;@ ! p bra L; L :ret;}"
    );
    const Code& code = m.functions.at(0).code;
    ASSERT_EQ(code.size(), 4U);
    EXPECT_EQ(code[1].op, Op::ld);
    EXPECT_EQ(code[1].text_line, 5U);
    EXPECT_EQ(code[1].operands.at(1).offset, 4);
    EXPECT_TRUE(code[2].guard.negated);
    EXPECT_EQ(code[2].operands.at(0).index, 3);
}

}  // namespace
}  // namespace wl::ptx
