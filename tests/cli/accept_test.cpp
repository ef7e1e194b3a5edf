// The acceptance table: what is accepted, what is refused and why, and that one row never ends the others.
#include "instrumentation/diagnosis/resources.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

// Two blocks of the attention kernels, whatever the preset.
const std::vector<std::string> kSmall{"--set", "B=1", "--set", "H=1", "--set", "S=128", "--threads", "1"};

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

json rows_of(const Said& said) { return said.out.empty() ? json::array() : json::parse(said.out).at("rows"); }

TEST(Accept, ACleanKernelIsAcceptedAtEveryPresetInTheOrderOfItsManifest) {
    const Said said = warplens(with({"accept", "v2c_3", "--json"}, kSmall));
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    const json j = json::parse(said.out);
    EXPECT_EQ(j.at("verdict"), "ok");
    EXPECT_EQ(j.at("accepted"), 5);
    std::vector<std::string> presets;
    for (const json& row : j.at("rows")) {
        presets.push_back(row.at("preset"));
        EXPECT_EQ(row.at("verdict"), "accepted") << row.dump(1);
        EXPECT_EQ(row.at("findings").size(), 0U);
        EXPECT_EQ(row.at("bad_tiles"), 0);
        EXPECT_GT(row.at("tiles"), 0);
        EXPECT_LE(row.at("max_abs_difference"), row.at("allowed"));
        EXPECT_GT(row.at("conflicts").at("wavefronts"), row.at("conflicts").at("ideal"));
        EXPECT_GT(row.at("seconds").at("cpu"), 0.0);
        EXPECT_TRUE(row.at("seconds").at("gpu").is_null());
    }
    EXPECT_EQ(
        presets, (std::vector<std::string>{"mission", "mission_causal", "long", "long_causal", "long_128"})
    );
    EXPECT_EQ(j.at("rows").at(4).at("shared_bytes"), 80704);
}

TEST(Accept, AFaultIsRefusedWithItsFirstBadTileAndItsFinding) {
    const std::vector<std::string> words{"accept", "v2c_3", "v2c_3+32x", "--presets", "mission"};
    const Said said = warplens(with(words, kSmall));
    EXPECT_EQ(said.status, 1) << said.err;
    for (const char* text :
         {"mission         accepted",
          "mission         refused",
          "v2c_3+32x\n  every lane sums the whole row",
          "first bad tile: l, iteration 0, block (0,0,0), element [0,0]: 64 of 64 elements",
          "first finding: constant_factor: l is 32x the reference",
          "at " WL_SOURCE_DIR "/kernels/v2c_3.cu:",
          "1 of 2 accepted",
          "GPU: not "})
        EXPECT_NE(said.out.find(text), std::string::npos) << text << "\n" << said.out;
    const json row = rows_of(warplens(with(with(words, {"--json"}), kSmall))).at(1);
    EXPECT_EQ(row.at("faults"), json::array({"32x"}));
    EXPECT_EQ(row.at("first_bad").at("tile"), "l");
    EXPECT_EQ(row.at("findings").at(0).at("rule"), "constant_factor");
}

TEST(Accept, NaNsAreSaidAsSuch) {
    const Said said = warplens(with({"accept", "v2b+warp7", "--presets", "mission"}, kSmall));
    EXPECT_EQ(said.status, 1);
    EXPECT_NE(said.out.find("refused: O has 1024 NaN; "), std::string::npos) << said.out;
}

TEST(Accept, MoreRegistersOrSharedMemoryThanTheLimitIsRefused) {
    const std::vector<std::string> words{"accept", "v2b", "--presets", "mission", "--json"};
    const json narrow =
        rows_of(warplens(with(with(words, {"--max-registers", "20", "--max-shared", "64K"}), kSmall))).at(0);
    EXPECT_EQ(narrow.at("verdict"), "refused");
    ASSERT_EQ(narrow.at("objections").size(), 2U) << narrow.dump(1);
    EXPECT_EQ(narrow.at("objections").at(1), "79.8 KB of shared memory a block, limit 64.0");
    EXPECT_GT(narrow.at("registers"), 20);
    EXPECT_EQ(narrow.at("limits").at("shared_bytes"), 65536);
    const Said wrong = warplens(with({"accept", "v2b", "--max-shared", "64Q"}, kSmall));
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(wrong.out, "");
    EXPECT_NE(wrong.err.find("--max-shared 64Q"), std::string::npos);
}

TEST(Accept, ExactlyTheLimitIsAcceptedAndOneLessIsNot) {
    const std::vector<std::string> words{"accept", "v2b", "--presets", "mission", "--json"};
    const json usual = rows_of(warplens(with(words, kSmall))).at(0);
    const int registers = usual.at("registers"), shared = usual.at("shared_bytes");
    const auto verdict = [&](int most_registers, int most_shared) {
        const std::vector<std::string> limits{
            "--max-registers", std::to_string(most_registers), "--max-shared", std::to_string(most_shared)};
        return rows_of(warplens(with(with(words, limits), kSmall))).at(0).at("verdict");
    };
    EXPECT_EQ(verdict(registers, shared), "accepted");
    EXPECT_EQ(verdict(registers - 1, shared), "refused");
    EXPECT_EQ(verdict(registers, shared - 1), "refused");
}

