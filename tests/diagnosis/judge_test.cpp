// What keeps a change that comes right from being called a cause: sizes, values, paths and rivals that refute
// it. Each time the same change, or another, is proven where nothing does.
#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace wl::test {
namespace {

using nlohmann::json;

// The kernel's path below tests/kernels, without its ending.
struct Asked {
    std::string kernel, fault;
};

json all_of(const Asked& asked, std::vector<std::string> more) {
    std::vector<std::string> words = {
        "diagnose", source_path("tests/kernels/" + asked.kernel + ".toml"), "--fault", asked.fault, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(warplens(words).out, nullptr, false).at("findings");
}
json first_of(const Asked& asked, std::vector<std::string> more) {
    return all_of(asked, std::move(more)).at(0);
}

// What comes of a change of the line that holds `mark`.
json tried(const Asked& asked, const std::string& mark, const std::string& change) {
    const std::string place = source_place("tests/kernels/" + asked.kernel + ".cu", mark);
    const std::string line = place.substr(place.rfind(':') + 1);
    const json all = all_of(asked, {"--search", "0", "--try", line + ": " + change});
    const auto is_idea = [](const json& f) { return f.at("rule") == "tried_change"; };
    const auto found = std::find_if(all.begin(), all.end(), is_idea);
    return found == all.end() ? all.at(0) : *found;
}

void expect_mends(const json& found, const std::string& lacks) {
    EXPECT_EQ(found.value("evidence_kind", ""), "mends") << found.dump(1);
    EXPECT_NE(found.value("proof", "").find("; not proven: "), std::string::npos) << found.dump(1);
    EXPECT_NE(found.value("proof", "").find(lacks), std::string::npos) << found.dump(1);
}

// One thread an element sets as many sums as there are threads: at twice the size more are read.
TEST(Judge, AFaultThatIsLeftAtALargerSizeRefutes) {
    const Asked zero{"gallery/orders/k_means", "zero"};
    expect_mends(
        tried(zero, "if (t < count) members[t] = 0;", "-> total[t] = 0;"),
        "with N = 860, COUNT = 14, DIMS = 10"
    );
    const json right = tried(zero, "own[i] = centres[i];", "-> total[i] = 0.0f;");
    EXPECT_EQ(right.at("proven"), true) << right.dump(1);
}

// Where a bound of the user's own says nothing of larger values, what becomes infinite still refutes.
TEST(Judge, AResultThatIsNoNumberWithLargerValuesRefutes) {
    const Asked other{"gallery/rows/cross_entropy", "other"};
    expect_mends(
        tried(other, "const float most = fmaxf(a.most, b.most);", "a.most -> b.most"), "are not finite"
    );
    const json right = tried(
        other,
        "return {most, a.sum * __expf(a.most - most) + b.sum};",
        "b.sum -> b.sum * __expf(b.most - most)"
    );
    EXPECT_EQ(right.at("proven"), true) << right.dump(1);
}

// The search goes on to the line that is wrong.
TEST(Judge, APathThatIsTurnedOffIsNoMend) {
    for (const auto& [kernel, mark, change] : {
             std::tuple{"judge/vectors", "// as well: !=", "== -> !="  },
             std::tuple{"judge/wholes",  "// as well: 0",  "n / 4 -> 0"}
    }) {
        const Asked last{kernel, "last"};
        expect_mends(tried(last, mark, change), "no longer executed");
        const json found = first_of(last, {});
        EXPECT_EQ(found.at("title"), "`z` should be `w`") << found.dump(1);
        EXPECT_EQ(found.at("proven"), true) << found.dump(1);
    }
}

// What further turns of a loop read is wrong: who keeps it from them goes around that. At larger sizes the
// right program goes round again.
TEST(Judge, ALoopThatStopsAfterItsFirstTurnIsNoMend) {
    const Asked clear{"judge/tables", "clear"};
    expect_mends(tried(clear, "// as well: w * 32", "w < WARPS -> w * 32 < WARPS"), "no longer executed");
    const json all = tried(clear, "// here: clear", "32 -> WARPS * 32");
    EXPECT_EQ(all.at("proven"), true) << all.dump(1);
    const json step = tried({"judge/parts", "step"}, "// here: step", "1 -> blockDim.x");
    EXPECT_EQ(step.at("proven"), true) << step.dump(1);
}

// What the blocks shared one does alone, or all do several times: both come right as bits that are set stay
// set.
TEST(Judge, WorkThatIsLeftToOneBlockIsNoMend) {
    const Asked rest{"judge/shares", "rest"};
    expect_mends(tried(rest, "// here: rest", "/ -> *"), "one block or warp alone goes round the loop");
    const json right = tried(rest, "// here: rest", "n / -> (n + gridDim.x - 1) /");
    EXPECT_EQ(right.at("proven"), true) << right.dump(1);
    const json found = first_of(rest, {});
    EXPECT_EQ(found.at("title"), "`n / gridDim.x` should be `(n + gridDim.x - 1) / gridDim.x`")
        << found.dump(1);
}

// Two numbers that agree in all that the manifest names and in what is twice as large: one of them is meant.
TEST(Judge, ANumberThatAgreesWithTheRightOneIsMadeAnotherByItself) {
    const Asked row{"judge/apart", "row"};
    expect_mends(tried(row, "// here: row", "r * rows -> r * reach"), "with REACH = ");
    const json right = tried(row, "// here: row", "r * rows -> r * cols");
    EXPECT_EQ(right.at("proven"), true) << right.dump(1);
    // The ends of a range go together.
    EXPECT_NE(right.value("proof", "").find("with COLS = 48, LEAST = 16"), std::string::npos)
        << right.dump(1);
    // The manifest gives it as a number, of no parameter.
    expect_mends(tried(row, "// here: row", "r * rows -> r * fixed"), "with fixed = ");
    EXPECT_EQ(first_of(row, {}).at("title"), "`rows` should be `cols`");
}

// Of the same memory that nobody wrote another line reads, at a size that the given one doubled gives.
TEST(Judge, MemoryThatIsStillUnwrittenAtALargerSizeRefutes) {
    const Asked clear{"judge/parts", "clear"};
    expect_mends(tried(clear, "// as well: w * 32", "w < WARPS -> w * 32 < WARPS"), "with N = 60 ");
    const json all = tried(clear, "// here: clear", "32 -> WARPS * 32");
    EXPECT_EQ(all.at("proven"), true) << all.dump(1);
}

// What a launch after the first wrong one leaves is judged at the end of the sequence.
TEST(Judge, ARaceOfALaterLaunchIsACauseIfTheEndIsRight) {
    const json all = all_of({"judge/ahead", "half"}, {"--search", "0"});
    size_t races = 0;
    for (const json& f : all) {
        if (f.at("rule") != "race_global") continue;
        EXPECT_NE(f.at("evidence_kind"), "proven") << f.dump(1);
        EXPECT_EQ(f.value("caused_by", -1), -1);
        ++races;
    }
    EXPECT_EQ(races, 2u);
    const json race = all_of({"judge/ahead", "race"}, {"--search", "0"}).at(0);
    EXPECT_EQ(race.at("rule"), "race_global") << race.dump(1);
    EXPECT_EQ(race.at("evidence_kind"), "proven");
}

// With the right half the launch writes what is the next one's to answer for: the end of the sequence tells.
TEST(Judge, WhatALaterLaunchAnswersForIsJudgedAtTheEnd) {
    const json found = first_of({"judge/ahead", "half"}, {});
    EXPECT_EQ(found.at("title"), "`level` should be `(level + 1)`") << found.dump(1);
    EXPECT_EQ(found.at("proven"), true);
    const json none = tried({"judge/ahead", "half"}, "i += 32) {", "i < n -> i < 0");
    EXPECT_NE(none.value("evidence_kind", ""), "proven") << none.dump(1);
}

TEST(Judge, OfALaterLaunchLinesAreExecutedStill) {
    const Asked third{"judge/summed", "third"};
    expect_mends(tried(third, "// as well: third", "n > 3 -> n > 3000"), "no longer executed");
    const json right = tried(third, "// here: third", "less[3] = third -> less[3] = less[3]");
    EXPECT_EQ(right.at("proven"), true) << right.dump(1);
}

// The first launch wrote what the second one should have changed: that is no cause, and two threads that
// update one place are.
TEST(Judge, ALostUpdateOfALaterLaunchLeads) {
    const json all = all_of({"judge/marked", "plain"}, {"--search", "0"});
    EXPECT_EQ(all.at(0).at("where").at("launch"), 2) << all.dump(1);
    EXPECT_TRUE(std::string(all.at(0).at("rule")).starts_with("race_")) << all.dump(1);
    const auto differs = [](const json& f) { return f.at("rule") == "values_differ"; };
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), differs));
}

