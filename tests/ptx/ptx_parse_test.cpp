// PTX text to a typed module: names, scopes, operands, marks, locations, initialisers, and what is refused.
#include "instrumentation/base/error.h"
#include "instrumentation/ptx/module.h"

#include <gtest/gtest.h>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

constexpr std::string_view kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

// A module of one entry `k` with registers of every kind and the given body, whose first line is line 9.
Module parse_body_of(std::string_view body) {
    return parse(
        std::string(kHeader) +
        ".extern .shared .align 16 .b8 memory[];\n"
        ".visible .entry k(.param .u64 k_out, .param .u32 k_n) {\n"
        ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<1000>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"
        ".reg .f64 %fd<9>; .reg .b128 %q<3>;\n"
        "\n" +
        std::string(body) + "\n}\n"
    );
}

const Code& code_of(const Module& m) { return m.functions.at(0).code; }

std::string error_of(std::string_view text) {
    try {
        parse(text);
    } catch (const Error& e) { return e.what(); }
    return "no error";
}
std::string error_of_body(std::string_view body) {
    try {
        parse_body_of(body);
    } catch (const Error& e) { return e.what(); }
    return "no error";
}

TEST(PtxParse, AnInstructionKeepsOperandsTypesAndItsLine) {
    const Module m = parse_body_of("mul.wide.s32 %rd1, %r2, -3;\n@!%p1 bra DONE;\nDONE: ret;");
    const Function& f = m.functions.at(0);
    ASSERT_EQ(f.code.size(), 3U);
    EXPECT_EQ(f.code[0].op, Op::mul);
    EXPECT_EQ(f.code[0].modifiers.mode, Mode::wide);
    EXPECT_EQ(f.code[0].types, std::vector<Type>{Type::s32});
    EXPECT_EQ(f.code[0].text_line, 9U);
    EXPECT_EQ(f.registers.at(f.code[0].operands[0].index).name, "%rd1");
    EXPECT_EQ(f.registers.at(f.code[0].operands[1].index).type, Type::b32);
    EXPECT_EQ(static_cast<int64_t>(f.code[0].operands[2].bits), -3);
    EXPECT_TRUE(f.code[1].guard.negated);
    EXPECT_EQ(f.registers.at(f.code[1].guard.reg).name, "%p1");
    EXPECT_EQ(f.code[1].operands[0].index, 2);
    EXPECT_EQ(f.labels.at("DONE"), 2);
}

TEST(PtxParse, OnlyUsedRegistersExist) {
    const Module m = parse_body_of("add.s32 %r999, %r7, %r7; ret;");
    EXPECT_EQ(m.functions[0].registers.size(), 2U);
    EXPECT_NE(error_of_body("add.s32 %r1000, %r7, %r7;").find("declared nowhere"), std::string::npos);
    EXPECT_NE(error_of_body("add.s32 %r007, %r7, %r7;").find("declared nowhere"), std::string::npos);
}

TEST(PtxParse, NumbersOfEveryForm) {
    const Module m = parse_body_of(
        "mov.b32 %r1, 0x1F; mov.b32 %r1, 0b101; mov.b32 %r1, 017; mov.b32 %r1, 4294967295U; mov.b32 %r1, "
        "WARP_SZ;\n"
        "mov.b32 %r1, (1+2)*3-1; mov.b32 %r1, ~0 & 0xff; mov.b32 %r1, 1 ? 7 : 9; mov.b32 %r1, (.s64)(0-8) >> "
        "1;\n"
        "mov.f32 %f1, 0f3F800000; mov.f64 %fd1, 0d4000000000000000; mov.f64 %fd1, 1.5e1; mov.f32 %f1, -2.5;"
    );
    const std::vector<uint64_t> integers = {
        0x1f, 5, 15, 0xffffffff, 32, 8, 0xff, 7, static_cast<uint64_t>(-4)};
    for (size_t i = 0; i < integers.size(); ++i) EXPECT_EQ(code_of(m)[i].operands[1].bits, integers[i]) << i;
    const auto value = [&](size_t i, Type type) { return value_of(code_of(m)[i].operands[1], type); };
    EXPECT_EQ(value(9, Type::f32), 0x3f800000U);
    EXPECT_EQ(value(9, Type::f64), 0x3ff0000000000000U);
    EXPECT_EQ(value(10, Type::f32), 0x40000000U);
    EXPECT_EQ(value(11, Type::f64), 0x402e000000000000U);
    EXPECT_EQ(value(12, Type::f32), 0xc0200000U);
}

