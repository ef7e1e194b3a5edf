// Edits that would make nonsense, or what ptxas refuses, are refused with the reason and change nothing.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/ptx/edit/edit.h"
#include "tests/ptx/loop_module.h"
#include "tests/ptx/same_module.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace wl::ptx {
namespace {

TEST(PtxEditRefused, OperandsThatNameNothingAreRefused) {
    Module m = parse(kLoop);
    const Module before = m;
    const Place add{kEntry, find(m, Op::add)};
    Operand o;
    EXPECT_FALSE(set_operand(m, {add}, 1, o));
    o.kind = Operand::Kind::reg, o.index = 99;
    EXPECT_FALSE(set_operand(m, {add}, 1, o)) << "no such register";
    o.index = 0, o.bits = 7;
    EXPECT_FALSE(set_operand(m, {add}, 1, o)) << "a register with a number";
    o = {}, o.kind = Operand::Kind::label, o.index = label(m, "$loop");
    EXPECT_FALSE(set_operand(m, {add}, 1, o)) << "a label where a value stands";
    o = {}, o.kind = Operand::Kind::immediate;
    EXPECT_FALSE(set_operand(m, {add}, 0, o)) << "a constant cannot be written";
    EXPECT_FALSE(set_operand(m, {add}, 7, o));
    EXPECT_FALSE(set_operand(
        m,
        {
            {5, 0}
    },
        0,
        o
    ));
    EXPECT_FALSE(set_operand(
        m,
        {
            {kEntry, 500}
    },
        0,
        o
    ));
    EXPECT_EQ(difference(m, before), "");
}

TEST(PtxEditRefused, TextThatIsNoCodeOfTheFunctionIsRefusedAndLeavesTheModule) {
    Module m = parse(kLoop);
    const Module before = m;
    const char* texts[] = {
        "frobnicate;",
        "add.u32 %r1, %nothing, 1;",
        "add.u64 %r1, %r2, 1;",
        "bra NOWHERE;",
        "add.u32 %r1, %r2, 1",
        "}",
        "} {",
        "{",
        ".loc 1 1 1\nret;",
        ".global .u32 more;",
        ".pragma \"nounroll\";",
        ".reg .b32 %laneid;",
        "@%r1 bra $loop;",
    };
    for (const char* text : texts) {
        EXPECT_FALSE(insert_before(
            m,
            {
                {kEntry, 2}
        },
            text
        )) << text;
        EXPECT_FALSE(replace(
            m,
            {
                {kEntry, 2},
                {kEntry, 4}
        },
            text
        )) << text;
        EXPECT_EQ(difference(m, before), "") << text;
    }
    const Edit half = insert(
        m,
        {
            {{kEntry, 2}, false, "ret;", {}},
            {{0, 90},     false, "ret;", {}}
    }
    );
    EXPECT_FALSE(half) << "all or none";
    EXPECT_EQ(difference(m, before), "");
    Instruction built = before.functions[kEntry].code[2];
    built.op = Op::mul, built.types = {Type::f64};
    ASSERT_TRUE(insert(
        m,
        {
            {{kEntry, 2}, false, {}, {built}}
    }
    ));
    EXPECT_EQ(m.functions[kEntry].code[2].op, Op::add) << "what it says counts";
    EXPECT_EQ(m.functions[kEntry].code[2].types, std::vector{Type::u32});
}

// Each was refused by ptxas 13.0 beside the same statement as it is taken.
TEST(PtxEditRefused, WhatPtxasRefusesIsRefused) {
    const std::pair<const char*, const char*> pairs[] = {
        {"mov.u32 %r1, %tid.x;",                     "add.u32 %r1, %r2, %tid.x;"               },
        {"mov.u64 x, %clock64;",                     "mov.u64 x, %tid.x;"                      },
        {"add.s32 %r1, %r2, %r1;",                   "add.s32 %r1, %f1, %r1;"                  },
        {"mov.b32 %f1, %r1;",                        "mov.u32 %f1, %r1;"                       },
        {"ld.global.b32 %f1, [x];",                  "ld.global.u32 %f1, [x];"                 },
        {"add.f32 %f1, %f2, 0f3F800000;",            "add.f32 %f1, %f2, 5;"                    },
        {"mov.b32 %r1, 0f3F800000;",                 "add.s32 %r1, %r2, 0f3F800000;"           },
        {"shl.b32 %f1, %r1, 2;",                     "shl.b32 %r1, %r1, %f2;"                  },
        {"atom.global.add.u32 _, [x], %r1;",         "ld.global.u32 _, [x];"                   },
        {"mov.b64 {%r1, _}, x;",                     "st.global.v2.u32 [x], {%r1, _};"         },
        {"setp.ne.b32 %p1|_, %r1, %r2;",             "mad.lo.u32 _, %r1, %r2, %r1;"            },
        {"mov.u64 x, counter;",                      "add.u64 x, x, counter;"                  },
        {"ld.global.u32 %r1, [counter];",            "ld.shared.u32 %r1, [counter];"           },
        {"and.pred %p1, %p1, !%p1;",                 "add.u32 %r1, -%r2, %r1;"                 },
        {"bar.sync 15, 64;",                         "bar.sync 15, 33;"                        },
        {"bar.sync 15;",                             "bar.sync 16;"                            },
        {"cp.async.ca.shared.global [%r1], [x], 8;", "cp.async.cg.shared.global [%r1], [x], 8;"},
        {"cvt.sat.s32.s64 %r1, x;",                  "cvt.sat.s64.s32 x, %r1;"                 },
        {"ld.shared.u32 %r1, [%r2];",                "mbarrier.inval.b64 [%r2];"               },
    };
    Module m = parse(kLoop);
    for (const auto& [taken, refused] : pairs) {
        const std::string declared = ".reg .b64 x; ";
        const Edit good = insert_before(
            m,
            {
                {kEntry, 0}
        },
            declared + taken
        );
        EXPECT_TRUE(good) << taken << ": " << good.refused;
        EXPECT_FALSE(insert_before(
            m,
            {
                {kEntry, 0}
        },
            declared + refused
        )) << refused;
    }
    EXPECT_EQ(difference(m, parse(print(m))), "");
}

}  // namespace
}  // namespace wl::ptx
