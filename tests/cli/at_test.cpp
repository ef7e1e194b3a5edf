// at and why on the command line: instants of a capture's block, and where an element comes from.
#include "tests/support/program.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

constexpr const char* kSource = "kernels/v2c_3.cu";
constexpr const char* kNewSum = "sh.l[row] = ";  // where a row's l is written

std::string line_of(const std::string& text) {
    const std::string place = source_place(kSource, text);
    return place.substr(place.rfind(':') + 1);
}

// A capture of v2c_3 with its fault 32x, on a small shape.
struct At : testing::Test {
    TemporaryFolder folder;
    std::string file = folder.path + "/bad.wlcap";

    void SetUp() override {
        ASSERT_EQ(
            warplens({"run", "v2c_3", "--fault", "32x", "--shape", "1,1,128,64", "-o", file}).status, 1
        );
    }
    json at(const std::vector<std::string>& options) const {
        std::vector<std::string> words{"at", file, "--json", "--print", "lane"};
        words.insert(words.end(), options.begin(), options.end());
        const Said said = warplens(words);
        EXPECT_EQ(said.status, 0) << said.err;
        return said.status == 0 ? json::parse(said.out) : json();
    }
};

TEST_F(At, ACaptureIsRunAgainAndItsFirstWrongElementIsFoundWhereItIsWritten) {
    const json j = at({"--first", "bad"});
    EXPECT_EQ(j.at("faults"), json::array({"32x"}));
    EXPECT_EQ(j.at("build"), "debug");
    EXPECT_NE(j.at("place").get<std::string>().find(source_place(kSource, kNewSum)), std::string::npos);
    EXPECT_EQ(j.at("note"), "about to write l[0][0] of iteration 0, the first wrong element");
    EXPECT_EQ(j.at("instruction").get<std::string>().substr(0, 2), "st");
}

// A block of a kernel whose warps race, in several schedules: 384 elements of `out`.
json why_first_row(const std::string& file, int col) {
    const Said said =
        warplens({"why", file, "--tile", "out", "--element", "0," + std::to_string(col), "--json"});
    return said.err.empty() ? json::parse(said.out) : json();
}

// What the lane that writes the element last holds in the register that it stores.
std::string stored(const std::string& file, int col) {
    const std::string element = "out[0][" + std::to_string(col) + "]";
    const json at =
        json::parse(warplens({"at", file, "--json", "--print", "lane", "--last-write", element}).out);
    const std::string instruction = at.at("instruction");
    const size_t from = instruction.rfind('%'), to = instruction.rfind(';');
    const json again = json::parse(
        warplens(
            {"at", file, "--json", "--last-write", element, "--print", instruction.substr(from, to - from)}
        )
            .out
    );
    EXPECT_EQ(again.at("schedule_note"), "");
    return again.at("values").at(0).at("lanes").at(static_cast<size_t>(col % 32));
}

TEST(AtSchedules, ACaptureOfAnotherScheduleIsTravelledInItsOrder) {
    const TemporaryFolder folder;
    for (const char* name : {"/turn.cu", "/turn.toml"})
        write_file(folder.path + name, read_file(source_path("tests/kernels/hazards") + name));
    const std::string kernel = folder.path + "/turn.toml", usual = folder.path + "/0.wlcap";
    ASSERT_EQ(warplens({"run", kernel, "--fault", "raw", "-o", usual}).status, 1);
    // Random ones; then warp 2 reads before warp 1 writes, and the other way round.
    for (const char* seed : {"1", "3", "4611686018427932627", "4611686018428560188"}) {
        const std::string file = folder.path + "/" + seed + ".wlcap";
        ASSERT_EQ(warplens({"run", kernel, "--fault", "raw", "--schedule", seed, "-o", file}).status, 1);
        int others = 0;
        for (int col = 0; col < 128; col += 40) {
            const json why = why_first_row(file, col);
            const double held = why.at("asked").at("got");
            others += held != why_first_row(usual, col).at("asked").at("got");
            EXPECT_EQ(why.at("lines").back().at("value"), fmt::format("{:g}", held)) << seed << ", " << col;
            EXPECT_EQ(stored(file, col), fmt::format("{:g}", held)) << seed << ", " << col;
        }
        EXPECT_GT(others, 0) << "schedule " << seed << " changes nothing";
    }
    const std::string file = folder.path + "/1.wlcap";
    const json debug = json::parse(warplens({"at", file, "--json", "--build", "debug"}).out);
    EXPECT_NE(
        debug.at("schedule_note").get<std::string>().find("schedule 1 orders the accesses"), std::string::npos
    );
}