TEST(PtxParse, AddressesOfEveryForm) {
    const Module m = parse_body_of(
        "ld.param.u64 %rd1, [k_out]; ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+-16]; ld.shared.u32 %r1, "
        "[memory+12];\n"
        "st.global.u32 [%rd1 + 4*3], %r1; ld.u32 %r1, [64]; mov.u64 %rd2, memory+8; "
        "cp.async.ca.shared.global [%r1], "
        "[%rd1], 16, %r2;"
    );
    const auto operand = [&](size_t i, size_t o) { return code_of(m)[i].operands.at(o); };
    EXPECT_EQ(operand(0, 1).base_kind, Kind::param);
    EXPECT_EQ(operand(1, 1).offset, -16);
    EXPECT_EQ(operand(1, 0).elements.size(), 4U);
    EXPECT_EQ(code_of(m)[1].modifiers.vector, 4);
    EXPECT_EQ(operand(2, 1).base_kind, Kind::symbol);
    EXPECT_FALSE(operand(2, 1).local);
    EXPECT_EQ(operand(2, 1).offset, 12);
    EXPECT_EQ(operand(3, 0).offset, 12);
    EXPECT_EQ(operand(4, 1).base_kind, Kind::none);
    EXPECT_EQ(operand(4, 1).offset, 64);
    EXPECT_EQ(code_of(m)[4].modifiers.space, Space::generic);
    EXPECT_EQ(operand(5, 1).kind, Kind::symbol);
    EXPECT_EQ(operand(5, 1).offset, 8);
    EXPECT_EQ(code_of(m)[6].modifiers.space, Space::shared);
    EXPECT_EQ(code_of(m)[6].modifiers.source_space, Space::global);
    EXPECT_EQ(operand(6, 3).kind, Kind::reg);
}

TEST(PtxParse, InnerScopesHideAndRename) {
    const Module m = parse_body_of(
        "{ .reg .b32 t; .reg .pred p; setp.eq.s32 p, %r1, 0; @p bra OUT; mov.b32 t, 4; OUT: }\n"
        "{ .reg .f32 t; .reg .pred p; setp.eq.s32 p, %r1, 0; @p bra OUT; mov.f32 t, 0f00000000; OUT: ret; }"
    );
    const Function& f = m.functions[0];
    EXPECT_EQ(f.registers.at(f.code[2].operands[0].index).name, "t");
    EXPECT_EQ(f.registers.at(f.code[2].operands[0].index).type, Type::b32);
    EXPECT_EQ(f.registers.at(f.code[5].operands[0].index).name, "t$1");
    EXPECT_EQ(f.registers.at(f.code[5].operands[0].index).type, Type::f32);
    EXPECT_EQ(f.code[1].operands[0].index, 3) << "each OUT is of its own scope";
    EXPECT_EQ(f.code[4].operands[0].index, 6);
}

TEST(PtxParse, PairsSinksSelectorsAndSpecials) {
    const Module m = parse_body_of(
        "shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1; setp.lt.and.s32 _|%p2, %r1, 5, !%p1;\n"
        "vadd.s32.u32.s32.sat %r1.h1, %r2.b3, -%r3.h0, %r4; mov.u32 %r1, %envreg2; mov.u32 %r1, %tid.y;\n"
        "vadd4.u32.u32.u32 %r1.b31, %r2.b7654, %r3, %r4;"
    );
    const auto& code = code_of(m);
    EXPECT_TRUE(code[0].modifiers.pair);
    EXPECT_EQ(code[0].operands.size(), 6U);
    EXPECT_EQ(code[1].operands[0].kind, Kind::sink);
    EXPECT_TRUE(code[1].operands[4].negated);
    EXPECT_EQ(code[1].modifiers.bool_op, BoolOp::and_);
    EXPECT_EQ(code[2].operands[0].selector, 0x9001);
    EXPECT_EQ(code[2].operands[1].selector, 0x1003);
    EXPECT_TRUE(code[2].operands[2].negated);
    EXPECT_EQ(code[3].operands[1].index, static_cast<int32_t>(SpecialRegister::envreg));
    EXPECT_EQ(code[3].operands[1].offset, 2);
    EXPECT_EQ(code[4].operands[1].index, static_cast<int32_t>(SpecialRegister::tid_y));
    EXPECT_EQ(code[5].operands[1].selector, 0x4000 | 07654);
}