// What nobody writes is not wrong at the end either.
TEST(Judge, OfASequenceAsMuchIsWrittenAsBefore) {
    const Asked less{"judge/summed", "less"};
    for (const char* leaves : {"i < n -> i < 0", "i < n -> i < n / 2"}) {
        const json found = tried(less, "// here: less", leaves);
        EXPECT_NE(found.value("rule", ""), "tried_change") << found.dump(1);
    }
    const json right = tried(less, "// here: less", "+ whole -> - whole");
    EXPECT_EQ(right.at("proven"), true) << right.dump(1);
    EXPECT_EQ(first_of(less, {}).at("title"), "`+` should be `-`");
}

// Nobody says how long the sums are: what may be rounding is neither right nor wrong, and proves nothing.
TEST(Judge, WhatTheReferenceLeavesUndecidedIsNotWrong) {
    expect_mends(tried({"judge/rough", "weight"}, "// here: weight", "w[r] -> w[c]"), "nothing is decided");
}

// Values of one size: exp of larger ones is infinite, after all launches.
TEST(Judge, LargerValuesRefuteInSequencesToo) {
    const Asked peak{"judge/summed", "peak"};
    expect_mends(tried(peak, "// as well: x", "x[i] - most -> x[i]"), "values 16 times as large");
    const json right = tried(peak, "// here: peak", "logf(sum) -> most + logf(sum)");
    EXPECT_EQ(right.at("proven"), true) << right.dump(1);
}