TEST_F(At, BarriersEpochsMarksAndIterationsNameInstants) {
    const json barrier = at({"--barrier", "1"}), behind = at({"--epoch", "2"});
    EXPECT_EQ(barrier.at("epoch"), 1);
    EXPECT_NE(barrier.at("instruction").get<std::string>().find("bar"), std::string::npos);
    EXPECT_EQ(behind.at("epoch"), 2);
    EXPECT_GT(behind.at("time"), barrier.at("time"));
    const json first = at({"--tile", "P", "--iteration", "0"}),
               second = at({"--tile", "P", "--iteration", "1"});
    EXPECT_NE(first.at("instruction").get<std::string>().find("\"P\""), std::string::npos);
    EXPECT_LT(first.at("order"), second.at("order"));
    const json stage = at({"--stage", "softmax", "--iteration", "1"});
    EXPECT_GT(stage.at("order"), first.at("order"));
    EXPECT_LT(stage.at("order"), second.at("order"));
    EXPECT_EQ(at({"--stage", "softmax", "--hit", "-1"}).at("epoch"), 4);
    EXPECT_EQ(warplens({"at", file, "--barrier", "77"}).status, 2);
}

TEST_F(At, WritersOfAnElementAreFoundBeforeAndBehindItsMark) {
    const json last = at({"--last-write", "l[3]", "--iteration", "1"});
    EXPECT_NE(last.at("place").get<std::string>().find(source_place(kSource, kNewSum)), std::string::npos);
    const json first = at({"--write", "l[3]"});
    EXPECT_NE(
        first.at("place").get<std::string>().find(source_place(kSource, "sh.l[first_row + lane] = 0")),
        std::string::npos
    );
    const json next = at({"--write", "l[3]", "--next-write", "l[3]"});
    EXPECT_NE(next.at("place").get<std::string>().find(source_place(kSource, kNewSum)), std::string::npos);
    EXPECT_LT(next.at("order"), last.at("order")) << "iteration 0 comes before";
    const Said nobody = warplens({"at", file, "--last-write", "none[3]"});
    EXPECT_EQ(nobody.status, 2);
    EXPECT_NE(nobody.err.find("the block takes no tile none"), std::string::npos) << nobody.err;
}

TEST_F(At, CommasInsideAnExpressionDoNotPartIt) {
    const json j = at({"--line", line_of("warp_reduce_sum(l_add)"), "--print", "min(l_add, 1),max(lane, 7)"});
    ASSERT_EQ(j.at("values").size(), 3u);
    EXPECT_EQ(j.at("values").at(1).at("expression"), "min(l_add, 1)");
    EXPECT_EQ(j.at("values").at(1).at("lanes").at(3), "1");
    EXPECT_EQ(j.at("values").at(2).at("lanes").at(3), "7");
    EXPECT_EQ(j.at("values").at(2).at("lanes").at(30), "30");
}

TEST_F(At, AnElementAStageOrAnOutputDecidesAmongTheArrivalsAtALine) {
    const auto row = [&](const std::vector<std::string>& options) {
        std::vector<std::string> words{"--line", line_of("warp_reduce_sum(l_add)"), "--print", "row"};
        words.insert(words.end(), options.begin(), options.end());
        return at(words).at("values").at(1).at("lanes").at(0).get<std::string>();
    };
    EXPECT_EQ(row({"--for", "l[3]"}), "3");
    EXPECT_EQ(row({"--for", "l[3]", "--iteration", "1"}), "3");
    EXPECT_EQ(row({"--for", "l[3]", "--iteration", "1", "--hit", "-1"}), "2");
    EXPECT_EQ(row({"--for", "l[3]", "--iteration", "1", "--hit", "2"}), "5");
    EXPECT_EQ(row({"--for", "O[5][0]"}), "7") << "the last row of the last iteration";
    EXPECT_EQ(row({"--from-stage", "softmax", "--iteration", "1"}), "0");
    EXPECT_EQ(row({"--from-stage", "softmax", "--iteration", "1", "--hit", "-1"}), "7");
    const json first = at({"--line", line_of("warp_reduce_sum(l_add)"), "--for", "l[3]", "--iteration", "0"}),
               second =
                   at({"--line", line_of("warp_reduce_sum(l_add)"), "--for", "l[3]", "--iteration", "1"}),
               before = at({"--line", line_of("warp_reduce_sum(l_add)"), "--for", "m[0]", "--hit", "0"}),
               behind = at({"--line", line_of("WL_STAGE(\"scores\")"), "--for", "l[0]"});
    EXPECT_LT(first.at("order"), second.at("order"));
    EXPECT_LT(before.at("order"), first.at("order"));
    EXPECT_LT(behind.at("order"), before.at("order")) << "the line's last arrival before, not its next";
    const Said nobody =
        warplens({"at", file, "--line", line_of("warp_reduce_sum(l_add)"), "--for", "O[99][0]"});
    EXPECT_EQ(nobody.status, 2);
    EXPECT_NE(nobody.err.find("the block writes it nowhere"), std::string::npos) << nobody.err;
}

TEST_F(At, TheFirstInfIsFoundBeforeTheInstructionThatMakesIt) {
    const json j = at({"--first", "inf", "--build", "optimised"});
    EXPECT_EQ(j.at("note").get<std::string>().find("about to make inf: %"), 0u) << j.at("note");
    const Said nan = warplens({"at", file, "--first", "nan"});
    EXPECT_EQ(nan.status, 2);
    EXPECT_NE(nan.err.find("any warp making nan is met 0 times"), std::string::npos) << nan.err;
}

