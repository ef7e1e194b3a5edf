// Changed programs on a device, where the emulator lacks an instruction: each in a process that may be ended.
// The driver's device is emulated; of it too the barrier of a cluster is hidden.
#include "tests/support/program.h"

#include <chrono>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

const std::vector<std::string> kDevice = {
    "LD_LIBRARY_PATH=" WL_DRIVER_FOLDER, "WL_DEVICE_CHANGE=multimem.=// "};

Said run_clustered(std::vector<std::string> words, std::vector<std::string> more = {}) {
    std::vector<std::string> all = {
        "run", source_path("tests/kernels/clustered.toml"), "--on", "gpu", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    more.insert(more.end(), kDevice.begin(), kDevice.end());
    return warplens(all, more);
}

std::string line_with(const std::string& text) { return source_place("tests/kernels/clustered.cu", text); }

std::string place_of(const json& finding) {
    return finding.at("where").at("file").get<std::string>() + ":" +
        std::to_string(finding.at("where").at("line").get<int>());
}

TEST(DeviceTrials, TheSearchNamesTheLineAndSaysThatItWasMeasured) {
    const Said said = run_clustered({"--fault", "sign"});
    ASSERT_EQ(said.status, 1) << said.err;
    const json found = json::parse(said.out).at("findings").at(0);
    EXPECT_EQ(found.at("evidence_kind"), "proven") << found;
    EXPECT_EQ(
        found.at("proof"),
        "measured on gpu: emulated device: 0 of 640 elements of all blocks are outside their bounds, and 0 "
        "of "
        "3840 with 6 other seeds"
    ) << found;
    EXPECT_TRUE(line_with("2 * row[i] - sum / 64").ends_with(place_of(found))) << place_of(found);
}

TEST(DeviceTrials, ARuleChangesTheProgramItself) {
    const Said said = run_clustered({"--fault", "factor", "--search", "0"});
    ASSERT_EQ(said.status, 1) << said.err;
    const json found = json::parse(said.out).at("findings").at(0);
    EXPECT_EQ(found.at("rule"), "constant_factor") << found;
    EXPECT_NE(
        found.at("proof").get<std::string>().find("left out: measured on gpu: emulated device: 0 of 640"),
        std::string::npos
    ) << found;
}

TEST(DeviceTrials, ACleanKernelIsRightAndTriesNothing) {
    const Said said = run_clustered({});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_EQ(json::parse(said.out).at("verdict"), "ok");
}

// The idea that never ends takes its process along; the next is tried in another.
TEST(DeviceTrials, AnEndlessTrialIsEndedAndTheNextOneRuns) {
    const std::string line = line_with("2 * row[i] - sum / 64"), number = line.substr(line.rfind(':') + 1);
    const auto start = std::chrono::steady_clock::now();
    const Said said = run_clustered(
        {"--fault", "sign", "--search", "0", "--try", number + ": 2 * -> 3 /", "--try", number + ": - -> +"},
        {"WL_DEVICE_ENDLESS=div.rn"}
    );
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ASSERT_EQ(said.status, 1) << said.err;
    const json found = json::parse(said.out).at("findings").at(0);
    EXPECT_EQ(found.at("rule"), "tried_change") << found;
    EXPECT_TRUE(found.at("proof").get<std::string>().starts_with("measured on")) << found;
    EXPECT_NE(
        said.out.find("`" + number + ": 2 * -> 3 /` does not mend it: it does not come to an end."),
        std::string::npos
    ) << said.out;
    EXPECT_LT(spent, 20) << "the limit is a second, or four times what the first run took";
}

TEST(DeviceTrials, TheEmulatorIsTakenWhereItLacksNothing) {
    const Said said = warplens(
        {"run",
         source_path("kernels/v2c_3.toml"),
         "--fault",
         "32x",
         "--set",
         "B=1",
         "--set",
         "H=1",
         "--set",
         "S=64",
         "--on",
         "gpu",
         "--json"},
        {"LD_LIBRARY_PATH=" WL_DRIVER_FOLDER}
    );
    ASSERT_EQ(said.status, 1) << said.err;
    const json found = json::parse(said.out).at("findings").at(0);
    EXPECT_EQ(found.at("evidence_kind"), "proven") << found;
    EXPECT_EQ(said.out.find("measured on gpu"), std::string::npos) << said.out;
}

}  // namespace
}  // namespace wl::test