// A kernel that takes no other size cannot be asked there which of two changes is meant: as they are not the
// same program, neither is a cause, at one line or two. One that does is.
TEST(Judge, ChangesThatDifferAreNoProof) {
    expect_mends(
        first_of({"judge/turned", "row"}, {}), " mends it as well, and does something else with other data"
    );
    const json end = first_of({"judge/turned", "end"}, {});
    EXPECT_EQ(end.at("title"), "`m` should be `n`") << end.dump(1);
    EXPECT_EQ(end.at("proven"), true) << end.dump(1);
}

// With another `twice`, which only the manifest's own numbers tie to `n`, the one is right and the other is
// not.
TEST(Judge, ARivalThatIsRightWithAnotherNumberRefutes) {
    const json row = first_of({"judge/turned_twice", "row"}, {});
    EXPECT_EQ(row.at("title"), "`m` should be `n`") << row.dump(1);
    EXPECT_EQ(row.at("proven"), true);
}

// A number would do as well as an array that holds nothing else.
TEST(Judge, AReadThatIsTheSameEverywhereIsNoProof) {
    const json same = tried({"judge/shifted", "shift"}, "// here: shift", "other[i] -> other[i] + shift[i]");
    expect_mends(same, "is the same number at all of 128 places");
    const json right = tried({"judge/shifted", "other"}, "// here: other", "shift[i] -> shift[i] + other[i]");
    EXPECT_EQ(right.at("proven"), true) << right.dump(1);
}

// Values are right once the barrier is there, with the seed that was given.
TEST(Judge, ARaceWhoseMendingLeavesValuesWrongIsNoProof) {
    expect_mends(first_of({"judge/handed", "both"}, {"--search", "0"}), "of 64 with another seed");
    const json alone = first_of({"judge/handed", "race"}, {"--search", "0"});
    EXPECT_EQ(alone.at("rule"), "race_shared");
    EXPECT_EQ(alone.at("proven"), true) << alone.dump(1);
}

// The kinds of evidence have one word each, whatever the format.
TEST(Judge, TextAndReportsHaveTheWordsOfJson) {
    const std::string kernel = source_path("tests/kernels/judge/handed.toml");
    for (const auto& [fault, word] : {
             std::pair{"both", "mends" },
             std::pair{"race", "proven"}
    }) {
        const auto said = [&, fault = fault](const char* format) {
            return warplens({"diagnose", kernel, "--fault", fault, "--search", "0", "--format", format}).out;
        };
        const std::string text = said("text"), before = " with a block barrier before ";
        EXPECT_NE(text.find(std::string("[1] race_shared (64 times) ") + word + "\n"), std::string::npos)
            << text;
        EXPECT_NE(text.find(std::string("\n    ") + word + ":" + before), std::string::npos) << text;
        EXPECT_NE(said("sarif").find(std::string(" ") + word + ":" + before), std::string::npos);
        EXPECT_EQ(first_of({"judge/handed", fault}, {"--search", "0"}).at("evidence_kind"), word);
    }
}

}  // namespace
}  // namespace wl::test
