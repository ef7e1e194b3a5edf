// at --step: moves of a warp by line, mark, stage, barrier, write and breakpoint, forward and back, on
// kernels that are no attention.
#include "tests/support/program.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

namespace wl::test {
namespace {

using nlohmann::json;

constexpr const char* kGemm = "tests/kernels/gemm.cu";
constexpr const char* kCalled = "tests/kernels/called.cu";

std::string line_of(const char* source, const std::string& text) {
    const std::string place = source_place(source, text);
    return place.substr(place.rfind(':') + 1);
}

// Of a kernel of ours beside its source.
Said at(const char* source, std::vector<std::string> options) {
    std::string manifest = source_path(source);
    manifest.replace(manifest.size() - 2, 2, "toml");
    std::vector<std::string> words{"at", manifest};
    words.insert(words.end(), options.begin(), options.end());
    return warplens(words);
}
json told(const char* source, std::vector<std::string> options) {
    options.emplace_back("--json");
    const Said said = at(source, std::move(options));
    EXPECT_EQ(said.status, 0) << said.err;
    return said.status == 0 ? json::parse(said.out) : json();
}
// Lines of the places that the steps led to.
std::vector<std::string> lines_on_the_way(const json& j) {
    std::vector<std::string> lines;
    for (const json& stop : j.at("way")) {
        const std::string place = stop.at("place");
        lines.push_back(place.substr(place.rfind(':') + 1));
    }
    return lines;
}

TEST(Step, IntoACalledFunctionOverItsLinesOutOfItAndBackAgain) {
    const std::string call = line_of(kCalled, "out[row] = weighted_sum"),
                      sum = line_of(kCalled, "float sum = 0.0f");
    const json j =
        told(kCalled, {"--line", call, "--print", "lane", "--step", "into,over,over,out,back into,back out"});
    const std::vector<std::string> lines = lines_on_the_way(j);
    ASSERT_EQ(lines.size(), 6U);
    EXPECT_LT(std::stoi(lines[0]), std::stoi(sum)) << "the function's head";
    EXPECT_EQ(lines[1], sum);
    EXPECT_EQ(lines[3], call) << "out: to the line that called it";
    EXPECT_GT(std::stoi(lines[4]), std::stoi(sum)) << "back into the end of what was called";
    EXPECT_LT(std::stoi(lines[4]), std::stoi(call));
    EXPECT_EQ(lines[5], call) << "back out: where the call is made";
}

const std::string kFirst = "const int row = first_row + i;",
                  kSecond = "a[row * kLd + column] =", kThird = "b[row * kLd + column] =";

TEST(Step, OverTheLinesOfALoopRoundAndRoundAndBack) {
    const std::string loop = std::to_string(std::stoi(line_of(kGemm, kFirst)) - 1);
    const auto stepped = [&](const char* steps, const char* print = "lane") {
        const std::string line = line_of(kGemm, kFirst);
        return told(kGemm, {"--line", line, "--warp", "2", "--print", print, "--step", steps});
    };
    const json round = stepped("over x4", "i");
    EXPECT_EQ(
        lines_on_the_way(round),
        (std::vector<std::string>{
            line_of(kGemm, kSecond), line_of(kGemm, kThird), loop, line_of(kGemm, kFirst)})
    );
    EXPECT_EQ(round.at("values").at(0).at("lanes").at(5), "1");
    EXPECT_EQ(stepped("over x4, back over x4").at("order"), stepped("over, back over").at("order"));
    const std::string inside = lines_on_the_way(stepped("over, into")).back();
    EXPECT_LT(std::stoi(inside), std::stoi(loop)) << "element(), which is called there";
    EXPECT_EQ(lines_on_the_way(stepped("over, into, out")).back(), line_of(kGemm, kSecond));
}

TEST(Step, TheWayIsPrinted) {
    const Said said =
        at(kGemm, {"--line", line_of(kGemm, kFirst), "--step", "over x2, back over", "--print", "i"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_NE(said.out.find("  over x2    "), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("  back over  "), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("gemm.cu:" + line_of(kGemm, kThird) + ", lanes ffffffff\n"), std::string::npos)
        << said.out;
}

TEST(Step, MarksStagesIterationsAndBarriersForwardAndBack) {
    const std::string load = line_of(kGemm, "WL_STAGE(\"load\")"),
                      multiply = line_of(kGemm, "WL_STAGE(\"multiply\")");
    const auto stand = [&](const std::string& steps) {
        return told(kGemm, {"--warp", "3", "--stage", "load", "--print", "lane", "--step", steps});
    };
    EXPECT_EQ(
        lines_on_the_way(stand("stage,stage,back stage")),
        (std::vector<std::string>{multiply, load, multiply})
    );
    const json iteration = stand("iteration x2,back iteration");
    EXPECT_EQ(lines_on_the_way(iteration), (std::vector<std::string>{load, load, load}));
    EXPECT_EQ(iteration.at("epoch"), stand("iteration").at("epoch"));
    const json marks = stand("mark,mark,back mark");
    EXPECT_NE(marks.at("instruction").get<std::string>().find("\"A\""), std::string::npos);
    const json barrier = stand("barrier,barrier,back barrier");
    EXPECT_EQ(barrier.at("order"), stand("barrier").at("order"));
    EXPECT_NE(barrier.at("instruction").get<std::string>().find("bar"), std::string::npos);
    const Said past = at(kGemm, {"--stage", "load", "--step", "back iteration"});
    EXPECT_EQ(past.status, 2);
    EXPECT_NE(
        past.err.find("--step back iteration: there is no iteration of warp 0 before time"), std::string::npos
    ) << past.err;
}

TEST(Step, BreakpointsStopWhereTheirConditionHoldsForALane) {
    const std::string line = line_of(kGemm, kFirst), file_line = "gemm.cu:" + line;
    const auto stopped = [&](const std::string& breakpoint, const char* steps) {
        return told(kGemm, {"--print", "k0,i", "--break", breakpoint, "--step", steps});
    };
    const auto k0 = [](const json& j) { return j.at("values").at(0).at("lanes").at(4); };
    const std::string condition = file_line + " if i == 2 && lane == 4";
    EXPECT_EQ(k0(stopped(condition, "go x3")), "64");
    EXPECT_EQ(stopped(condition, "go x3").at("values").at(1).at("lanes").at(4), "2");
    EXPECT_EQ(k0(stopped(condition, "go x3, back go")), "32");
    EXPECT_EQ(stopped(line + " if warp == 5", "go any").at("warp"), 5);
    const json to = told(kGemm, {"--print", "k0,i", "--step", "line " + file_line + " if i == 3"});
    EXPECT_EQ(to.at("values").at(1).at("lanes").at(0), "3");
    EXPECT_EQ(
        at(kGemm, {"--step", "go"}).err,
        "warplens: error: --step: \"go\" stops nowhere: name a line or what is written with --break\n"
    );
}

TEST(Step, WritesOfAnElementAreSteppedToOfAnyWarp) {
    const json j =
        told(kGemm, {"--print", "lane", "--step", "write A[9][3], write A[9][3], back write A[9][3]"});
    const std::string load = line_of(kGemm, "a[row * kLd + column] =");
    EXPECT_EQ(lines_on_the_way(j), (std::vector<std::string>{load, load, load}));
    EXPECT_EQ(j.at("warp"), 2) << "row 9 of 32 rows of 8 warps";
    EXPECT_EQ(j.at("way").at(0).at("time"), j.at("way").at(2).at("time"));
}

// The list, and the steps from write to write, which find each by running on.
TEST(Step, AllWritesOfAnElementAreListedWithWhatTheyLeave) {
    const json list = told(kGemm, {"--writes", "sums[9][3]"}), &writes = list.at("writes");
    ASSERT_EQ(writes.size(), 6U) << "zero, and a sum in each of five iterations";
    const std::string zero = line_of(kGemm, "column] = 0.0f;"), sum = line_of(kGemm, "column] += dot[i]");
    const json way = told(kGemm, {"--print", "lane", "--step", "write sums[9][3] x6"}).at("way");
    for (size_t i = 0; i < writes.size(); ++i) {
        const json& write = writes.at(i);
        const std::string place = write.at("place");
        EXPECT_EQ(place.substr(place.rfind(':') + 1), i == 0 ? zero : sum);
        EXPECT_EQ(write.at("iteration"), static_cast<int>(i) - 1);
        EXPECT_EQ(write.at("stage"), i == 0 ? "" : "multiply");
        EXPECT_EQ(write.at("warp"), 2);
        EXPECT_EQ(write.at("lanes"), 1U << 3);
        EXPECT_EQ(write.at("time"), way.at(i).at("time"));
    }
    EXPECT_EQ(writes.at(0).at("leaves"), "0");
    EXPECT_FALSE(list.at("global"));
    const json stored = told(kGemm, {"--writes", "C[9][3]", "--block", "0,0,0"});
    ASSERT_EQ(stored.at("writes").size(), 1U);
    EXPECT_TRUE(stored.at("global"));
    EXPECT_EQ(stored.at("writes").at(0).at("leaves"), writes.at(5).at("leaves"));
    EXPECT_EQ(told(kGemm, {"--writes", "C[9][3]", "--block", "1,1,0"}).at("writes").size(), 0U);
    EXPECT_NE(at(kGemm, {"--writes", "dot[0][1]"}).err.find("lies in registers"), std::string::npos);
    EXPECT_NE(
        at(kGemm, {"--writes", "sums[9][3]"}).out.find("sums[9][3]: 6 writes by block 0\n"), std::string::npos
    );
}

TEST(Step, BreakpointsOnDataStopWhereTheElementIsWritten) {
    const std::string load = line_of(kGemm, "a[row * kLd + column] =");
    const auto stopped = [&](const std::string& breakpoint, const char* steps) {
        return told(kGemm, {"--print", "k0,i", "--break", breakpoint, "--step", steps});
    };
    const json twice = stopped("write A[9][3]", "go x2, back go");
    EXPECT_EQ(lines_on_the_way(twice), (std::vector<std::string>{load, load, load}));
    EXPECT_EQ(twice.at("warp"), 2);
    EXPECT_EQ(twice.at("values").at(0).at("lanes").at(3), "0");
    const json later = stopped("write A[9][3] if k0 == 64", "go");
    EXPECT_EQ(later.at("values").at(0).at("lanes").at(3), "64");
    EXPECT_NE(
        at(kGemm, {"--break", "writes A", "--step", "go"}).err.find("or 'write NAME[i][j]'"),
        std::string::npos
    );
}

TEST(Step, WhereEveryWarpStandsAndWhatItHoldsThere) {
    const std::string line = line_of(kGemm, kFirst);
    const json j = told(kGemm, {"--warp", "3", "--line", line, "--hit", "4", "--across", "first_row"});
    const json& warps = j.at("warps");
    ASSERT_EQ(warps.size(), 8U);
    EXPECT_EQ(j.at("across"), "first_row");
    for (int w = 0; w < 8; ++w) {
        EXPECT_EQ(warps.at(w).at("warp"), w);
        EXPECT_EQ(warps.at(w).at("values").at(31), std::to_string(4 * w)) << "each warp's own";
    }
    EXPECT_NE(warps.at(3).at("place").get<std::string>().find("gemm.cu:" + line), std::string::npos);
    const Said said = at(kGemm, {"--warp", "3", "--line", line, "--print", "i", "--warps"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_NE(said.out.find("  warps of the block\n"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("waits for barrier 0: warps not there yet: "), std::string::npos) << said.out;
    const json other = told(
        kGemm,
        {"--warp", "0", "--order", std::to_string(j.at("order").get<int64_t>()), "--print", "first_row"}
    );
    EXPECT_EQ(other.at("warp"), 0) << "another warp at that instant: where it stands";
    EXPECT_EQ(other.at("place"), warps.at(0).at("place"));
}

TEST(Step, AWarpThatWaitsForItsCopiesSaysWhoseTheyAre) {
    const std::string wait = line_of("kernels/v2c_4.cu", "cp.async.wait_all"),
                      copy = line_of("kernels/v2c_4.cu", "cp.async.cg.shared.global");
    const auto waits = [](const std::string& line) {
        return told("kernels/v2c_4.cu", {"--line", line, "--warp", "2", "--warps"})
            .at("warps")
            .at(2)
            .at("waits");
    };
    EXPECT_EQ(waits(wait), "4 copies issued at v2c_4.cu:" + copy);
    EXPECT_EQ(waits(std::to_string(std::stoi(wait) + 1)).get<std::string>().find("copies"), std::string::npos)
        << "they have landed";
}

TEST(Step, AnArrayOpensIntoItsElements) {
    const std::string line = line_of(kGemm, "dot[i] +=");
    const json j = told(kGemm, {"--line", line, "--watch", "tid.y", "--print", "dot", "--open", "dot"});
    const json& values = j.at("values");
    ASSERT_EQ(values.size(), 6U);
    EXPECT_EQ(values.at(0).at("expression"), "tid.y") << "watches come first";
    EXPECT_TRUE(values.at(1).at("opens"));
    for (int k = 0; k < 4; ++k) {
        EXPECT_EQ(values.at(2 + k).at("expression"), "dot[" + std::to_string(k) + "]");
        EXPECT_EQ(values.at(2 + k).at("depth"), 1);
    }
    EXPECT_EQ(values.at(2).at("lanes").at(0), "0");
    EXPECT_EQ(told(kGemm, {"--line", line, "--print", "dot"}).at("values").size(), 1U) << "closed";
}

TEST(Step, AnOptimisedBuildTellsTheRegistersOfTheLine) {
    const json j = told(kGemm, {"--build", "optimised", "--line", line_of(kGemm, "dot[i] +=")});
    ASSERT_FALSE(j.at("values").empty());
    for (const json& v : j.at("values")) EXPECT_EQ(v.at("expression").get<std::string>().front(), '%');
    const std::string first = j.at("values").at(0).at("expression");
    EXPECT_NE(j.at("instruction").get<std::string>().find(first), std::string::npos)
        << "from the instruction on that is executed next";
}

TEST(Step, AccessesOfARaceAreSteppedToInTheWarpsThatRaced) {
    const std::string folder = testing::TempDir() + "step_race_" + std::to_string(getpid());
    std::filesystem::create_directories(folder);
    const std::string capture = folder + "/race.wlcap", clean = folder + "/clean.wlcap";
    const std::vector<std::string> run{"run", "v2c_3", "--shape", "1,1,128,64", "--json", "-o"};
    const auto run_with = [&](const std::string& path, const std::vector<std::string>& more) {
        std::vector<std::string> words = run;
        words.push_back(path);
        words.insert(words.end(), more.begin(), more.end());
        return warplens(words);
    };
    const json race = json::parse(run_with(capture, {"--fault", "sync"}).out).at("findings").at(0);
    ASSERT_EQ(race.at("rule"), "race_shared");
    const auto ask = [&](const std::string& steps) {
        const Said said = warplens({"at", capture, "--step", steps, "--print", "lane", "--json"});
        EXPECT_EQ(said.status, 0) << said.err;
        return json::parse(said.out);
    };
    const json j = ask("race,race,back race");
    std::set<std::pair<int, std::string>> wanted;
    for (const char* side : {"where", "other"})
        wanted.emplace(race.at(side).at("warp"), std::to_string(race.at(side).at("line").get<int>()));
    const std::vector<std::string> lines = lines_on_the_way(j);
    for (size_t i = 0; i < 3; ++i)
        EXPECT_TRUE(wanted.contains({j.at("way").at(i).at("warp"), lines[i]})) << j.at("way").at(i);
    EXPECT_EQ(j.at("way").at(0).at("time"), j.at("way").at(2).at("time"));
    EXPECT_EQ(j.at("epoch"), race.at("where").at("epoch"));
    EXPECT_NE(at(kGemm, {"--step", "race"}).err.find("name a .wlcap"), std::string::npos);
    ASSERT_EQ(run_with(clean, {}).status, 0);
    EXPECT_NE(
        warplens({"at", clean, "--step", "race"}).err.find("no race was found in block 0"), std::string::npos
    );
    std::filesystem::remove_all(folder);
}

TEST(Step, AWrongWordIsRefusedWithTheNearest) {
    EXPECT_NE(at(kGemm, {"--step", "bakc over"}).err.find("did you mean back?"), std::string::npos);
    EXPECT_NE(at(kGemm, {"--step", "ovr"}).err.find("did you mean over?"), std::string::npos);
    EXPECT_NE(at(kGemm, {"--step", "line"}).err.find("needs one word more"), std::string::npos);
    EXPECT_NE(at(kGemm, {"--step", "over 3"}).err.find("a word too many"), std::string::npos);
    EXPECT_NE(at(kGemm, {"--step", "iteration"}).err.find("the warp is in no WL_STAGE"), std::string::npos);
    EXPECT_NE(
        at(kGemm, {"--step", "5000000"}).err.find("does not execute 5000000 instructions"), std::string::npos
    );
}

// One clock: an instant of the debug build is told by the recorded run's time, and found again by it.
TEST(Step, TheRecordedRunsClockIsThatOfBothBuilds) {
    const TemporaryFolder folder;
    const std::string file = folder.path + "/gemm.wlcap", manifest = source_path("tests/kernels/gemm.toml");
    ASSERT_EQ(warplens({"run", manifest, "-o", file, "--record", "1,1,0"}).status, 0);
    const std::string multiply = line_of(kGemm, "dot[i] +=");
    const auto ask = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"at", file, "--json", "--warp", "6", "--print", "lane"});
        const Said said = warplens(options);
        EXPECT_EQ(said.status, 0) << said.err;
        return json::parse(said.out);
    };
    uint64_t before = 0;
    for (const char* step : {"line 1 if 0", "over", "barrier", "stage", "iteration", "over x9"}) {
        std::vector<std::string> options{"--line", multiply, "--hit", "40"};
        if (std::string(step) != "line 1 if 0") options.insert(options.end(), {"--step", step});
        const json debug = ask(options);
        ASSERT_TRUE(debug.at("timeline").is_number()) << step;
        const std::string time = std::to_string(debug.at("timeline").get<uint64_t>());
        const json optimised = ask({"--build", "optimised", "--time", time}),
                   back = ask({"--timeline", time}), exact = ask({"--between", debug.at("between")}),
                   same = ask({"--order", std::to_string(debug.at("order").get<uint64_t>())});
        EXPECT_EQ(optimised.at("epoch"), debug.at("epoch")) << step;
        EXPECT_EQ(back.at("epoch"), debug.at("epoch")) << step;
        EXPECT_EQ(exact.at("order"), debug.at("order")) << step;
        EXPECT_EQ(same.at("order"), debug.at("order")) << step;
        EXPECT_EQ(optimised.at("timeline"), optimised.at("time")) << step;
        before = std::max(before, debug.at("timeline").get<uint64_t>());
    }
    const Said none = warplens({"at", manifest, "--timeline", "100"});
    EXPECT_EQ(none.status, 2);
    EXPECT_NE(none.err.find("name a .wlcap that has recorded this one"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace wl::test
