// Some mutants of every kind of file. `./dev fuzz KIND SECONDS` goes on where this ends.
#include "fuzz/campaign.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace wl::fuzz {
namespace {

const Kind& kind_named(const std::string& name) {
    for (const Kind& kind : kinds())
        if (kind.name == name) return kind;
    throw std::runtime_error("there is no kind " + name);
}

void expect_no_findings(const std::string& name, uint64_t count) {
    Campaign campaign;
    campaign.count = count;
    campaign.most_findings = 3;
    campaign.findings = (std::filesystem::temp_directory_path() / ("warplens-mutants-" + name)).string();
    const Outcome outcome = run(kind_named(name), campaign);
    EXPECT_EQ(outcome.tried, count);
    EXPECT_EQ(outcome.crashes, 0U) << campaign.findings;
    EXPECT_EQ(outcome.hangs, 0U) << campaign.findings;
    EXPECT_EQ(outcome.wrong, 0U) << campaign.findings;
    EXPECT_GT(outcome.accepted, count / 20) << "what is always refused tests little";
    EXPECT_EQ(outcome.accepted + outcome.refused, outcome.tried);
    if (!testing::Test::HasFailure()) std::filesystem::remove_all(campaign.findings);
}

int replay_edits(const std::string& name) {
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator(WL_SOURCE_DIR "/tests/fuzz/corpus/" + name)) {
        EXPECT_EQ(replay(kind_named(name), file.path().string()).problem, "") << file.path();
        ++count;
    }
    return count;
}

TEST(Mutants, KeptEditsOfLaunchesUpsetNothing) { EXPECT_GT(replay_edits("launches"), 2); }

TEST(Mutants, KeptEditsOfCapturesUpsetNothing) { EXPECT_GT(replay_edits("captures"), 6); }

TEST(Mutants, OfCapturesAreRefusedOrAnswered) { expect_no_findings("captures", 350); }
TEST(Mutants, OfLaunchesAreRefusedOrRun) { expect_no_findings("launches", 600); }
TEST(Mutants, OfManifestsAreRefusedOrRun) { expect_no_findings("manifests", 2500); }
TEST(Mutants, OfPtxAreRefusedOrRun) { expect_no_findings("ptx", 2000); }

}  // namespace
}  // namespace wl::fuzz
