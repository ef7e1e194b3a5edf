// --inputs nan-padding of a kernel whose rows have lengths: who multiplies the padding by zero is found by
// it.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

const std::string kKernel = source_path("tests/kernels/search/whole/lengths.toml");

// Long enough on a busy machine: the search ends with its first proof.
json diagnosed(const std::string& inputs) {
    const Said said =
        warplens({"diagnose", kKernel, "--fault", "weighted", "--inputs", inputs, "--search", "300", "--json"}
        );
    return json::parse(said.out, nullptr, false);
}

TEST(NanPadding, WhatIsReadAndMultipliedByZeroIsNamed) {
    EXPECT_EQ(diagnosed("random").at("verdict"), "ok") << "noise times zero is zero";
    const json answer = diagnosed("nan-padding");
    const json& first = answer.at("findings").at(0);
    const std::string at =
        first.at("where").value("file", "") + ":" + std::to_string(first.at("where").value("line", 0));
    EXPECT_EQ(at, source_place("tests/kernels/search/whole/lengths.cu", "1.0f : 0.0f"));
    EXPECT_EQ(first.at("title"), "`cols` should be `length`");
    EXPECT_EQ(first.at("proven"), true);
}

TEST(NanPadding, TheCleanTwinIsOkAndSaysWhereTheNaNIs) {
    const Said said = warplens({"diagnose", kKernel, "--inputs", "nan-padding"});
    EXPECT_EQ(said.status, 0) << said.out;
    EXPECT_NE(said.out.find("ok: no findings; mean: 40 of 40 elements compared"), std::string::npos)
        << said.out;
    const std::string where = "NaN, as the reference does not read it, in x[:, 23:24], x[0, 15:24], ";
    EXPECT_NE(said.out.find(where), std::string::npos) << said.out;
}

}  // namespace
}  // namespace wl::test
