// Launches in order over the same buffers: each observed, and the one that went wrong first named. The
// kernels lie in tests/kernels/sequences.
#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

std::string kernel(const std::string& name) {
    return source_path("tests/kernels/sequences/" + name + ".toml");
}

json diagnosed(const std::string& name, int status, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"diagnose", kernel(name), "--json", "--search", "0"});
    const Said said = warplens(more);
    EXPECT_EQ(said.status, status) << said.out << said.err;
    return json::parse(said.out, nullptr, false);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> rules_at(const json& answer, int launch) {
    std::vector<std::string> out;
    for (const json& f : answer.at("findings"))
        if (f.at("where").value("launch", 0) == launch) out.push_back(f.at("rule"));
    return out;
}

TEST(Sequence, RightLaunchesAreOkAndEachIsListed) {
    const json clean = diagnosed("two_pass", 0);
    EXPECT_EQ(clean.at("verdict"), "ok");
    EXPECT_EQ(
        clean.at("launch"),
        (json{
            {"number", 2       },
            {"of",     2       },
            {"name",   "finish"}
    })
    );
    ASSERT_EQ(clean.at("launches").size(), 2u);
    EXPECT_EQ(clean.at("launches")[0].at("name"), "part");
    EXPECT_EQ(clean.at("launches")[0].at("grid"), (json{8, 1, 1}));
    EXPECT_EQ(clean.at("launches")[0].at("compared"), 8) << "the parts, which it wrote";
    EXPECT_EQ(clean.at("launches")[1].at("compared"), 1);
    EXPECT_EQ(clean.at("covered").at("blocks"), 9) << "of both";
}

TEST(Sequence, TheLaunchThatWentWrongFirstIsNamed) {
    const json first = diagnosed("two_pass", 1, {"--fault", "twice"});
    EXPECT_EQ(rules_at(first, 1), std::vector<std::string>{"values_differ"});
    EXPECT_TRUE(rules_at(first, 2).empty()) << "the total follows from the parts";
    EXPECT_EQ(first.at("launch").at("number"), 1);
    EXPECT_EQ(first.at("launches")[0].at("bad"), 1);
    EXPECT_EQ(first.at("findings")[0].at("where").at("element"), (json{0, 2}));

    const json second = diagnosed("two_pass", 1, {"--fault", "short"});
    EXPECT_EQ(rules_at(second, 2), std::vector<std::string>{"values_differ"});
    EXPECT_TRUE(rules_at(second, 1).empty());
    EXPECT_EQ(second.at("launches")[0].at("bad"), 0);

    const Said said = warplens({"diagnose", kernel("two_pass"), "--fault", "twice", "--search", "0"});
    EXPECT_TRUE(has(said.out, ", launch 1 of 2 (part), tile parts[0,2]")) << said.out;
    EXPECT_TRUE(has(said.out, "launch 1 of 2 (part) is the first whose results are wrong")) << said.out;
    EXPECT_TRUE(has(said.out, "launch 2 of 2 (finish): 1 block of 32; 1 elements compared; 1 wrong"))
        << said.out;
}

TEST(Sequence, WhatNobodyWroteIsFoundWhereItShouldBeWrittenAndWhereItIsRead) {
    const json missing = diagnosed("two_pass", 1, {"--fault", "missing"});
    const std::vector<std::string> first = rules_at(missing, 1), second = rules_at(missing, 2);
    ASSERT_FALSE(first.empty());
    EXPECT_EQ(first.front(), "never_written");
    EXPECT_EQ(missing.at("findings")[0].at("where").at("element"), (json{0, 7}));
    EXPECT_EQ(second, std::vector<std::string>{"uninitialised"}) << "flags of bytes outlive a launch";
}

TEST(Sequence, AHazardOfALaterLaunchIsProvenInItsOwnMemory) {
    const json race = diagnosed("two_pass", 1, {"--fault", "race"});
    ASSERT_EQ(race.at("findings").size(), 1u);
    EXPECT_EQ(race.at("findings")[0].at("where").at("launch"), 2);
    EXPECT_EQ(race.at("findings")[0].at("proven"), true);
    EXPECT_TRUE(has(race.at("findings")[0].at("proof"), "0 of 1 elements")) << "the total alone is its work";
}

TEST(Sequence, RepeatedLaunchesAreCountedAndComparedInBetween) {
    const json clean = diagnosed("steps", 0);
    ASSERT_EQ(clean.at("launches").size(), 6u);
    EXPECT_EQ(clean.at("launches")[3].at("name"), "forth (t=1)");
    EXPECT_EQ(clean.at("outputs")[0].at("name"), "a after launch 1 (warm)");
    EXPECT_EQ(clean.at("outputs")[0].at("ok"), true);
    EXPECT_EQ(clean.at("launches")[1].at("compared"), 0) << "back writes over it";
    EXPECT_EQ(diagnosed("steps", 0, {"--set", "TURNS=1"}).at("launches").size(), 4u);

    const json offset = diagnosed("steps", 1, {"--fault", "offset"});
    EXPECT_EQ(rules_at(offset, 1), std::vector<std::string>{"values_differ"});
    EXPECT_EQ(offset.at("findings").size(), 1u) << "the last scaling has its fault from the first on";
}

