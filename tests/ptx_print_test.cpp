// parse(print(m)) is m: over everything that nvcc and NVRTC emitted here, and over what they seldom emit.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/ptx/module.h"

#include <gtest/gtest.h>

namespace wl::ptx {
namespace {

void expect_equal(const Instruction& a, const Instruction& b) {
    EXPECT_EQ(a.op, b.op) << a.mnemonic;
    EXPECT_EQ(a.mnemonic, b.mnemonic);
    EXPECT_EQ(a.form, b.form) << a.mnemonic;
    EXPECT_TRUE(a.types == b.types && a.modifiers == b.modifiers && a.guard == b.guard) << a.mnemonic;
    EXPECT_TRUE(a.operands == b.operands) << a.mnemonic << " of line " << a.text_line;
    EXPECT_EQ(a.location, b.location) << a.mnemonic << " of line " << a.text_line;
    EXPECT_EQ(a.mark, b.mark);
}

void expect_equal(const Function& a, const Function& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.linkage, b.linkage);
    EXPECT_TRUE(a.is_entry == b.is_entry && a.is_declaration == b.is_declaration && a.noreturn == b.noreturn)
        << a.name;
    EXPECT_EQ(a.alias_of, b.alias_of);
    EXPECT_TRUE(a.params == b.params && a.results == b.results && a.variables == b.variables) << a.name;
    EXPECT_TRUE(a.registers == b.registers) << a.name;
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_EQ(a.branch_targets, b.branch_targets);
    EXPECT_EQ(a.call_targets, b.call_targets);
    EXPECT_TRUE(a.prototypes == b.prototypes && a.marks == b.marks) << a.name;
    EXPECT_TRUE(std::equal(a.max_threads, a.max_threads + 3, b.max_threads)) << a.name;
    EXPECT_TRUE(std::equal(a.required_threads, a.required_threads + 3, b.required_threads)) << a.name;
    EXPECT_EQ(a.attributes, b.attributes);
    EXPECT_EQ(a.directives, b.directives);
    EXPECT_EQ(a.pragmas, b.pragmas);
    ASSERT_EQ(a.code.size(), b.code.size()) << a.name;
    for (size_t i = 0; i < a.code.size(); ++i) expect_equal(a.code[i], b.code[i]);
}

void expect_equal(const Module& a, const Module& b) {
    EXPECT_EQ(a.version, b.version);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.target_options, b.target_options);
    EXPECT_EQ(a.address_size, b.address_size);
    EXPECT_EQ(a.files, b.files);
    EXPECT_EQ(a.function_names, b.function_names);
    EXPECT_TRUE(a.locations == b.locations);
    EXPECT_TRUE(a.variables == b.variables);
    EXPECT_EQ(a.sections, b.sections);
    EXPECT_EQ(a.pragmas, b.pragmas);
    ASSERT_EQ(a.functions.size(), b.functions.size());
    for (size_t i = 0; i < a.functions.size(); ++i) expect_equal(a.functions[i], b.functions[i]);
}

size_t count(const Module& m, Op op) {
    size_t n = 0;
    for (const Function& f : m.functions)
        for (const Instruction& i : f.code) n += i.op == op ? 1 : 0;
    return n;
}

class PtxSample : public testing::TestWithParam<const char*> {};

TEST_P(PtxSample, ParsesWhollyAndPrintsToItself) {
    const Module m = parse(read_text_file(std::string(WL_SOURCE_DIR "/tests/ptx/") + GetParam() + ".ptx"));
    size_t instructions = 0;
    for (const Function& f : m.functions)
        for (const Instruction& i : f.code) {
            ++instructions;
            EXPECT_NE(i.op, Op::unsupported) << i.text_line << ": " << why_unsupported(i);
        }
    EXPECT_GT(instructions, 30U);
    expect_equal(m, parse(print(m)));
}

INSTANTIATE_TEST_SUITE_P(
    Ptx,
    PtxSample,
    testing::Values(
        "arithmetic",
        "clang",
        "cluster",
        "language",
        "language_debug",
        "language_sm75",
        "matrix",
        "memory",
        "texture",
        "v2c_3",
        "v2c_3_debug"
    ),
    [](const auto& sample) { return std::string(sample.param); }
);

TEST(PtxPrint, TheAttentionKernelHasItsMarksAndLines) {
    const Module m = parse(read_text_file(WL_SOURCE_DIR "/tests/ptx/v2c_3.ptx"));
    const Function* f = find_entry(m, "v2c_3");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->marks.size(), 16U);
    EXPECT_EQ(count(m, Op::mark), 16U);
    EXPECT_EQ(f->max_threads[0], 256U);
    EXPECT_EQ(f->params.size(), 5U);
    const auto deepest = std::max_element(f->code.begin(), f->code.end(), [&](const auto& a, const auto& b) {
        return describe(m, a.location, true).size() < describe(m, b.location, true).size();
    });
    EXPECT_NE(describe(m, deepest->location, true).find(" inlined at kernels/v2c_3.cu:"), std::string::npos);
}

