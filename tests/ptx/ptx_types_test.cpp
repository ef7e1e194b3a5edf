// Registers of a width that an instruction does not take: refused with the line, as ptxas does; and what
// ptxas lets pass is taken.
#include "instrumentation/base/error.h"
#include "instrumentation/ptx/module.h"

#include <gtest/gtest.h>

namespace wl::ptx {
namespace {

const std::string kRegisters =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 "
    "%fd<9>;\n";

// What is wrong with the instruction, on line 6 of its text; empty: nothing.
std::string refusal(const std::string& instruction) {
    const std::string text =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 q) {\n" + kRegisters +
        instruction + "\nret;\n}\n";
    try {
        const Module m = parse(text);
        EXPECT_NE(m.functions.at(0).code.at(0).op, Op::unsupported) << instruction;
    } catch (const Error& e) { return e.what(); }
    return {};
}

TEST(PtxTypes, ARegisterOfAnotherWidthIsRefusedWithItsLine) {
    EXPECT_EQ(refusal("add.u64 %r1, %rd1, %rd2;"), "PTX line 6: %r1 has 32 bits, add.u64 takes 64 here.");
    EXPECT_EQ(refusal("add.f32 %f1, %f2, %fd3;"), "PTX line 6: %fd3 has 64 bits, add.f32 takes 32 here.");
    EXPECT_EQ(refusal("mov.u32 %r1, %h1;"), "PTX line 6: %h1 has 16 bits, mov.u32 takes 32 here.");
    EXPECT_EQ(
        refusal("ld.global.u64 %r1, [%rd1];"),
        "PTX line 6: %r1 has 32 bits, ld.global.u64 takes 64 or more here."
    );
    EXPECT_EQ(
        refusal("ld.global.u32 %r1, [%h1];"), "PTX line 6: %h1 is no address: it has neither 32 nor 64 bits."
    );
    EXPECT_EQ(refusal("add.u32 %r1, %p1, %r2;"), "PTX line 6: %p1 is a predicate, add.u32 takes none here.");
    EXPECT_EQ(
        refusal("selp.b32 %r1, %r2, %r3, %r4;"), "PTX line 6: %r4 is no predicate, selp.b32 takes one here."
    );
}

TEST(PtxTypes, WhatPtxasRefusesIsRefused) {
    for (const char* line :
         {"mul.wide.u32 %r1, %r2, %r3;",
          "mad.wide.s32 %rd1, %r2, %r3, %r4;",
          "shl.b64 %rd1, %rd2, %rd3;",
          "popc.b64 %rd1, %rd2;",
          "bfe.u64 %rd1, %rd2, %rd3, %r4;",
          "setp.eq.u32 %r1, %r2, %r3;",
          "setp.lt.and.f32 %p1, %f1, %f2, %r1;",
          "mov.b64 %rd1, {%h1, %h2};",
          "mov.b64 {%r1, %rd2}, %rd1;",
          "cvt.rn.bf16.f32 %r1, %f1;",
          "cvt.u64.u32 %r1, %r2;",
          "ld.global.u32 %r1, [%r2];",
          "st.u32 [%r2+4], %r1;",
          "atom.add.u32 %r1, [%r2], 1;",
          "atom.global.add.u32 %rd1, [%rd2], %r1;",
          "red.global.add.f64 [%rd1], %f1;",
          "shfl.sync.idx.b32 %rd1, %r2, %r3, 31, -1;",
          "vote.sync.ballot.b32 %p1, %p2, -1;",
          "vote.sync.any.pred %r1, %p2, -1;",
          "vadd4.u32.u32.u32 %r1, %rd1, %r2, %r3;",
          "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%r1, %r2}, {%fd1}, {%fd2}, {%fd3, %fd4};",
          "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%rd1}, [%r1];",
          "@%p1 not.pred %p1, %r1;",
          "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %fd1}];",
          "isspacep.shared %r1, %rd1;"})
        EXPECT_NE(refusal(line), "") << line;
}

TEST(PtxTypes, WhatPtxasTakesIsTaken) {
    for (const char* line :
         {"ld.global.u8 %rd1, [%rd2];",
          "st.global.u8 [%rd1], %h1;",
          "ld.shared.v2.u8 {%r1, %r2}, [%r3];",
          "cvt.u16.u8 %h1, %rd1;",
          "cvt.f32.f16 %f1, %r1;",
          "cvt.u32.u64 %rd1, %rd2;",

          "mov.b32 %f1, %r1;",
          "mov.b64 %fd1, {%r1, %f1};",
          "mov.b32 {%h1, %h2}, %r1;",
          "mul.wide.u16 %r1, %h1, %h2;",
          "shl.b16 %h1, %h2, %r3;",
          "shr.s64 %rd1, %rd2, %r3;",
          "bfind.u64 %r1, %rd1;",
          "set.eq.u32.f64 %r1, %fd1, %fd2;",
          "slct.f64.s32 %fd1, %fd2, %fd3, %r1;",
          "fma.rn.f16x2 %r1, %r2, %r3, %r4;",
          "setp.eq.f16x2 %p1|%p2, %r1, %r2;",
          "and.pred %p1, %p2, %p3;",
          "match.any.sync.b64 %r1, %rd1, -1;",
          "cvt.pack.sat.u8.s32.b32 %r1, %rd1, %r2, %rd3;",
          "cp.async.ca.shared.global [%r1], [%rd1], 4, %p1;",
          "cp.async.ca.shared.global [%r1], [%rd1], 4, %r2;",
          "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, %p2;",
          "bar.red.and.pred %p1, 0, %p2;",
          "bar.red.popc.u32 %r1, 0, %p2;"})
        EXPECT_EQ(refusal(line), "") << line;
}

}  // namespace
}  // namespace wl::ptx