TEST(Accept, WithoutPtxasRegistersAreUnknownAndHeldToNothing) {
    const std::vector<std::string> words{"accept", "v2b", "--presets", "mission", "--max-registers", "1"};
    const Said said = warplens(with(words, kSmall), {"WARPLENS_PTXAS=/nowhere/ptxas"});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_NE(said.out.find("/nowhere/ptxas does not start"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find(" ?/1 "), std::string::npos) << said.out;
}

TEST(Accept, TimesOfAGpuComeFromARecordOfBench) {
    const std::string record = source_path("docs/measured/bench-lineage-h200.json");
    const std::vector<std::string> words{"accept", "v2c_3", "--presets", "mission", "--measured", record};
    const json j = json::parse(warplens(with(words, {"--json"})).out);
    EXPECT_EQ(j.at("gpu"), "NVIDIA H200, 2026-11-23 (bench-lineage-h200.json)");
    const json seconds = j.at("rows").at(0).at("seconds");
    const json known = json::parse(read_file(record));
    json measured;
    for (const json& kernel : known.at("kernels"))
        if (kernel.at("kernel") == "v2c_3") measured = kernel.at("timing");
    EXPECT_EQ(seconds.at("gpu"), measured.at("warm").at("median"));
    EXPECT_EQ(seconds.at("gpu_cold"), measured.at("cold").at("median"));
    const Said small = warplens(with(words, kSmall));
    EXPECT_NE(small.out.find("CPU s   GPU us\n"), std::string::npos) << small.out;
    EXPECT_NE(small.out.find("        -\n"), std::string::npos) << "no time of another size\n" << small.out;
}

TEST(Accept, ATimeIsFoundByFaultsAndParameters) {
    const TemporaryFolder folder;
    const std::string one = folder.path + "/one.json", gemm = source_path("tests/kernels/gemm.toml");
    const std::string time =
        R"("timing": {"device": "GPU X", "warm": {"median": 1.25e-5}, "cold": {"median": 2e-5}}})";
    const std::string params = R"("params": {"M": 128, "N": 96, "K": 160, "TILE": 32}, )";
    write_file(one, R"({"kernel": "gemm", "faults": ["last"], "preset": "", )" + params + time + "\n");
    const std::vector<std::string> words{"accept", gemm, "--measured", one, "--json", "--presets", "ragged"};
    EXPECT_TRUE(rows_of(warplens(words)).at(0).at("seconds").at("gpu").is_null());
    const std::vector<std::string> same{
        "--fault", "last", "--set", "M=128", "--set", "N=96", "--set", "K=160"};
    const Said said = warplens(with(words, same));
    EXPECT_EQ(rows_of(said).at(0).at("seconds").at("gpu"), 1.25e-5) << said.out << said.err;
    write_file(one, "[1, 2");
    EXPECT_EQ(warplens(words).status, 2);
    EXPECT_NE(warplens(words).err.find("--measured " + one + ": it is not what"), std::string::npos);
    write_file(one, R"({"kernel": "gemm", "verdict": "findings"})");
    EXPECT_NE(warplens(words).err.find("there is no time in it"), std::string::npos);
}

TEST(Accept, ARowThatCannotRunLeavesTheOthersBe) {
    const std::string unsupported = source_path("tests/kernels/unsupported.cu");
    const std::string gemm = source_path("tests/kernels/gemm.toml");
    const Said said = warplens({"accept", unsupported, gemm, "--presets", "", "--json"});
    EXPECT_EQ(said.status, 2) << "an empty preset is no preset";
    const Said both = warplens({"accept", unsupported, gemm, "--json"});
    EXPECT_EQ(both.status, 3) << both.out << both.err;
    const json rows = rows_of(both);
    ASSERT_GE(rows.size(), 2U);
    EXPECT_EQ(rows.front().at("verdict"), "unsupported");
    EXPECT_EQ(rows.front().at("unsupported").size(), 1U);
    EXPECT_EQ(rows.back().at("verdict"), "accepted") << rows.back().dump(1);
    const Said impossible = warplens({"accept", gemm, "--set", "TILE=64", "--json"});
    EXPECT_EQ(impossible.status, 2);
    EXPECT_NE(
        rows_of(impossible).at(0).at("problem").get<std::string>().find("a warp spans the columns"),
        std::string::npos
    );
}

TEST(Accept, MisspeltWordsAreAnsweredBeforeAnythingRuns) {
    const Said preset = warplens({"accept", "v2c_3", "--presets", "mision"});
    EXPECT_EQ(preset.status, 2);
    EXPECT_NE(preset.err.find("did you mean mission?"), std::string::npos) << preset.err;
    const Said fault = warplens(with({"accept", "v2c_3+23x", "--presets", "mission"}, kSmall));
    EXPECT_EQ(fault.status, 2);
    EXPECT_NE(fault.out.find("did you mean \"32x\"?"), std::string::npos) << fault.out;
}

TEST(Accept, TheReportOfPtxasIsReadForTheRightEntry) {
    const std::string log =
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'other' for 'sm_90'\n"
        "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
        "ptxas info    : Used 255 registers, used 1 barriers\n"
        "ptxas info    : Compiling entry function 'mine' for 'sm_90'\n"
        "    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
        "ptxas info    : Used 62 registers, used 1 barriers, 8 bytes cumulative stack size\n";
    const diagnosis::Resources mine = diagnosis::parse_ptxas_log(log, "mine");
    EXPECT_EQ(mine.registers, 62);
    EXPECT_EQ(mine.spilled, 32);
    EXPECT_EQ(diagnosis::parse_ptxas_log(log, "nobody").registers, std::nullopt);
}

}  // namespace
}  // namespace wl::test
