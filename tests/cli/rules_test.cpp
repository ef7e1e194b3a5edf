// What single rules say of small kernels, with what kind of evidence; their clean twins say nothing.
#include "tests/support/diagnose.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::test {
namespace {

using nlohmann::json;

json first_of(const char* kernel, const char* fault) {
    const json j = diagnose(source_path(std::string("tests/kernels/") + kernel), {"--fault", fault});
    return j.at("findings").empty() ? json::object() : j.at("findings").at(0);
}

std::string line_of(const char* source, const json& finding) {
    std::istringstream text(read_file(source_path(std::string("tests/kernels/") + source)));
    std::string line;
    for (int n = 0; n < finding.at("where").value("line", 0); ++n) std::getline(text, line);
    return line;
}

void expect_clean(const char* kernel) {
    const Said said = warplens({"diagnose", source_path(std::string("tests/kernels/") + kernel)});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_NE(said.out.find("ok: no findings"), std::string::npos) << said.out;
}

TEST(Rules, TheCleanTwinsHaveNoFinding) {
    for (const char* kernel :
         {"checked.toml", "called.toml", "gemm.toml", "owners.toml", "strays.toml", "teams.toml"})
        expect_clean(kernel);
}

TEST(Rules, AFailedAssertionIsWitnessedAtItsLine) {
    const json f = first_of("checked.toml", "assert");
    EXPECT_EQ(f.at("rule"), "assertion") << f.dump(1);
    EXPECT_EQ(f.at("evidence_kind"), "witness");
    EXPECT_FALSE(f.at("proven"));
    EXPECT_EQ(f.at("where").at("line"), 7);
    expect_text(f, "proof", "thread 4: assertion `column + 1 < columns` failed");
}

TEST(Rules, ATrapIsWitnessedAtItsLine) {
    const json f = first_of("checked.toml", "trap");
    EXPECT_EQ(f.at("rule"), "trap") << f.dump(1);
    EXPECT_EQ(f.at("evidence_kind"), "witness");
    EXPECT_EQ(f.at("where").at("line"), 12);
    EXPECT_EQ(f.at("where").at("lanes"), "4,9,14,19,24,29");
}

// No barrier elsewhere is told as the cause of what wrong masks do not order.
TEST(Rules, MemberMasksAreCheckedLaneByLane) {
    for (const std::string fault : {"other", "wider"}) {
        const json j = diagnose(source_path("tests/kernels/teams.toml"), {"--fault", fault});
        ASSERT_FALSE(j.at("findings").empty()) << fault;
        const json& f = j.at("findings").at(0);
        EXPECT_EQ(f.at("rule"), "shuffle_misuse") << f.dump(1);
        EXPECT_NE(line_of("teams.cu", f).find("here: " + fault), std::string::npos) << f.dump(1);
        if (fault == "other") {
            EXPECT_EQ(f.at("where").at("lanes"), "1-3,5-8,10-12,14-17,19-21,23-26,28-30") << f.dump(1);
            expect_text(f, "proof", "not in their own member mask; lane 1 names 0x0000ff00");
        } else {
            expect_text(f, "proof", "lane 0 executes it with the member mask 0x000000ff, which names lane 4");
        }
        for (const json& other : j.at("findings"))
            EXPECT_FALSE(other.at("proven").get<bool>()) << other.dump(1);
    }
}

// 0's.
TEST(Rules, TheFirstStoreOfARaceIsToldAsItWas) {
    const json blocks = diagnose(source_path("tests/kernels/meet.toml"), {}).at("findings").at(0);
    EXPECT_EQ(blocks.at("rule"), "race_global") << blocks.dump(1);
    expect_text(blocks, "explanation", "warp 1, one of several lanes writes 63.5 = 0x427e0000");
    expect_text(blocks, "explanation", "warp 0, one of several lanes writes 131.5 = 0x43038000");
    // in[1] and in[2], where nobody had stored before
    const json lanes =
        diagnose(source_path("tests/kernels/hazards/scatter.toml"), {"--fault", "same"}).at("findings").at(0);
    expect_text(lanes, "explanation", "lane 0 writes 0x1 at");
    expect_text(lanes, "explanation", "lane 1 writes 0x2 there (lanes write to one place)");
}

TEST(Rules, AWitnessIsNotCalledProven) {
    const Said said = warplens({"diagnose", source_path("tests/kernels/checked.toml"), "--fault", "trap"});
    EXPECT_NE(said.out.find("[1] trap (2 times) witness"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("    witness: block (0,0,0), warp 0"), std::string::npos) << said.out;
    EXPECT_EQ(said.out.find("proven"), std::string::npos) << said.out;
}

// ---- counterfactuals

TEST(Rules, AFaultInACalledFunctionIsProvenThere) {
    const json f = first_of("called.toml", "twice");
    EXPECT_EQ(f.at("rule"), "constant_factor") << f.dump(1);
    EXPECT_EQ(f.at("evidence_kind"), "proven");
    const std::string line = line_of("called.cu", f);
    EXPECT_NE(line.find("* weight"), std::string::npos) << line;
    EXPECT_LT(f.at("where").at("line").get<int>(), 13) << "in the called function, not in the kernel";
    // The output holds a fill: elements of the block that was not run again are not counted.
    expect_text(
        f, "proof", ": 0 of 32 elements of block (0,0,0) are outside their bounds, and 0 of 192 with"
    );
}

TEST(Rules, APointerKeepsToTheArrayThatItWasMadeFrom) {
    const auto of_fault = [](const char* fault) {
        const json j = diagnose(source_path("tests/kernels/strays.toml"), {"--fault", fault});
        for (const json& f : j.at("findings"))
            if (f.at("rule") == "out_of_bounds") return f;
        return json::object();
    };
    const std::pair<const char*, const char*> expected[] = {
        {"behind",   "strays.cu:11 reads 65536 bytes past the end of a (256 bytes), inside b (256 bytes)"    },
        {"before",   "strays.cu:14 reads 65792 bytes before the begin of b (256 bytes), inside a (256 bytes)"},
        {"store",    "strays.cu:17 writes 65536 bytes past the end of a (256 bytes), inside b (256 bytes)"   },
        {"edge",     "strays.cu:20 reads 4 bytes before the begin of b (256 bytes)"                          },
        {"variable", "strays.cu:23: access outside its memory"                                               },
    };
    for (const auto& [fault, title] : expected) {
        const json f = of_fault(fault);
        ASSERT_FALSE(f.empty()) << fault;
        expect_text(f, "title", title);
        EXPECT_EQ(f.at("count"), std::string(fault) == "edge" ? 1 : 64);
    }
    expect_text(of_fault("variable"), "proof", "at global kept address 0x");
}

TEST(Rules, TwoOwnersAccountForTheRacesOfTheirElementsAndForNoOthers) {
    const json j = diagnose(source_path("tests/kernels/owners.toml"), {"--fault", "both"});
    const json& all = j.at("findings");
    ASSERT_EQ(all.size(), 3U) << j.dump(1);
    expect_text(all[0], "title", "two warps write one element of sums");
    EXPECT_EQ(all[0].at("evidence_kind"), "proven");
    expect_text(all[1], "title", "race on row");
    EXPECT_EQ(all[1].at("evidence_kind"), "proven");
    expect_text(all[1], "proof", "with a block barrier before ");
    EXPECT_NE(line_of("owners.cu", all[1]).find("out[i] = sums[lane]"), std::string::npos)
        << "before that line the barrier is missing: " << all[1].dump(1);
    expect_text(all[2], "title", "race on sums");
    EXPECT_EQ(all[2].at("caused_by"), 0);
    EXPECT_EQ(all[2].at("evidence_kind"), "witness");
    expect_text(all[2], "proof", "without a trial of its own");
}

TEST(Rules, TermsThatALoopLeavesOutAreProvenByItsComparison) {
    const json f = first_of("gemm.toml", "last");
    EXPECT_EQ(f.at("rule"), "partial_reduction") << f.dump(1);
    EXPECT_EQ(f.at("title"), "C leaves out the last 32 of the 160 terms of A B");
    EXPECT_EQ(f.at("evidence_kind"), "proven");
    EXPECT_EQ(f.at("evidence").at("missing"), 32);
    EXPECT_NE(line_of("gemm.cu", f).find("k0 < last"), std::string::npos) << f.dump(1);
    expect_text(f, "proof", "with <= in place of < at ");
}

// The compiler makes one comparison of `warp == 7` of line 7 and `warp != 7` of line 9.
TEST(Rules, AConditionThatTwoLinesShareIsTriedLineByLine) {
    const json f = diagnose(source_path("lessons/12-ownership/scale.toml"), {}).at("findings").at(0);
    EXPECT_EQ(f.at("rule"), "never_written") << f.dump(1);
    EXPECT_EQ(f.at("where").at("line"), 9);
    EXPECT_EQ(f.at("evidence_kind"), "proven");
    expect_text(f, "proof", "with `true` for `warp != 7` at ");
    expect_text(f, "proof", "the compiler makes one comparison of lines 7 and 9");
}

}  // namespace
}  // namespace wl::test
