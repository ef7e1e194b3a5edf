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
    EXPECT_NE(first.value("proof", "").find("with another seed"), std::string::npos) << first.dump(1);
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
    expect_lossy("top", "overflow", "first[blockIdx.x] =", "its value left the format");
}

TEST(Precision, TheCleanTwinAndAFaultOfAnotherKindAreNotAccused) {
    const Said clean = warplens({"diagnose", source_path("tests/kernels/search/spread.toml")});
    EXPECT_EQ(clean.status, 0) << clean.out << clean.err;
    for (const char* fault : {"sign", "lost", "two"})
        for (const json& f : diagnosed("centre.toml", fault, "0").at("findings")) {
            EXPECT_NE(f.at("rule"), "precision") << fault;
            EXPECT_NE(f.at("rule"), "overflow") << fault;
        }
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