TEST(Sequence, ALaunchIsChosenByNumberOrName) {
    const json first = diagnosed("two_pass", 0, {"--launch", "1", "--record", "3,0,0"});
    EXPECT_EQ(first.at("launch").at("name"), "part");
    EXPECT_EQ(diagnosed("two_pass", 0, {"--launch", "part"}).at("launch").at("number"), 1);
    const Said unknown = warplens({"run", kernel("two_pass"), "--launch", "parts"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_TRUE(has(unknown.err, "no such launch; it has 1 part, 2 finish")) << unknown.err;
    const Said which = warplens({"run", kernel("two_pass"), "--record", "3,0,0"});
    EXPECT_EQ(which.status, 2);
    EXPECT_TRUE(has(which.err, "say of which one by --launch")) << which.err;
}

TEST(Sequence, EarlierLaunchesMakeTheMemoryOfQuestions) {
    const Said at = warplens(
        {"at",
         kernel("two_pass"),
         "--launch",
         "finish",
         "--line",
         "31",
         "--print",
         "s[0]",
         "--build",
         "debug"}
    );
    EXPECT_EQ(at.status, 0) << at.err;
    EXPECT_TRUE(has(at.out, "4.32697")) << "the first part, which launch 1 made: " << at.out;
    const Said banks = warplens({"banks", kernel("two_pass"), "--launch", "1", "--json"});
    EXPECT_EQ(banks.status, 0) << banks.err;
    const Said hazards =
        warplens({"hazards", kernel("two_pass"), "--fault", "race", "--explore", "3", "--json"});
    EXPECT_EQ(json::parse(hazards.out).at("exploration").at("schedules"), 3) << hazards.err;
    EXPECT_TRUE(has(hazards.out, "end otherwise")) << "the total, with the race turned round";
}

TEST(Sequence, ACaptureRemembersItsLaunch) {
    const TemporaryFolder folder;
    for (const char* end : {".cu", ".py", ".toml"})
        write_file(
            folder.path + "/two_pass" + end,
            read_file(source_path(std::string("tests/kernels/sequences/two_pass") + end))
        );
    const std::string capture = folder.path + "/two_pass.wlcap";
    ASSERT_EQ(warplens({"run", folder.path + "/two_pass.toml", "--launch", "1", "-o", capture}).status, 0);
    const Said again = warplens({"diagnose", capture, "--json"});
    EXPECT_EQ(json::parse(again.out).at("launch").at("number"), 1);
    const Said at =
        warplens({"at", capture, "--line", "5", "--block", "2,0,0", "--build", "debug", "--print", "i"});
    EXPECT_EQ(at.status, 0) << at.err;
    const Said why =
        warplens({"why", kernel("two_pass"), "--launch", "1", "--tile", "parts", "--element", "0,0"});
    EXPECT_EQ(why.status, 0) << why.err;
    EXPECT_TRUE(has(why.out, "x")) << why.out;
}

// A launch that does not end leaves nothing to the next.
TEST(Sequence, NothingRunsBehindALaunchThatDoesNotEnd) {
    const TemporaryFolder folder;
    write_file(
        folder.path + "/stuck.cu",
        "__global__ void spin(int* a) { while (atomicAdd(a, 0) == 0) {} }\n"
        "__global__ void next(int* a, int* b) { b[threadIdx.x] = a[0]; }\n"
    );
    write_file(
        folder.path + "/stuck.toml",
        R"(args = [
  { name = "a", dtype = "int", shape = [1], fill = "zeros" },
  { name = "b", dtype = "int", shape = [32], output = true },
]
[[launch]]
entry = "spin"
args = ["a"]
grid = [1]
block = [32]
[[launch]]
entry = "next"
grid = [1]
block = [32]
)"
    );
    const Said said = warplens({"diagnose", folder.path + "/stuck.toml", "--json"});
    EXPECT_EQ(said.status, 1) << said.err;
    const json answer = json::parse(said.out);
    EXPECT_EQ(answer.at("launches")[1].at("said"), "it did not run");
    EXPECT_EQ(rules_at(answer, 1), std::vector<std::string>{"deadlock"}) << said.out;
    EXPECT_EQ(answer.at("findings").size(), 1u) << "what did not run has written nothing";
}

TEST(Sequence, ArraysBehindATableOfAddressesAreReadWrittenAndCompared) {
    const json clean = diagnosed("tables", 0);
    EXPECT_EQ(clean.at("outputs")[0].at("name"), "rows.sum");
    EXPECT_EQ(clean.at("outputs")[0].at("compared"), 160);
    diagnosed("tables", 1, {"--fault", "order"});
    const json far = diagnosed("tables", 1, {"--fault", "far"});
    EXPECT_EQ(far.at("findings")[0].at("rule"), "out_of_bounds");
    EXPECT_TRUE(has(far.at("findings")[0].at("title"), "past the end of parts (24 bytes)"));
}

}  // namespace
}  // namespace wl::test
