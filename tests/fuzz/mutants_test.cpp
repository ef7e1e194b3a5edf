// Some mutants of every kind of file. `./dev fuzz KIND SECONDS` goes on where this ends.
#include "app/cli/formats/page.h"
#include "fuzz/campaign.h"
#include "fuzz/captures.h"
#include "instrumentation/capture/file.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <span>

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

// A tile of a file that cannot be drawn is no reason for no page.
TEST(Mutants, APictureThatCannotBeDrawnSaysSoInThePage) {
    const Mutant mutant = edited_capture("steps_sync\ntile 20 bound_id null\n");
    const std::string page =
        app::page_text(capture::decode(std::as_bytes(std::span(mutant.bytes)), "mutant.wlcap"), {});
    EXPECT_NE(page.find("its reference has no bounds; choose --view got."), std::string::npos) << page;
    EXPECT_NE(page.find("<img alt=\"what the kernel holds\""), std::string::npos);
}

TEST(Mutants, OfCapturesAreRefusedOrAnswered) { expect_no_findings("captures", 350); }
TEST(Mutants, OfLaunchesAreRefusedOrRun) { expect_no_findings("launches", 600); }
TEST(Mutants, OfManifestsAreRefusedOrRun) { expect_no_findings("manifests", 2500); }
TEST(Mutants, OfPtxAreRefusedOrRun) { expect_no_findings("ptx", 2000); }

}  // namespace
}  // namespace wl::fuzz