TEST(PtxParse, ALayoutMarkMayHaveANotation) {
    const Module m = parse_body_of("//@wl layout \"K\" 8 %rd1 0 0 0 \"Swizzle<3,3,3> o (64,64):(64,1)\"\n");
    const Mark& mark = m.functions[0].marks.at(0);
    EXPECT_EQ(mark.layout, "Swizzle<3,3,3> o (64,64):(64,1)");
    EXPECT_EQ(m.functions[0].code[0].operands.size(), 4U);
    EXPECT_EQ(parse(print(m)).functions[0].marks.at(0), mark);
}

TEST(PtxParse, MarksStandInTheCode) {
    const Module m = parse_body_of(
        "//@wl stage \"soft\\\"max\\x21\\n\"\nmov.u32 %r1, 7;\n//@wl tile \"scores\" 10 %rd1 %r1 64 -65\n"
        "\t//@wl layout \"K\" 8 %rd1 64 64 72 1\n//@wl fragment \"acc\" 10 3 8 %f2\n//@wl lanes \"sum\" 10 "
        "%f1\n"
        "//@wl warp_tile \"P\" 8 %rd1 16 16 24\n// no mark\n"
    );
    const Function& f = m.functions[0];
    ASSERT_EQ(f.marks.size(), 6U);
    EXPECT_EQ(f.code[0].op, Op::mark);
    EXPECT_EQ(f.marks[0].name, "soft\"max!\n");
    EXPECT_EQ(f.code[1].op, Op::mov);
    EXPECT_EQ(f.marks[1].kind, Mark::Kind::tile);
    EXPECT_EQ(f.marks[1].dtype, DType::f32);
    EXPECT_EQ(f.code[2].operands[2].bits, 64U);
    EXPECT_EQ(static_cast<int64_t>(f.code[2].operands[3].bits), -65);
    EXPECT_EQ(f.code[2].text_line, 11U);
    EXPECT_EQ(f.marks[2].order, 1);
    EXPECT_EQ(f.code[3].operands.size(), 4U);
    EXPECT_EQ(f.code[4].operands[0].bits, 3U);
    EXPECT_EQ(f.registers[f.code[4].operands[2].index].name, "%f2");
    EXPECT_EQ(f.marks[5].kind, Mark::Kind::warp_tile);
    EXPECT_NE(
        error_of_body("//@wl tile \"scores\" 15 %rd1 1 2 3\n").find("line 9: no element type"),
        std::string::npos
    );
    EXPECT_NE(error_of_body("//@wl tile \"scores\" 10 %rd1 1 2\n").find("line 9"), std::string::npos);
}

TEST(PtxParse, LocationsKnowTheirCallSites) {
    const Module m = parse(
        std::string(kHeader) +
        ".entry k() {\n.reg .b32 %r<9>;\n"
        ".loc 1 10 1\nmov.u32 %r1, 0;\n"
        ".loc 1 20 2\n.loc 1 99 0\n"
        ".loc 2 30 3, function_name $L__info_string0, inlined_at 1 20 2\nmov.u32 %r1, 1;\n"
        ".loc 2 40 4, function_name $L__info_string1, inlined_at 2 30 3\nmov.u32 %r1, 2;\n"
        ".loc 1 10 1\nmov.u32 %r1, 3;\n}\n"
        ".file 1 \"kernels/a.cu\"\n.file 2 \"b.h\"\n"
        ".section .debug_str {\n$L__info_string0:\n.b8 95,90,49,102\n.b8 118,0\n$L__info_string1:\n.b8 "
        "103,0\n}\n"
    );
    const auto& code = m.functions.at(0).code;
    EXPECT_EQ(describe(m, code[2].location, true), "b.h:40 inlined at b.h:30 inlined at kernels/a.cu:20");
    EXPECT_EQ(describe(m, code[2].location), "b.h:40");
    EXPECT_EQ(describe(m, code[0].location, true), "kernels/a.cu:10");
    EXPECT_EQ(code[0].location, code[3].location) << "equal locations are one";
    EXPECT_EQ(m.locations.size(), 4U) << "a line without instructions is none";
    EXPECT_EQ(m.function_names.at(m.locations[code[1].location].function), "_Z1fv");
    EXPECT_EQ(m.function_names.at(m.locations[code[2].location].function), "g");
    EXPECT_EQ(describe(m, -1), "no source line");
}

