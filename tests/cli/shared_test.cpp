// warplens at --shared: who wrote what when, what is in flight, what an access costs and would cost.
#include "tests/support/program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

json ask(std::vector<std::string> words) {
    words.insert(words.begin(), "at");
    words.insert(words.end(), {"--shared", "--json"});
    const Said said = warplens(words);
    EXPECT_EQ(said.status, 0) << said.err;
    return said.status == 0 ? json::parse(said.out) : json();
}

std::string line_of(const std::string& file, const std::string& text) {
    const std::string place = source_place(file, text);
    return place.substr(place.rfind(':') + 1);
}

const json& region(const json& j, const std::string& name) {
    for (const json& r : j["regions"])
        if (r["name"] == name && r["current"] == true) return r;
    ADD_FAILURE() << "no region " << name;
    return j["regions"].front();
}

// tests/kernels/hazards/stage: 128 threads copy 128 floats a step into one of two buffers, and wait for the
// copies of the step before.
struct Stage {
    std::string kernel = source_path("tests/kernels/hazards/stage.toml");
    std::string read = line_of("tests/kernels/hazards/stage.cu", "to[step * 128 + i] =");
};

TEST(Shared, ACopyIsInFlightUntilItIsWaitedFor) {
    const Stage stage;
    const json j = ask({stage.kernel, "--line", stage.read, "--hit", "1", "--warp", "2"});
    EXPECT_EQ(j["bytes"], 1024);
    EXPECT_EQ(
        j["states"],
        json({
            {"now",       0  },
            {"stale",     512},
            {"in_flight", 512},
            {"never",     0  }
    })
    );
    // Step 1 reads the second buffer; the first is being filled for step 2, and still holds step 0's.
    for (const json& run : j["runs"]) {
        const int begin = run[0], thread = begin % 512 / 4;
        EXPECT_EQ(run[1], 4);
        EXPECT_EQ(run[3], thread % 32);  // lane
        const json& write = j["writes"][run[2].get<size_t>()];
        EXPECT_EQ(write["warp"], thread / 32);
        EXPECT_EQ(write["copy"], true);
        EXPECT_EQ(run[4].get<int>() >= 0, begin < 512);
        EXPECT_EQ(write["epochs_ago"], begin < 512 ? 3 : 1);
        EXPECT_EQ(run[7], 1);  // writers
    }
    const json& tiles = region(j, "tiles");
    EXPECT_EQ(tiles["rows"], 2);
    EXPECT_EQ(tiles["cols"], 128);
    EXPECT_EQ(tiles["dtype"], "f32");
}

TEST(Shared, NothingIsWrittenBeforeTheFirstInstructionDoes) {
    const Stage stage;
    const json j = ask({stage.kernel, "--time", "0"});
    EXPECT_EQ(
        j["states"],
        json({
            {"now",       0   },
            {"stale",     0   },
            {"in_flight", 0   },
            {"never",     1024}
    })
    );
    EXPECT_EQ(j["values"].get<std::string>().size(), 2048U);
    const json last = ask({stage.kernel});  // its last instant
    EXPECT_EQ(last["states"]["in_flight"], 0);
    EXPECT_EQ(last["states"]["stale"], 1024);
}

TEST(Shared, MarksAreRegionsAndTheStateSaysHowManyIterationsAgo) {
    const std::string softmax = line_of("kernels/v2c_3.cu", "WL_STAGE(\"softmax\")");
    const json j = ask({"v2c_3", "--shape", "1,1,256,64", "--stage", "softmax", "--iteration", "2"});
    const json& scores = region(j, "scores");
    EXPECT_EQ(scores["kind"], "tile");
    EXPECT_EQ(scores["rows"].get<int>() * scores["cols"].get<int>(), 64 * 64);
    EXPECT_EQ(region(j, "K")["kind"], "layout");
    int older = 0;
    for (const json& write : j["writes"]) older = std::max(older, write["iterations_ago"].get<int>());
    EXPECT_GE(older, 1);
    EXPECT_FALSE(softmax.empty());
}

// What `warplens banks` counts of a line over the block, and what it says that padding saves.
TEST(Shared, AnAccessCostsWhatBanksCounts) {
    const Said said = warplens({"banks", "v2b", "--shape", "1,1,64,64", "--block", "0,0,0", "--json"});
    const json banks = json::parse(said.out);
    int compared = 0;
    for (const json& line : banks["shared"]["lines"]) {
        if (line["instructions"] != 1) continue;
        const json j = ask(
            {"v2b",
             "--shape",
             "1,1,64,64",
             "--warp",
             std::to_string(line["witness"]["warp"].get<int>()),
             "--access",
             std::to_string(line["line"].get<int>())}
        );
        int degree = 0;
        for (const json& r : j["requests"])
            if (r["global"] == false) degree = std::max(degree, r["cost"]["degree"].get<int>());
        EXPECT_EQ(degree, line["degree"]) << line["line"];
        ++compared;
    }
    EXPECT_GE(compared, 1);
}

}  // namespace
}  // namespace wl::test
