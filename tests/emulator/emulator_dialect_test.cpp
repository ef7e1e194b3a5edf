// PTX of the first versions and devices computes what ptxas 13.0 makes of it: each line against the line of
// today's PTX that compiles to the same machine code (sm_75), and against one that does not.
#include "tests/emulator/emulator_kernel.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>

namespace wl::emulator::test {
namespace {

constexpr uint32_t kThreads = 256;

struct Dialect {
    const char *version, *target;
};
constexpr Dialect kOldest{"1.0", "sm_10"}, kImplicit{"1.3", "sm_13"}, kMapped{"1.3", "sm_10, map_f64_to_f32"},
    kExplicit{"1.4", "sm_13"}, kSecond{"2.0", "sm_13"}, kFermi{"2.0", "sm_20"}, kLastMad{"3.1", "sm_30"},
    kToday{"9.0", "sm_75"};

// One instruction from a, b, c to d (f32, d also s32) or da, db, dc to dd (f64). Before 1.4 an entry declares
// its parameters inside.
std::string text_of(const Dialect& d, const std::string& line) {
    const bool inside = std::string(d.version) < "1.4";
    const std::string parameters = ".param .u64 in; .param .u64 out;";
    return std::string(".version ") + d.version + "\n.target " + d.target + "\n.entry k" +
        (inside ? "\n{\n" + parameters : " (.param .u64 in, .param .u64 out)\n{\n") + R"(
.reg .u16 $rh<3>; .reg .u32 $r<9>; .reg .u64 $rd<9>; .reg .f32 a, b, c, d; .reg .f64 da, db, dc, dd;
.reg .pred p; .reg .b32 n;
ld.param.u64 $rd1, [in]; ld.param.u64 $rd2, [out];
cvt.u32.u16 $r1, %tid.x; mul.lo.u32 $r2, $r1, 48; cvt.u64.u32 $rd3, $r2; add.u64 $rd1, $rd1, $rd3;
mul24.lo.u32 $r3, $r1, 16; cvt.u64.u32 $rd4, $r3; add.u64 $rd2, $rd2, $rd4;
ld.global.f32 a, [$rd1]; ld.global.f32 b, [$rd1+4]; ld.global.f32 c, [$rd1+8];
ld.global.f64 da, [$rd1+24]; ld.global.f64 db, [$rd1+32]; ld.global.f64 dc, [$rd1+40];
mov.f32 d, 0f00000000; mov.f64 dd, 0d0000000000000000; mov.b32 n, 0;
)" + line +
        "\nst.global.f32 [$rd2], d; st.global.b32 [$rd2+4], n; st.global.f64 [$rd2+8], dd;\nexit;\n}\n";
}

// Singles near the subnormals, at the edges and anywhere; doubles in the range of singles' subnormals too.
std::vector<std::byte> inputs() {
    std::mt19937_64 random(5);
    std::vector<std::byte> bytes(size_t{48} * kThreads);
    for (size_t at = 0; at < bytes.size(); at += 48) {
        for (size_t k = 0; k < 3; ++k) {
            auto x = static_cast<uint32_t>(random());
            if (random() % 2 == 0) x = (x & 0x80ffffffU);                          // subnormal or near
            if (random() % 4 == 0) x = std::bit_cast<uint32_t>(float(x % 9)) / 4;  // small and exact
            std::memcpy(&bytes[at + 4 * k], &x, 4);
        }
        for (size_t k = 0; k < 3; ++k) {
            const double x = std::ldexp(static_cast<double>(random() % 1000000) + 0.25, -(random() % 170));
            std::memcpy(&bytes[at + 24 + 8 * k], &x, 8);
        }
    }
    return bytes;
}

std::vector<uint64_t> run(const Dialect& d, const std::string& line) {
    KernelRun run(text_of(d, line), kThreads);
    run.in("in", inputs()).out<uint64_t>("out", 2 * kThreads).go();
    EXPECT_TRUE(run.result.incidents.empty()) << line;
    return run.get<uint64_t>("out");
}

struct Case {
    Dialect dialect;
    const char *written, *means, *not_that;
};
const Case kCases[] = {
    {kImplicit, "rcp.f32 d, a;",                  "rcp.approx.ftz.f32 d, a;",                      "rcp.approx.f32 d, a;"          },
    {kOldest,   "sqrt.f32 d, a;",                 "sqrt.approx.ftz.f32 d, a;",                     "sqrt.rn.f32 d, a;"             },
    {kImplicit, "rsqrt.f32 d, a;",                "rsqrt.approx.ftz.f32 d, a;",                    "rsqrt.approx.f32 d, a;"        },
    {kImplicit, "lg2.f32 d, a;",                  "lg2.approx.ftz.f32 d, a;",                      "lg2.approx.f32 d, a;"          },
    {kOldest,   "ex2.f32 d, a;",                  "ex2.approx.ftz.f32 d, a;",                      ""                              },
    {kImplicit, "sin.f32 d, c;",                  "sin.approx.ftz.f32 d, c;",                      "sin.approx.f32 d, c;"          },
    {kImplicit, "cos.f32 d, c;",                  "cos.approx.ftz.f32 d, c;",                      ""                              },
    {kMapped,   "div.f32 d, a, b;",               "div.approx.ftz.f32 d, a, b;",                   "div.approx.f32 d, a, b;"       },
    {kMapped,   "add.f64 dd, da, db;",            "add.f64 dd, da, db;",                           ""                              },
    {kImplicit, "div.f64 dd, da, db;",            "div.rn.f64 dd, da, db;",                        "div.rz.f64 dd, da, db;"        },
    {kImplicit, "sqrt.f64 dd, da;",               "sqrt.rn.f64 dd, da;",                           "sqrt.rp.f64 dd, da;"           },
    {kImplicit, "rsqrt.f64 dd, da;",              "rsqrt.approx.f64 dd, da;",                      "rsqrt.approx.ftz.f64 dd, da;"  },
    {kImplicit, "mad.f64 dd, da, db, dc;",        "fma.rn.f64 dd, da, db, dc;",                    "fma.rz.f64 dd, da, db, dc;"    },
    {kExplicit, "rcp.approx.f32 d, a;",           "rcp.approx.ftz.f32 d, a;",                      "rcp.approx.f32 d, a;"          },
    {kSecond,   "div.full.f32 d, a, b;",          "div.full.ftz.f32 d, a, b;",                     "div.full.f32 d, a, b;"         },
    {kOldest,   "add.f32 d, a, b;",               "add.ftz.f32 d, a, b;",                          "add.f32 d, a, b;"              },
    {kExplicit, "sub.rz.f32 d, a, b;",            "sub.rz.ftz.f32 d, a, b;",                       "sub.rz.f32 d, a, b;"           },
    {kSecond,   "mul.f32 d, a, b;",               "mul.ftz.f32 d, a, b;",                          "mul.f32 d, a, b;"              },
    {kExplicit, "mad.sat.f32 d, a, b, c;",        "fma.rn.ftz.sat.f32 d, a, b, c;",                "fma.rn.sat.f32 d, a, b, c;"    },
    {kSecond,   "mad.f32 d, a, b, c;",            "fma.rn.ftz.f32 d, a, b, c;",                    "fma.rn.f32 d, a, b, c;"        },
    {kFermi,    "mad.f32 d, a, b, c;",            "fma.rn.f32 d, a, b, c;",                        "fma.rn.ftz.f32 d, a, b, c;"    },
    {kLastMad,  "mad.sat.f32 d, a, b, c;",        "fma.rn.sat.f32 d, a, b, c;",                    "fma.rn.ftz.sat.f32 d, a, b, c;"},
    {kFermi,    "add.f32 d, a, b;",               "add.f32 d, a, b;",                              "add.ftz.f32 d, a, b;"          },
    {kImplicit, "abs.f32 d, a;",                  "abs.ftz.f32 d, a;",                             "abs.f32 d, a;"                 },
    {kImplicit, "neg.f32 d, a;",                  "neg.ftz.f32 d, a;",                             "neg.f32 d, a;"                 },
    {kExplicit, "min.f32 d, a, b;",               "min.ftz.f32 d, a, b;",                          "min.f32 d, a, b;"              },
    {kExplicit, "max.f32 d, a, b;",               "max.ftz.f32 d, a, b;",                          "max.f32 d, a, b;"              },
    {kImplicit, "set.gt.u32.f32 n, a, b;",        "set.gt.ftz.u32.f32 n, a, b;",                   "set.gt.u32.f32 n, a, b;"       },
    {kImplicit,
     "setp.gt.f32 p, a, b; selp.u32 n, 1, 2, p;", "setp.gt.ftz.f32 p, a, b; selp.u32 n, 1, 2, p;",
     "setp.gt.f32 p, a, b; selp.u32 n, 1, 2, p;"                                                                                   },
    {kImplicit, "slct.f32.f32 d, b, c, a;",       "slct.ftz.f32.f32 d, b, c, a;",                  "slct.f32.f32 d, b, c, a;"      },
    {kImplicit, "cvt.rpi.s32.f32 n, a;",          "cvt.rpi.ftz.s32.f32 n, a;",                     "cvt.rpi.s32.f32 n, a;"         },
    {kExplicit, "cvt.rpi.f32.f32 d, a;",          "cvt.rpi.ftz.f32.f32 d, a;",                     "cvt.rpi.f32.f32 d, a;"         },
    {kExplicit, "cvt.f64.f32 dd, a;",             "cvt.f64.f32 dd, a;",                            "cvt.ftz.f64.f32 dd, a;"        },
    {kSecond,   "cvt.f64.f32 dd, a;",             "cvt.ftz.f64.f32 dd, a;",                        "cvt.f64.f32 dd, a;"            },
    {kExplicit, "cvt.rn.f32.f64 d, da;",          "cvt.rn.f32.f64 d, da;",                         "cvt.rn.ftz.f32.f64 d, da;"     },
    {kSecond,   "cvt.rn.f32.f64 d, da;",          "cvt.rn.ftz.f32.f64 d, da;",                     "cvt.rn.f32.f64 d, da;"         },
    {kFermi,    "cvt.rn.f32.f64 d, da;",          "cvt.rn.f32.f64 d, da;",                         "cvt.rn.ftz.f32.f64 d, da;"     },
};

TEST(EmulatorDialect, ComputesWhatIsLeftUnsaid) {
    for (const Case& c : kCases) {
        const std::vector<uint64_t> got = run(c.dialect, c.written);
        const std::string where = std::string(c.dialect.version) + " " + c.dialect.target + ": " + c.written;
        EXPECT_EQ(got, run(kToday, c.means)) << where;
        if (*c.not_that == '\0') continue;
        EXPECT_NE(got, run(kToday, c.not_that)) << where << " the inputs do not tell";
    }
}

// The scalar lines say what a vector move means; sources that are destinations are read first.
TEST(EmulatorDialect, AVectorMovesElementByElement) {
    const auto same = [](const Dialect& d, const std::string& vector, const std::string& scalars) {
        const std::string registers = ".reg .v2 .f32 v; .reg .v4 .b32 q; .reg .f64 e; .reg .u16 h<4>;\n";
        const std::string sums =
            "\ncvt.u32.u16 n, h1; add.u32 q.x, q.x, q.w; shl.b32 q.y, q.y, q.z; xor.b32 n, n, "
            "q.x; add.u32 n, n, q.y;\nmov.f32 d, v.x; mov.f64 dd, db;";
        const std::string before = registers +
            "mov.b32 q.x, 1; mov.b32 q.y, 2; mov.b32 q.z, 3; mov.b32 q.w, $r1; mov.u16 h0, 9; mov.u16 h1, 8; "
            "mov.u16 "
            "h2, 7; mov.u16 h3, 6; mov.f32 v.x, a; mov.f32 v.y, b;\n";
        EXPECT_EQ(run(d, before + vector + sums), run(kToday, before + scalars + sums)) << vector;
        EXPECT_NE(run(d, before + vector + sums), run(kToday, before + sums))
            << vector << " the inputs do not tell";
    };
    same(kOldest, "mov.v2.f32 v, {v.y, v.x};", "mov.f32 v.x, b; mov.f32 v.y, a;");
    same(
        kToday,
        "mov.v4.b32 q, {q.w, q.z, q.y, q.x};",
        "mov.b32 q.x, $r1; mov.b32 q.y, 3; mov.b32 q.z, 2; mov.b32 q.w, 1;"
    );
    same(
        kFermi,
        "mov.v4.u32 {q.x, q.y, _, q.z}, {5, q.x, q.x, q.y};",
        "mov.b32 q.x, 5; mov.b32 q.y, 1; mov.b32 q.z, 2;"
    );
    same(kOldest, "mov.v4.u16 {h0, h1, h2, h3}, {h1, h2, h3, h0};", "mov.u16 h1, 7; mov.u16 h0, 8;");
    same(
        kOldest, "mov.v4.u32 q, %tid;", "mov.u32 q.x, %tid.x; mov.b32 q.y, 0; mov.b32 q.z, 0; mov.b32 q.w, 0;"
    );
    same(kFermi, "mov.u32 q.x, %ntid.r; mov.u32 q.w, %ctaid.w;", "mov.u32 q.x, %ntid.x; mov.b32 q.w, 0;");
    same(kImplicit, "mov.v2.f64 {db, da}, {da, db};", "mov.f64 db, da;");
}

TEST(EmulatorDialect, AWordThatLaterVersionsDemandIsNotMadeUp) {
    const auto op = [](const Dialect& d, const std::string& line) {
        return ptx::parse(text_of(d, line)).functions.at(0).code.at(18).op;
    };
    EXPECT_EQ(op(kImplicit, "rcp.f32 d, a;"), ptx::Op::rcp) << "the instruction meant";
    EXPECT_EQ(op(kExplicit, "rcp.f32 d, a;"), ptx::Op::unsupported);
    EXPECT_EQ(op(kFermi, "div.f32 d, a, b;"), ptx::Op::unsupported);
    EXPECT_EQ(op({"3.2", "sm_30"}, "mad.f32 d, a, b, c;"), ptx::Op::unsupported);
    EXPECT_EQ(op({"3.2", "sm_13"}, "mad.f32 d, a, b, c;"), ptx::Op::mad);
    EXPECT_EQ(op(kExplicit, "mad.f64 dd, da, db, dc;"), ptx::Op::unsupported);
    EXPECT_EQ(op(kImplicit, "cvt.s32.f32 n, a;"), ptx::Op::unsupported);
}

}  // namespace
}  // namespace wl::emulator::test