TEST(PtxPrint, TheDebugBuildHasItsSectionsAndLabels) {
    const Module m = parse(read_text_file(WL_SOURCE_DIR "/tests/ptx/v2c_3_debug.ptx"));
    EXPECT_EQ(m.target_options, std::vector<std::string>{"debug"});
    EXPECT_NE(m.sections.at(".debug_info").find(".b8"), std::string::npos);
    EXPECT_TRUE(find_entry(m, "")->labels.contains("$L__tmp263"))
        << "the ranges of variables end at such labels";
    EXPECT_GT(m.functions.size(), 10U);
}

constexpr std::string_view kSeldom = R"(.version 9.0
.target sm_90, debug
.address_size 64
.pragma "noinline";
.global .align 8 .u8 bytes[4] = {0xFF(words), 0xFF00(words), 3, 0xFF(generic(words)+8)};
.visible .global .attribute(.managed) .v2 .f32 words = {1.5, -2.5};
.weak .const .s16 signed[2][2] = {{-1}, {-2, 3}};
.extern .shared .b8 dynamic[];
.global .texref texture;
.common .global .u64 shared_by_modules;
.func (.reg .b32 r) by_register(.reg .b32 a) .noreturn;
.visible .func f() { ret; }
.func g();
.alias g, f;
.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 q[24])
.reqntid 32, 4, 1 .maxnreg 64 .minnctapersm 2
{
.reg .v4 .f32 colour; .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 wide;
.local .align 16 .b8 depot[32];
.pragma "nounroll";
BEGIN: TWICE:
mov.f32 colour.y, 0fBF800000;
tex.2d.v4.f32.f32 colour, [texture, {colour.x, colour.g}];
{ .reg .b32 %r1; .reg .b32 colour; mov.b32 %r1, 7; mov.b32 colour, %r1; bra BEGIN; BEGIN: }
T: .branchtargets BEGIN, END, BEGIN;
@!%p1 brx.idx %r1, T;
P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;
C: .calltargets f, g;
call.uni f; call f, (); call %rd1, C;
{ .param .b32 x; call (x), %rd1, (depot, 4), P; }
ld.param.b64 %rd1, [q+8]; mov.u64 %rd2, words+4; mov.u64 %rd3, k; mov.b128 wide, {%rd1, %rd2};
setp.lt.and.s32 %p1|%p2, %r1, -9223372036854775807, !%p2; mov.u32 %r2, %envreg31; mov.u64 %rd1, %pm3_64;
vadd4.u32.s32.u32.sat %r1.b31, %r2.b7654, -%r3, %r4;
frobnicate.x.u32 %r1, [%rd1+-8, {%r1, _}], 1.5;
//@wl tile "a\"b\\\n" 10 %rd1 3 %r1 -4
//@wl stage "x"
END:
}
)";

TEST(PtxPrint, WhatCompilersSeldomEmitPrintsToItself) {
    const Module m = parse(kSeldom);
    EXPECT_EQ(count(m, Op::unsupported), 1U);
    expect_equal(m, parse(print(m)));
    EXPECT_EQ(print(m), print(parse(print(m)))) << "printing is a fixed point";
}

TEST(PtxPrint, AnEditedInstructionPrintsAlone) {
    Module m = parse(
        ".version 9.0\n.target sm_90\n.entry k() {\n.reg .pred %p<2>; .reg .b32 %r<4>;\n"
        "LOOP: setp.lt.s32 %p1, %r1, 63;\n@!%p1 bra LOOP;\n}"
    );
    Function& f = m.functions[0];
    f.code[0].operands[2].bits = 64;
    EXPECT_EQ(print(m, f, f.code[0]), "setp.lt.s32 %p1, %r1, 64;");
    EXPECT_EQ(print(m, f, f.code[1]), "@!%p1 bra LOOP;");
    EXPECT_EQ(parse(print(m)).functions[0].code[0].operands[2].bits, 64U);
}

TEST(PtxPrint, HugeGapsBetweenInitialValuesAreRefused) {
    const Module m = parse(".version 9.0\n.target sm_90\n.global .u8 a[3][1073741824] = {{1}, {2}};");
    EXPECT_THROW(print(m), Error);
}

}  // namespace
}  // namespace wl::ptx