TEST(PtxParse, ACallSiteIsTheLatestLineOfItsPlace) {
    const Module m = parse(
        std::string(kHeader) +
        ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.entry k() {\n.reg .b32 %r<9>;\n"
        ".loc 2 30 3, function_name f, inlined_at 1 20 2\nmov.u32 %r1, 0;\n"
        ".loc 2 40 4, function_name g, inlined_at 2 30 3\nmov.u32 %r1, 1;\n"
        ".loc 2 30 3, function_name f, inlined_at 1 21 2\nmov.u32 %r1, 2;\n"
        ".loc 2 40 4, function_name g, inlined_at 2 30 3\nmov.u32 %r1, 3;\n}"
    );
    const auto& code = m.functions.at(0).code;
    EXPECT_EQ(describe(m, code[1].location, true), "b.h:40 inlined at b.h:30 inlined at a.cu:20");
    EXPECT_EQ(describe(m, code[3].location, true), "b.h:40 inlined at b.h:30 inlined at a.cu:21");
}

TEST(PtxParse, InitialisersHoldBytesAndAddresses) {
    const Module m = parse(
        std::string(kHeader) +
        ".visible .const .align 4 .b8 table[6] = {1, 2, 255, 0x10};\n"
        ".global .align 8 .u64 links[3] = {7, generic(table)+4, f};\n"
        ".global .u32 grid[2][3] = {{1, 2}, {3, 4, 5}};\n"
        ".global .f32 reals[] = {1.5, 0f40000000};\n"
        ".global .align 8 .u8 bytes[2] = {0xFF(table), 0xFF00(table)};\n"
        ".func f() { ret; }\n"
    );
    const auto& v = m.variables;
    ASSERT_EQ(v.size(), 5U);
    EXPECT_EQ(v[0].space, Space::constant);
    EXPECT_EQ(v[0].bytes, 6U);
    EXPECT_EQ(v[0].init.at(0).bytes.size(), 4U);
    EXPECT_EQ(v[0].init[0].bytes[3], std::byte{0x10});
    EXPECT_EQ(v[1].init.at(1).offset, 8U);
    EXPECT_EQ(v[1].init[1].address_of, 0);
    EXPECT_TRUE(v[1].init[1].generic);
    EXPECT_EQ(v[1].init[1].addend, 4);
    EXPECT_TRUE(v[1].init.at(2).is_function);
    ASSERT_EQ(v[2].init.size(), 1U);
    EXPECT_EQ(v[2].init[0].bytes[8], std::byte{0}) << "grid[0][2] is left open";
    EXPECT_EQ(v[2].init[0].bytes[12], std::byte{3});
    EXPECT_EQ(v[2].init[0].bytes[20], std::byte{5});
    EXPECT_EQ(v[3].bytes, 8U);
    EXPECT_EQ(v[3].init[0].bytes[3], std::byte{0x3f});
    EXPECT_EQ(v[4].init.at(1).shift, 8);
    EXPECT_EQ(v[4].init[1].width, 1);
}

TEST(PtxParse, CallsOfEveryForm) {
    const Module m = parse(
        std::string(kHeader) +
        ".func (.param .b32 r) g(.param .b32 a, .param .b64 b);\n.func h();\n"
        ".func h() { ret; }\n"
        ".entry k() {\n.reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
        "{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x+0], 1;\n"
        "call.uni (z), g, (x, y); ld.param.b32 %r1, [z]; }\n"
        "call h;\ncall.uni h, ();\n"
        "{ .param .b32 z; P: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;\n"
        "mov.u64 %rd1, h; call (z), %rd1, (%rd2), P; T: .calltargets h, g; call %rd1, T; }\nret; }"
    );
    ASSERT_EQ(m.functions.size(), 3U);
    EXPECT_TRUE(m.functions[0].is_declaration);
    EXPECT_FALSE(m.functions[1].is_declaration);
    const Function& f = m.functions[2];
    const auto& c = f.code;
    EXPECT_EQ(c[1].operands.size(), 3U);
    EXPECT_EQ(c[1].operands[0].elements.size(), 1U);
    EXPECT_EQ(c[1].operands[1].kind, Kind::function);
    EXPECT_EQ(c[1].operands[1].index, 0);
    EXPECT_EQ(f.variables.at(c[1].operands[2].elements.at(1).index).name, "y");
    EXPECT_EQ(c[3].operands[1].index, 1);
    EXPECT_TRUE(c[4].operands[2].elements.empty());
    EXPECT_EQ(c[6].operands[1].kind, Kind::reg);
    EXPECT_EQ(c[6].operands[3].kind, Kind::prototype);
    EXPECT_TRUE(f.prototypes.at(0).noreturn);
    EXPECT_EQ(f.prototypes[0].params.at(0).bytes, 8U);
    EXPECT_EQ(f.variables.at(3).name, "z$1");
    EXPECT_EQ(f.call_targets.at(0), (std::vector<int32_t>{1, 0}));
    for (const Instruction& i : c) EXPECT_NE(i.op, Op::unsupported) << why_unsupported(i);
}

TEST(PtxParse, BranchTargetsAreInstructions) {
    const Module m =
        parse_body_of("T: .branchtargets A, B, A;\nbrx.idx.uni %r1, T;\nA: add.s32 %r1, %r1, 1;\nB: ret;");
    EXPECT_EQ(m.functions[0].branch_targets.at(0), (std::vector<int32_t>{1, 2, 1}));
    EXPECT_EQ(code_of(m)[0].op, Op::brx_idx);
    EXPECT_EQ(code_of(m)[0].operands[1].kind, Kind::branch_targets);
}

TEST(PtxParse, FunctionDirectivesAreKept) {
    const Module m = parse(
        std::string(kHeader) +
        ".weak .entry k() .maxntid 256, 2 .reqntid 64 .minnctapersm 2 .pragma \"nounroll\"; .noreturn { ret; "
        "}\n"
        ".section .debug_info { .b32 .debug_abbrev /* x */\n .b8 1, 2 }\n.file 1 \"a\", 12, 34\n"
    );
    const Function& f = m.functions.at(0);
    EXPECT_EQ(f.max_threads[0], 256U);
    EXPECT_EQ(f.max_threads[1], 2U);
    EXPECT_EQ(f.max_threads[2], 1U);
    EXPECT_EQ(f.required_threads[0], 64U);
    EXPECT_EQ(f.directives, std::vector<std::string>{".minnctapersm 2"});
    EXPECT_EQ(f.linkage, ".weak");
    EXPECT_TRUE(f.noreturn);
    EXPECT_NE(m.sections.at(".debug_info").find(".b8 1, 2"), std::string::npos);
    EXPECT_EQ(find_entry(m, ""), &f);
    EXPECT_EQ(find_entry(m, "nobody"), nullptr);
}

TEST(PtxParse, WhatTheTableLacksIsNoErrorButNamed) {
    const Module m = parse_body_of(
        "frobnicate.u32 %r1, %r2;\nadd.u31 %r1, %r2, %r3;\nadd.s32.frob %r1, %r2, %r3;\nadd.s32 %r1, %r2;\n"
        "add.s32 7, %r2, %r3;\nld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];\nret;"
    );
    const auto& code = code_of(m);
    for (size_t i = 0; i < 6; ++i) EXPECT_EQ(code[i].op, Op::unsupported) << code[i].mnemonic;
    EXPECT_EQ(why_unsupported(code[0]), "frobnicate.u32: no such instruction in the PTX ISA 9.0");
    EXPECT_EQ(why_unsupported(code[2]), "add.s32.frob: .frob is in no form of add");
    EXPECT_EQ(why_unsupported(code[3]), "add.s32: its operands are not `d a b`");
    EXPECT_EQ(code[6].op, Op::ret);
}

TEST(PtxParse, ErrorsNameTheLine) {
    EXPECT_EQ(
        error_of_body("add.s32 %r1, %r2, nobody;"),
        "PTX line 9: a name that is declared nowhere, at `nobody`."
    );
    EXPECT_EQ(error_of_body("\nbra NOWHERE;"), "PTX line 10: no label `NOWHERE` in this function.");
    EXPECT_EQ(error_of_body("@%r1 ret;"), "PTX line 9: a guard that is no .pred register, at `%r1`.");
    EXPECT_EQ(
        error_of(std::string(kHeader) + ".entry k() {\n ret;\n"), "PTX line 4: this `{` has no closing `}`."
    );
    EXPECT_EQ(error_of("/* endless"), "PTX line 1: this /* comment never ends.");
    EXPECT_EQ(
        error_of(".global .u8 a[1099511627776][2];"),
        "PTX line 1: a variable of more than 2^40 bytes, at `a`."
    );
    EXPECT_EQ(
        error_of(".global .u8 a[2] = {1,2,3};"),
        "PTX line 1: more initial values than the variable holds, at `3`."
    );
    EXPECT_EQ(error_of("\x01"), "PTX line 1: no token starts with the byte 0x01.");
}

TEST(PtxParse, HostileTextIsRefusedInTime) {
    EXPECT_NE(error_of_body(std::string(100'000, '{')).find("nested deeper"), std::string::npos);
    EXPECT_NE(
        error_of_body("mov.u32 %r1, " + std::string(100'000, '(')).find("nested deeper"), std::string::npos
    );
    EXPECT_NE(
        error_of_body("mov.u32 %r1, " + std::string(100'000, '-') + "1;").find("nested deeper"),
        std::string::npos
    );
    EXPECT_NE(error_of_body("mov.b64 " + std::string(100'000, '{')).find("nested deeper"), std::string::npos);
    EXPECT_NE(
        error_of(".global .u8 a[] = " + std::string(100'000, '{')).find("nested deeper"), std::string::npos
    );
    EXPECT_EQ(error_of_body(".reg .b32 %x<4000000000>; mov.b32 %x3999999999, 1;"), "no error");
    EXPECT_NE(error_of_body("mov.u32 %r1, 1/0;").find("division by zero"), std::string::npos);
    EXPECT_NE(error_of_body("mov.u32 %r1, 99999999999999999999;").find("beyond 64 bits"), std::string::npos);
}

// Every prefix and every single-byte change of a rich text either parses or throws Error.
TEST(PtxParse, NoDamageToTheTextCrashes) {
    const std::string whole = std::string(kHeader) +
        ".global .u64 a[2][2] = {{1, generic(a)+8}, {f, -1}};\n.func f() { ret; }\n"
        ".entry k(.param .u64 p) .maxntid 32 {\n.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
        ".loc 1 2 3, function_name $s+1, inlined_at 1 2 3\n//@wl tile \"s\" 10 %rd1 %r1 2 3\n"
        "L: @!%p1 ld.global.v2.u32 {%r1, _}, [%rd1+-8]; vadd.u32.u32.u32 %r1.b0, %r2.h1, 1;\n"
        "T: .branchtargets L, M; brx.idx %r1, T; M: { .reg .f32 t; mov.f32 t, 0f3F800000; }\n"
        "setp.eq.or.u32 %p1|%p2, %r1, (1+2)*3, !%p1; call.uni f; ret; }\n"
        ".section .debug_str { $s: .b8 1,2,0 }\n.file 1 \"a\\\\b\"\n";
    ASSERT_NO_THROW(parse(whole));
    const auto survives = [](std::string_view text) {
        try {
            parse(text);
        } catch (const Error&) {}
    };
    for (size_t i = 0; i < whole.size(); ++i) {
        survives(std::string_view(whole).substr(0, i));
        for (char c : std::string_view("\0%.,;{}()[]\"0:@|+-<_", 20)) {
            std::string damaged = whole;
            damaged[i] = c;
            survives(damaged);
        }
    }
}

}  // namespace
}  // namespace wl::ptx
