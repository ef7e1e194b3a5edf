// parse(print(m)) is m: over everything that nvcc and NVRTC emitted here, and over what they seldom emit.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/ptx/edit/edit.h"
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
    const Function& f = m.functions[0];
    ASSERT_TRUE(set_constant(
        m,
        {
            {0, 0}
    },
        2,
        64
    ));
    EXPECT_EQ(print(m, f, f.code[0]), "setp.lt.s32 %p1, %r1, 64;");
    EXPECT_EQ(print(m, f, f.code[1]), "@!%p1 bra LOOP;");
    EXPECT_EQ(parse(print(m)).functions[0].code[0].operands[2].bits, 64U);
}

const std::string kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

// Texts whose first printing once said something else when it was parsed again.
TEST(PtxPrint, APrintedModuleSaysTheSameAgain) {
    const std::string lines = ".file 1 \"a.cu\"\n.entry k() {\n.loc 1 4 0, function_name ";
    const std::string strings =
        ", inlined_at 1 3 0\nret; }\n.section .debug_str { .b8 120, 97, 98, 0\nL: .b8 97, 98, 0, 99, 0 }\n";
    const std::string texts[] = {
        // a register, a variable, a parameter's list that come after a use of the module's name
        ".entry x() { .reg .b64 %rd; mov.u64 %rd, x; .reg .b64 x; mov.u64 x, %rd; ret; }",
        ".global .u32 x;\n.entry k() { .reg .b32 %r<3>; { .reg .b32 x; mov.b32 x, 1; } ld.global.u32 %r1, "
        "[x]; }",
        ".global .u32 x;\n.entry k() { .reg .b64 %rd<3>; mov.u64 %rd1, x; .shared .u32 x; mov.u64 %rd2, x; }",
        ".global .u32 x;\n.entry k() { .reg .b32 x$1, %r; { .reg .b32 x; mov.b32 x$1, x; } ld.global.u32 %r, "
        "[x]; }",
        ".entry k() { .reg .b32 %r; mov.u32 %r, %laneid; .reg .b32 %laneid; mov.b32 %laneid, %r; }",
        ".global .u32 $branch_targets0;\n.entry k() { .reg .b32 %r; A: T: .branchtargets A; brx.idx %r, T;"
        " ld.global.u32 %r, [$branch_targets0]; }",
        // lines
        lines + "L+1" + strings,
        lines + "L+5" + strings,
        lines + "L+6" + strings,
        lines + "L" + strings,
        lines + "M" + strings,
        lines + "M+7" + strings,
        ".entry k() {\n.loc 1 1 1, function_name f, inlined_at 1 1 1\n.loc 1 1 1, function_name f, "
        "inlined_at 1 1 "
        "1\nret; }",
        ".file 7 \"a\\\\b\\\"\\n\"\n.entry k() {\n.loc 9 2147483647 0\nret;\n.loc 7 0 2147483647\nret; }",
        // sections, pragmas, attributes, directives
        ".section .a { // one\n.b8 1 /* two */ }\n.section .a { }\n.section .b { }\n.entry k() { ret; "
        "}",
        ".pragma \"\\x01\\377\\t\\\"\", \"\";\n.entry k() { .pragma \"a\\\\\"; ret; }",
        ".func .attribute(.unified(1, 2 3)) f() { ret; }",
        ".entry k() .maxntid 1, 2 .minnctapersm 1 .foo 1, -2 3 { ret; }",
        // numbers
        ".entry k() { .reg .b64 %rd; .reg .f32 %f; mov.u64 %rd, 18446744073709551615; mov.s64 %rd, "
        "-9223372036854775808; mov.b64 %rd, -0; mov.f32 %f, -0f00000000; mov.f32 %f, 0fFFFFFFFF; mov.b64 "
        "%rd, -0.0;"
        " mov.b64 %rd, 0d8000000000000001; }",
        ".entry k() { .reg .b64 %rd; mov.b64 %rd, 0b11U; mov.b64 %rd, 017; mov.b64 %rd, 0xffffffffffffffffU; "
        "mov.b64 %rd, 4.9e-324; ld.u32 %rd, [%rd+-9223372036854775808]; ld.u32 %rd, [-1]; }",
        ".global .tf32 t[3] = {1.5, 0f3F800000, 2};\n.global .f16 h[2] = {1.5, 7};\n.global .b128 w = 5;\n"
        ".global .u8 a[2][60] = {{1}, {2}};\n.global .f64 d = -0.0;\n.entry k() { ret; }",
        ".global .u64 a = k-8;\n.global .b8 b[2] = {0xFF(generic(a)+3), 0xFF00(a-1)};\n.entry k() { ret; }",
        ".entry k() { .reg .b32 %r; mov.u32 %r, %ntid.x; { .reg .b64 %ntid; mov.u32 %r, %ntid.x; } }",
        ".entry k() { .reg .v4 .u32 v; .reg .u16 %h<4>; mov.v4.u32 v, %tid; mov.u32 v.y, %ntid.w; mov.v2.u16 "
        "{%h1, _}, {%h2, "
        "%tid.x}; }",
        // names
        ".global .u32 $, _a, %b, a.b, $$1;\n.entry $k() { .reg .b32 $1, %$, a$b; .reg .v2 .b32 v; $L: %L: "
        "mov.b32 "
        "$1, %$; mov.b32 a$b, v.x; mov.b32 v.y, 1; ld.global.u32 $1, [a.b+4]; ld.global.u32 $1, [%b]; bra "
        "%L; }",
    };
    for (const std::string& text : texts) {
        std::string printed;
        try {
            const Module m = parse(kHeader + text);
            printed = print(m);
            expect_equal(m, parse(printed));
            EXPECT_EQ(print(parse(printed)), printed) << text;
        } catch (const Error& e) { ADD_FAILURE() << e.what() << "\n" << text << "\n" << printed; }
    }
}

TEST(PtxPrint, WhatCannotBeSaidAgainIsRefused) {
    const std::string ends[] = {
        ".func .attribute(\"a b\") f() { ret; }",
        ".global .u32 y; .global .u32 x = 0xFF(y);",
        ".version 8.0\n",
        ".entry k() { .reg .u32 %r; mov.u32 %r, %tid; }",
        ".target sm_13\n",
    };
    for (const std::string& end : ends) EXPECT_THROW(parse(kHeader + end), Error) << end;
    EXPECT_THROW(parse(".entry k() { ret; }\n" + kHeader), Error);
    std::string deep = kHeader + ".entry k() {\n";
    for (int i = 0; i < 300; ++i) deep += ".loc 1 1 1, function_name f, inlined_at 1 1 1\n";
    EXPECT_THROW(parse(deep + "ret; }"), Error) << "a chain of calls without end";
}

TEST(PtxPrint, HugeGapsBetweenInitialValuesAreRefused) {
    const Module m = parse(".version 9.0\n.target sm_90\n.global .u8 a[3][1073741824] = {{1}, {2}};");
    EXPECT_THROW(print(m), Error);
}

}  // namespace
}  // namespace wl::ptx
