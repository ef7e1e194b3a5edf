// Findings that are known: a file of them lets a run pass that has no others.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr const char* kManifest = R"(source = "k.cu"
args = [{ name = "c", dtype = "f32", shape = [100], fill = "ones", output = true }]
[launch]
grid = [1]
block = [128]
[output.c]
compare = false
)";
// Line 3 writes behind the end; with `race` line 5 reads what other warps write.
std::string source(bool beyond, bool race, const std::string& before = "") {
    return before +
        "extern \"C\" __global__ void k(float* c) {\n    __shared__ float s[128];\n    if (threadIdx.x " +
        (beyond ? "<=" : "<") + " 100) c[threadIdx.x] += 1;\n    s[threadIdx.x] = threadIdx.x;\n" +
        (race ? "" : "    __syncthreads();\n") +
        "    if (threadIdx.x < 100) c[99 - threadIdx.x] = s[127 - threadIdx.x];\n}\n";
}

struct Kernel {
    TemporaryFolder folder;
    std::string toml = folder.path + "/k.toml", known = folder.path + "/known.json";
    Kernel() { write_file(toml, kManifest); }
    void is(const std::string& text) const { write_file(folder.path + "/k.cu", text); }
    Said run(Words more) const {
        more.insert(more.begin(), {"diagnose", toml, "--search", "0", "--quiet"});
        return warplens(more);
    }
};

TEST(Baseline, WhatIsKnownPassesAndASecondFaultFails) {
    const Kernel k;
    k.is(source(true, false));
    EXPECT_EQ(k.run({}).status, 1);
    const Said written = k.run({"--write-baseline", k.known});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_NE(written.out.find("known.json: 1 known, 0 new, 0 mended"), std::string::npos) << written.out;
    EXPECT_EQ(k.run({"--baseline", k.known}).status, 0);

    k.is(source(true, false, "// a line more\n\n"));
    EXPECT_EQ(k.run({"--baseline", k.known}).status, 0) << "lines may move";

    k.is(source(true, true));
    const Said second = k.run({"--baseline", k.known});
    EXPECT_EQ(second.status, 1) << second.out;
    EXPECT_NE(second.out.find("new: race_shared at "), std::string::npos) << second.out;
    const json j = json::parse(k.run({"--baseline", k.known, "--json"}).out).at("baseline");
    EXPECT_EQ(j.at("new").size(), 1U) << j;
    EXPECT_EQ(j.at("new").at(0).at("rule"), "race_shared");
}

TEST(Baseline, WhatIsMendedIsSaidAndTakenOut) {
    const Kernel k;
    k.is(source(true, false));
    k.run({"--write-baseline", k.known});
    k.is(source(false, false));
    const Said mended = k.run({"--baseline", k.known});
    EXPECT_EQ(mended.status, 0);
    EXPECT_NE(mended.out.find("0 known, 0 new, 1 mended"), std::string::npos) << mended.out;
    EXPECT_NE(mended.out.find("mended: out_of_bounds of k, "), std::string::npos) << mended.out;
    k.run({"--write-baseline", k.known});
    EXPECT_TRUE(json::parse(read_file(k.known)).at("findings").empty());
    k.is(source(true, false));
    EXPECT_EQ(k.run({"--baseline", k.known}).status, 1) << "it is new again";
}

TEST(Baseline, OtherKernelsOfTheFileStay) {
    const Kernel k;
    k.is(source(true, false));
    k.run({"--write-baseline", k.known});
    json j = json::parse(read_file(k.known));
    json other = j.at("findings").at(0);
    other["kernel"] = "another";
    j["findings"].push_back(other);
    write_file(k.known, j.dump());
    const Said said = k.run({"--baseline", k.known});
    EXPECT_NE(said.out.find("1 known, 0 new, 0 mended"), std::string::npos) << said.out;
    k.is(source(false, false));
    k.run({"--write-baseline", k.known});
    EXPECT_EQ(json::parse(read_file(k.known)).at("findings"), json::array({other}));
}

TEST(Baseline, EveryFormatTellsWhatIsKnown) {
    const Kernel k;
    k.is(source(true, false));
    k.run({"--write-baseline", k.known});
    const json log = json::parse(k.run({"--baseline", k.known, "--format", "sarif"}).out);
    const json& result = log.at("runs").at(0).at("results").at(0);
    EXPECT_EQ(result.at("level"), "note");
    EXPECT_EQ(result.at("baselineState"), "unchanged");
    EXPECT_EQ(result.at("suppressions").at(0).at("status"), "accepted");
    EXPECT_NE(
        k.run({"--baseline", k.known, "--format", "junit"}).out.find("failures=\"0\""), std::string::npos
    );
    EXPECT_EQ(k.run({"--baseline", k.known, "--format", "github"}).out.rfind("::notice ", 0), 0U);
    Words hazards{"hazards", k.toml, "--baseline", k.known};
    EXPECT_EQ(warplens(hazards).status, 0);
}

TEST(Baseline, AcceptCountsObjectionsToo) {
    const TemporaryFolder folder;
    const std::string known = folder.path + "/known.json";
    const Words words{
        "accept", "v2c_3+32x", "--presets", "mission", "--set", "S=64", "--set", "H=1", "--set", "B=1"};
    const auto with = [&](const char* option) {
        Words all = words;
        all.insert(all.end(), {option, known});
        return warplens(all);
    };
    EXPECT_EQ(with("--write-baseline").status, 0);
    EXPECT_EQ(with("--baseline").status, 0);
    json j = json::parse(read_file(known));
    ASSERT_GE(j.at("findings").size(), 2U) << j;
    j["findings"].erase(j["findings"].begin());
    write_file(known, j.dump());
    EXPECT_EQ(with("--baseline").status, 1);
}

TEST(Baseline, AFileThatIsNoneIsAnErrorBeforeTheRun) {
    const Kernel k;
    k.is(source(true, false));
    const Said none = k.run({"--baseline", k.folder.path + "/none.json"});
    EXPECT_EQ(none.status, 2);
    EXPECT_NE(none.err.find("none.json: there is no such baseline; `--write-baseline "), std::string::npos)
        << none.err;
    for (const char* text :
         {"",
          "[]",
          R"({"baseline": 7, "findings": []})",
          R"({"baseline": 1, "findings": [1]})",
          R"({"baseline": 1, "findings": [{"kernel": "k", "rule": "r", "file": "f", "at": "a", "count": -1}]})",
          R"({"baseline": 1, "findings": [{"kernel": "k", "rule": "r", "file": "f", "at": "a", "count": 9223372036854775807}]})"}) {
        write_file(k.known, text);
        const Said said = k.run({"--baseline", k.known});
        EXPECT_EQ(said.status, 2) << text;
        EXPECT_NE(said.err.find("known.json: this "), std::string::npos) << said.err;
    }
}

}  // namespace
}  // namespace wl::test