TEST_F(At, ALineWithoutCodeIsRefusedWithTheNearestThatHaveSome) {
    const std::string comment = line_of("// Q, K, V, O: (B, H, seq, D).");
    const Said said = warplens({"at", file, "--line", comment});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(
        said.err.find("no instruction is at line " + comment + ", the nearest are at "), std::string::npos
    ) << said.err;
    EXPECT_EQ(warplens({"at", file, "--line", "1", "--file", "v2c_3.cu"}).status, 2);
}

TEST_F(At, AnExpressionSaysWhichOfItsNamesLeavesItWithoutAValue) {
    const json j = at({"--line", line_of("for (int key = 0; key < N; ++key)"), "--print", "key * 2 + lane"});
    const json& value = j.at("values").at(1);
    EXPECT_EQ(value.at("missing"), "key is not live here");
    EXPECT_NE(
        value.at("origin").get<std::string>().find("key: source variable, not live here"), std::string::npos
    ) << value;
    const Said text =
        warplens({"at", file, "--line", line_of("for (int key = 0; key < N; ++key)"), "--print", "key"});
    EXPECT_NE(text.out.find("no value: key is not live here"), std::string::npos) << text.out;
    const Said outside = warplens({"at", file, "--line", line_of("float l_add = 0.0f;"), "--print", "key"});
    EXPECT_EQ(outside.status, 2);
    EXPECT_NE(outside.err.find("nothing here is called key, but at line "), std::string::npos) << outside.err;
}

TEST_F(At, AnElementsChainEndsAtTheFirstWrongLinkAndItsLines) {
    const Said said = warplens({"why", file, "--tile", "O", "--element", "0,0"});
    EXPECT_EQ(said.status, 1) << said.err;
    const std::string shuffle = source_place(kSource, "x += __shfl_xor_sync"),
                      reduction = source_place(kSource, "warp_reduce_sum(l_add)");
    for (const std::string& words : std::vector<std::string>{
             "  > " + shuffle + ", inlined at " + reduction.substr(reduction.find(':') + 1),
             "x += __shfl_xor_sync(0xffffffff, x, offset);",
             "right  P[0,0] of iteration 0",
             "wrong  l[0,0] of iteration 0 = 208.",
             "The first wrong link is l[0,0] of iteration 0",
             "Q: 64 elements between [0,0,0,0] and [0,0,0,63]",
             "K: 8192 elements"})
        EXPECT_NE(said.out.find(words), std::string::npos) << words << "\n" << said.out;
    EXPECT_EQ(said.out.find("  > " + source_place(kSource, "sum[i][j] +=")), std::string::npos)
        << "the scores are right";

    const json j = json::parse(warplens({"why", file, "--tile", "O", "--element", "0,0", "--json"}).out);
    EXPECT_EQ(j.at("first_wrong").at("tile"), "l");
    EXPECT_EQ(j.at("first_wrong").at("iteration"), 0);
    bool shuffles = false;
    for (const json& line : j.at("lines"))
        shuffles =
            shuffles || (shuffle.ends_with(":" + line.at("line").dump()) && line.at("suspect").get<bool>());
    EXPECT_TRUE(shuffles);
    EXPECT_EQ(warplens({"why", file, "--tile", "scores", "--iteration", "0"}).status, 0);
}

TEST_F(At, AnUnknownTileIsRefusedWithTheNearestName) {
    const Said said = warplens({"why", file, "--tile", "scorse"});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("did you mean scores?"), std::string::npos) << said.err;
    EXPECT_EQ(warplens({"why", file, "--tile", "O", "--element", "0"}).status, 2);
    EXPECT_EQ(warplens({"why", file, "--tile", "O", "--element", "9999,0"}).status, 2);
}

TEST(AtAgain, ACaptureOfAnotherSourceIsRepeatedFromWhatItCarries) {
    const TemporaryFolder folder;
    const std::string cu = folder.path + "/gemm.cu", file = folder.path + "/gemm.wlcap";
    for (const char* name : {"/gemm.toml", "/gemm.py"})
        write_file(folder.path + name, read_file(source_path("tests/kernels") + name));
    const std::string text = read_file(source_path("tests/kernels/gemm.cu"));
    write_file(cu, text);
    ASSERT_EQ(warplens({"run", cu, "-o", file}).status, 0);
    EXPECT_EQ(warplens({"at", file, "--epoch", "1"}).status, 0);
    write_file(cu, "// changed\n" + text);
    for (const char* verb : {"at", "why"}) {
        std::vector<std::string> words{verb, file};
        if (words.front() == "why") words.insert(words.end(), {"--tile", "C"});
        const Said carried = warplens(words);
        EXPECT_EQ(carried.status, 0) << carried.err;
        EXPECT_NE(carried.out.find("--trust"), std::string::npos) << carried.out;
        words.emplace_back("--trust");
        const Said said = warplens(words);
        EXPECT_EQ(said.status, 2) << verb;
        EXPECT_NE(
            said.err.find("is not the source that " + file + " was made of: line 1 differs"),
            std::string::npos
        ) << said.err;
    }
}

}  // namespace
}  // namespace wl::test
