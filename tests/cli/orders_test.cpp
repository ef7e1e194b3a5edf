// Outputs that depend on who comes first, though no accesses race: tests/kernels/orders, each broken kernel
// and its right twin, through the command line.
#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace wl::test {
namespace {

using nlohmann::json;

std::string kernel(const std::string& name) { return source_path("tests/kernels/orders/" + name + ".toml"); }

Said said_of(const std::string& verb, const std::string& name, const std::string& fault = "") {
    std::vector<std::string> args = {verb, kernel(name), "--json"};
    if (!fault.empty()) args.insert(args.end(), {"--fault", fault});
    return warplens(args);
}

json answer_of(const std::string& verb, const std::string& name, const std::string& fault = "") {
    return json::parse(said_of(verb, name, fault).out, nullptr, false);
}

bool has_note(const json& answer, const std::string& part) {
    const json& notes = answer.at("notes");
    return std::any_of(notes.begin(), notes.end(), [&](const json& note) {
        return note.get<std::string>().find(part) != std::string::npos;
    });
}

std::string flat(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::string out;
    for (const char c : text)
        if (c != ' ' || out.empty() || out.back() != ' ') out += c;
    return out;
}

// ---- polling of global memory

TEST(Polling, WhoseOutcomeDependsOnWhoComesFirstIsARace) {
    for (const auto& [name, fault] : {
             std::pair{"mailbox", "impatient"},
             std::pair{"mailbox", "confused" },
             std::pair{"news",    "glance"   }
    }) {
        for (const char* verb : {"run", "hazards"}) {
            const Said said = said_of(verb, name, fault);
            const json answer = json::parse(said.out, nullptr, false);
            EXPECT_EQ(said.status, 1) << verb << " " << name << " " << fault;
            ASSERT_EQ(answer.at("findings").size(), 1u) << said.out;
            const json& f = answer.at("findings").at(0);
            EXPECT_EQ(f.at("rule"), "race_global");
            EXPECT_EQ(f.at("evidence_kind"), "witness") << "nothing was changed and run";
            EXPECT_NE(f.at("evidence").at("was"), f.at("evidence").at("is"));
            EXPECT_NE(f.at("where").at("block"), f.at("other").at("block"));
        }
    }
}

TEST(Polling, ThatWaitsForWhatItNeedsIsNone) {
    for (const char* name : {"mailbox", "news"}) {
        const json answer = answer_of("run", name);
        EXPECT_EQ(answer.at("verdict"), "ok") << answer.at("findings").dump(1);
        EXPECT_GT(answer.at("covered").at("schedules"), 2) << "both orders of what met were run";
    }
}

// A race is one whether or not anybody compares what it makes.
TEST(Polling, IsARaceWhereItsOutputNeedNotBeCompared) {
    const json wrong = answer_of("run", "uncompared", "impatient"), right = answer_of("run", "uncompared");
    ASSERT_EQ(wrong.at("verdict"), "findings");
    EXPECT_EQ(wrong.at("findings").at(0).at("rule"), "race_global");
    EXPECT_EQ(right.at("verdict"), "ok");
}

TEST(Polling, IsToldWithBothPlacesAndTheScheduleThatShowsIt) {
    const std::string text = flat(warplens({"run", kernel("mailbox"), "--fault", "impatient"}).out);
    EXPECT_NE(text.find("[1] race_global"), std::string::npos) << text;
    EXPECT_NE(text.find("on a GPU either may come first"), std::string::npos) << text;
    EXPECT_NE(text.find("(--schedule "), std::string::npos) << text;
    EXPECT_NE(text.find("mailbox.cu:8"), std::string::npos) << text;
    EXPECT_NE(text.find("mailbox.cu:15"), std::string::npos) << text;
    EXPECT_NE(text.find("elements differ"), std::string::npos) << text;
}

TEST(Polling, ComesBackByTheScheduleThatIsNamed) {
    const json answer = answer_of("run", "mailbox", "impatient");
    const std::string told = answer.at("findings").at(0).at("explanation");
    const size_t at = told.find("--schedule ") + 11;
    const std::string seed = told.substr(at, told.find_first_not_of("0123456789", at) - at);
    const Said again =
        warplens({"run", kernel("mailbox"), "--fault", "impatient", "--schedule", seed, "--json"});
    const json outputs = json::parse(again.out).at("outputs");
    EXPECT_NE(outputs.at(0).at("verdict"), "ok") << "the sum is wrong there";
}

// Block 0 polls the barrier of the grid, sees that the others came to the next one, and so comes after all
// that they did until then.
TEST(Orders, ThatHideARaceAreNotTheLastOnesTried) {
    const Said said = warplens({"run", kernel("shift"), "--fault", "early", "--search", "0", "--json"});
    const json wrong = json::parse(said.out, nullptr, false), right = answer_of("run", "shift");
    EXPECT_EQ(right.at("verdict"), "ok") << right.at("findings").dump(1);
    ASSERT_EQ(wrong.at("verdict"), "findings");
    const json& f = wrong.at("findings").at(0);
    EXPECT_EQ(f.at("rule"), "race_global") << f;
    const std::set<int> lines = {f.at("where").at("line"), f.at("other").at("line")};
    EXPECT_EQ(lines, (std::set<int>{9, 13})) << f;
    EXPECT_TRUE(has_note(wrong, "what follows is what --schedule ")) << wrong.at("notes");
    EXPECT_NE(f.at("explanation").get<std::string>().find("(grid.sync())"), std::string::npos) << f;
}

// ---- first come, first served

TEST(Orders, OutputsThatDependOnThemAreAFinding) {
    for (const auto& [name, fault] : {
             std::pair{"keep",   "slots"},
             std::pair{"totals", "first"},
             std::pair{"totals", "turns"}
    }) {
        for (const char* verb : {"run", "hazards"}) {
            const Said said = said_of(verb, name, fault);
            const json answer = json::parse(said.out, nullptr, false);
            EXPECT_EQ(said.status, 1) << verb << " " << name;
            ASSERT_EQ(answer.at("findings").size(), 1u) << said.out;
            const json& f = answer.at("findings").at(0);
            EXPECT_EQ(f.at("rule"), "schedule_dependent");
            EXPECT_NE(f.at("evidence").at("was"), f.at("evidence").at("is"));
            EXPECT_NE(f.at("explanation").get<std::string>().find("--schedule "), std::string::npos);
        }
        EXPECT_EQ(answer_of("run", name).at("verdict"), "ok") << name << ": its right twin";
    }
}

TEST(Orders, ThatAreExploredAreNoOkEither) {
    const Said said = warplens({"hazards", kernel("keep"), "--fault", "slots", "--explore", "6", "--json"});
    EXPECT_EQ(said.status, 1);
    EXPECT_EQ(json::parse(said.out).at("findings").at(0).at("rule"), "schedule_dependent");
}

// The author says that nothing in particular is right: a note, in the text too, and no finding.
TEST(Orders, OfAnOutputThatNeedNotBeComparedAreSaid) {
    const Said json_said = said_of("run", "any_order", "slots"), plain = said_of("run", "any_order");
    EXPECT_EQ(json_said.status, 0) << json_said.out;
    EXPECT_TRUE(has_note(json::parse(json_said.out), "other schedules end otherwise")) << json_said.out;
    EXPECT_FALSE(has_note(json::parse(plain.out), "schedules")) << plain.out;
    const std::string text = flat(warplens({"run", kernel("any_order"), "--fault", "slots"}).out);
    EXPECT_NE(text.find("other schedules end otherwise"), std::string::npos) << text;
}

// Sums in another order round otherwise: that is all that these two do.
TEST(Orders, ThatOnlyRoundSumsOtherwiseAreSaidAndNoFinding) {
    for (const char* fault : {"", "locked"}) {
        for (const char* verb : {"run", "hazards"}) {
            const json answer = answer_of(verb, "totals", fault);
            EXPECT_EQ(answer.at("verdict"), "ok") << fault << answer.at("findings").dump(1);
        }
    }
    const Said explored = warplens({"hazards", kernel("totals"), "--explore", "6", "--json"});
    EXPECT_EQ(explored.status, 0) << explored.out;
    const json changed = json::parse(explored.out).at("exploration").at("changed");
    ASSERT_FALSE(changed.empty()) << "bits do change";
    for (const json& schedule : changed)
        for (const json& output : schedule.at("outputs")) EXPECT_EQ(output.at("rounding"), true);
}

// What counts is what the last launch leaves: a list in any order between two of them is no fault.
TEST(Orders, OfALaunchAreJudgedByWhatTheSequenceLeaves) {
    const json right = answer_of("run", "passed_on"), wrong = answer_of("hazards", "passed_on", "order");
    EXPECT_EQ(right.at("verdict"), "ok") << right.at("findings").dump(1);
    EXPECT_GT(right.at("covered").at("schedules"), 2);
    ASSERT_EQ(wrong.at("verdict"), "findings");
    const json& f = wrong.at("findings").at(0);
    EXPECT_EQ(f.at("rule"), "schedule_dependent");
    EXPECT_EQ(f.at("where").at("launch"), 1) << "whose order decides";
    EXPECT_EQ(f.at("where").at("line"), 6) << "the atomic that hands out places";
}

// ---- values that go nowhere

TEST(IdleValues, OfRacingReadsAreNoFinding) {
    const Said plain = warplens({"diagnose", kernel("tile")}),
               verbose = warplens({"diagnose", kernel("tile"), "-v"});
    EXPECT_EQ(plain.status, 0) << plain.out;
    EXPECT_EQ(plain.out.find("nothing orders"), std::string::npos) << plain.out;
    EXPECT_NE(flat(verbose.out).find("reaches no store, no branch and no address"), std::string::npos)
        << verbose.out;
}

TEST(IdleValues, ThatAreStoredOrDecideAreRaces) {
    for (const char* fault : {"used", "branch"}) {
        const json answer = answer_of("diagnose", "tile", fault);
        EXPECT_EQ(answer.at("verdict"), "findings") << fault;
        EXPECT_EQ(answer.at("findings").at(0).at("rule"), "race_global") << fault;
    }
}

TEST(IdleValues, OfShufflesAreNoFindingWhereBlocksWaitForEachOtherEither) {
    const json right = answer_of("diagnose", "halving"), wrong = answer_of("diagnose", "halving", "later");
    EXPECT_EQ(right.at("verdict"), "ok") << right.at("findings").dump(1);
    EXPECT_EQ(wrong.at("verdict"), "findings");
    const json& findings = wrong.at("findings");
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const json& f) {
        return f.at("rule") == "shuffle_misuse";
    })) << findings.dump(1);
}

// Rows of a tile that nobody set make rows of the product, and no others; a column goes into every sum.
TEST(IdleValues, OfAFragmentsPaddingAreNoFindingWhereTheirRowsAreDropped) {
    EXPECT_EQ(answer_of("diagnose", "short_tile").at("verdict"), "ok");
    for (const char* fault : {"tall", "deep"}) {
        const json answer = answer_of("hazards", "short_tile", fault);
        ASSERT_EQ(answer.at("verdict"), "findings") << fault;
        EXPECT_EQ(answer.at("findings").at(0).at("rule"), "uninitialised") << fault;
    }
}

}  // namespace
}  // namespace wl::test
