// Faults that are none where nothing is rounded: told by FP64 beside the values, at the lines that lose most.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

const char* const kSource = "tests/kernels/search/spread.cu";

json diagnosed(const char* kernel, const char* fault, const char* seconds) {
    const std::string toml = source_path(std::string("tests/kernels/search/") + kernel);
    const Said said = warplens({"diagnose", toml, "--fault", fault, "--search", seconds, "--json"});
    return json::parse(said.out, nullptr, false);
}

void expect_lossy(const char* fault, const char* rule, const char* line, const char* words) {
    const json first = diagnosed("spread.toml", fault, "0").at("findings")[0];
    EXPECT_EQ(first.at("rule"), rule);
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    const std::string at =
        first.at("where").value("file", "") + ":" + std::to_string(first.at("where").value("line", 0));
    EXPECT_EQ(at, source_place(kSource, line));
    EXPECT_NE(first.value("explanation", "").find(words), std::string::npos) << first.dump(1);
    EXPECT_NE(first.value("proof", "").find("with 6 other seeds"), std::string::npos) << first.dump(1);
}

TEST(Precision, ADifferenceOfTwoLargeValuesIsToldWhereTheyCancel) {
    expect_lossy("moments", "precision", "cols - mean * mean", "the relative difference grew from");
}

TEST(Precision, OneLinesRoundingIsProvenByKeepingItAlone) {
    expect_lossy(
        "half",
        "precision",
        "const __half kept",
        "(`const __half kept = __float2half(sum_of(sum, part) / cols);`) kept in FP64, and all others rounded"
    );
}

TEST(Precision, AValueThatLeavesItsFormatIsToldWhereItDoes) {
    expect_lossy(
        "top", "overflow", "first[blockIdx.x] = expf(row[0] - top) / all", "its value left the format"
    );
}

// Zero is finite: it was made of an infinite divisor.
TEST(Precision, WhatIsDividedByAnInfiniteValueLeftItsFormatToo) {
    expect_lossy("scaled", "overflow", "(all * 1e38f)", "its value left the format");
}

TEST(Precision, TheCleanTwinAndAFaultOfAnotherKindAreNotAccused) {
    const Said clean = warplens({"diagnose", source_path("tests/kernels/search/spread.toml")});
    EXPECT_EQ(clean.status, 0) << clean.out << clean.err;
    for (const char* fault : {"sign", "lost", "two"}) {
        const json answer = diagnosed("centre.toml", fault, "0");
        for (const json& f : answer.at("findings")) {
            EXPECT_NE(f.at("rule"), "precision") << fault;
            EXPECT_NE(f.at("rule"), "overflow") << fault;
        }
    }
}

const char* const kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry thrice(.param .u64 x, .param .u64 y)
{
.reg .b16 %h<2>;
.reg .f32 %f<4>;
.reg .b32 %r<2>;
.reg .b64 %rd<6>;
ld.param.u64 %rd0, [x];
ld.param.u64 %rd1, [y];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd2, %r0, 4;
add.s64 %rd3, %rd0, %rd2;
add.s64 %rd4, %rd1, %rd2;
ld.global.f32 %f0, [%rd3];
cvt.rn.f16.f32 %h0, %f0;
cvt.f32.f16 %f1, %h0;
mul.f32 %f2, %f1, 0f40400000;
st.global.f32 [%rd4], %f2;
ret;
}
)";
const char* const kToml = R"(title = "Three times"
source = "thrice.ptx"
args = [
  { name = "x", dtype = "f32", shape = [64], fill = "normal" },
  { name = "y", dtype = "f32", shape = [64], output = true },
]
[launch]
grid = [1]
block = [64]
[reference]
python = "thrice.py"
)";

TEST(Precision, OfPtxWithoutASourceTheLineOfItsTextIsTold) {
    const TemporaryFolder folder;
    write_file(folder.path + "/thrice.ptx", kPtx);
    write_file(folder.path + "/thrice.toml", kToml);
    write_file(
        folder.path + "/thrice.py", "def reference(inputs, params):\n    return {'y': 3 * inputs['x']}\n"
    );
    const Said said = warplens({"diagnose", folder.path + "/thrice.toml", "--search", "0", "--json"});
    const json first = json::parse(said.out, nullptr, false).at("findings")[0];
    EXPECT_EQ(first.at("rule"), "precision") << said.out << said.err;
    EXPECT_EQ(first.at("where").at("line"), 17);
    EXPECT_NE(first.value("explanation", "").find("thrice.ptx:17"), std::string::npos) << first.dump(1);
}

// What the search finds of the source leads; that FP64 mends it too goes with it.
TEST(Precision, AChangeOfTheSourceThatMendsComesFirst) {
    const json findings = diagnosed("spread.toml", "top", "60").at("findings");
    ASSERT_GE(findings.size(), 2u);
    EXPECT_NE(findings[0].value("title", "").find("` should be `"), std::string::npos) << findings[0].dump(1);
    EXPECT_EQ(findings[0].at("proven"), true);
    EXPECT_EQ(findings[1].at("rule"), "overflow");
    EXPECT_EQ(findings[1].at("caused_by"), 0) << findings[1].dump(1);
}

}  // namespace
}  // namespace wl::test
