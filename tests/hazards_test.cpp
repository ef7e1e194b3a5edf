// Every hazard of tests/kernels/hazards: the broken kernel has a finding of its rule at the lines that the
// source marks, its clean twin has none. Through the command line, as a user meets it.
#include "tests/support/hazards.h"

#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::test {
namespace {

using nlohmann::json;

struct Hazard {
    const char* kernel;
    const char* fault;
    const char* rule;
};

std::string list(const json& findings) {
    std::string text;
    for (const json& f : findings)
        text += f.at("rule").get<std::string>() + " " + f.at("where").dump() + "\n";
    return text;
}

class Hazards : public testing::TestWithParam<Hazard> {};

TEST_P(Hazards, AreFoundAtTheLinesThatTheSourceMarks) {
    const Hazard& h = GetParam();
    const json result = diagnosed(h.kernel, h.fault);
    ASSERT_FALSE(result.is_discarded());
    const std::set<int> lines = marked_lines(h.kernel, h.fault);
    ASSERT_FALSE(lines.empty());
    const json& findings = result.at("findings");
    const bool found = std::any_of(findings.begin(), findings.end(), [&](const json& f) {
        return f.at("rule") == h.rule && is_at(f, lines);
    });
    EXPECT_TRUE(found) << list(findings);
    EXPECT_LE(findings.size(), 4u) << "one finding a cause\n" << list(findings);
}

std::string name_of(const testing::TestParamInfo<Hazard>& h) {
    return std::string(h.param.kernel) + "_" + h.param.fault;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    Hazards,
    testing::Values(
        Hazard{"turn", "raw", "race_shared"},
        Hazard{"turn", "war", "race_shared"},
        Hazard{"turn", "waw", "race_shared"},
        Hazard{"gather", "exit", "uninitialised"},
        Hazard{"gather", "divergent", "divergent_barrier"},
        Hazard{"lanes", "raw", "race_warp"},
        Hazard{"lanes", "war", "race_warp"},
        Hazard{"lanes", "outside", "shuffle_misuse"},
        Hazard{"lanes", "source", "shuffle_misuse"},
        Hazard{"lanes", "vote", "shuffle_misuse"},
        Hazard{"lanes", "syncwarp", "shuffle_misuse"},
        Hazard{"lanes", "exited", "shuffle_misuse"},
        Hazard{"total", "count", "race_global"},
        Hazard{"total", "ticket", "race_global"},
        Hazard{"total", "fence", "race_global"},
        Hazard{"pack", "neighbour", "race_shared"},
        Hazard{"pack", "alias", "race_shared"},
        Hazard{"stage", "wait", "async_copy_wait"},
        Hazard{"stage", "reuse", "async_copy_wait"},
        Hazard{"copies", "register", "uninitialised"},
        Hazard{"copies", "local", "uninitialised"},
        Hazard{"copies", "shared", "uninitialised"},
        Hazard{"copies", "global", "uninitialised"},
        Hazard{"rows", "padding", "uninitialised"},
        Hazard{"rows", "branch", "uninitialised"},
        Hazard{"rows", "index", "uninitialised"},
        Hazard{"rows", "lane", "uninitialised"},
        Hazard{"rows", "bytes", "uninitialised"},
        Hazard{"rows", "counter", "uninitialised"},
        Hazard{"phase", "parity", "deadlock"},
        Hazard{"phase", "init", "mbarrier_misuse"},
        Hazard{"lock", "kept", "deadlock"},
        Hazard{"lock", "loop", "endless_loop"},
        Hazard{"lock", "stack", "out_of_bounds"},
        Hazard{"window", "global", "out_of_bounds"},
        Hazard{"window", "shared", "out_of_bounds"},
        Hazard{"gather", "paired", "divergent_barrier"},
        Hazard{"window", "local", "out_of_bounds"},
        Hazard{"window", "misaligned", "misaligned"},
        Hazard{"window", "neighbour", "out_of_bounds"}
    ),
    name_of
);

class CleanTwin : public testing::TestWithParam<const char*> {};

TEST_P(CleanTwin, HasNoFinding) {
    const json result = diagnosed(GetParam(), "");
    ASSERT_FALSE(result.is_discarded());
    EXPECT_EQ(result.at("verdict"), "ok") << list(result.at("findings"));
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    CleanTwin,
    testing::Values(
        "turn", "gather", "lanes", "total", "pack", "stage", "phase", "copies", "rows", "window", "lock"
    ),
    [](const testing::TestParamInfo<const char*>& kernel) { return std::string(kernel.param); }
);

json explored(const std::string& fault, const char* schedules) {
    std::vector<std::string> args = {
        "hazards", source_path("tests/kernels/hazards/total.toml"), "--explore", schedules, "--json"};
    if (!fault.empty()) args.insert(args.end(), {"--fault", fault});
    return json::parse(warplens(args).out, nullptr, false);
}

TEST(Exploration, ShowsWhatALostUpdateChangesAndBringsItBackBySeed) {
    const json result = explored("count", "12");
    ASSERT_FALSE(result.is_discarded());
    EXPECT_EQ(result.at("covered").at("schedules"), 13);
    const json& changed = result.at("exploration").at("changed");
    ASSERT_FALSE(changed.empty()) << "blocks that take turns overwrite each other's counts";
    const json& output = changed.at(0).at("outputs").at(0);
    EXPECT_EQ(output.at("name"), "touched");
    EXPECT_EQ(output.at("elements"), 64);
    EXPECT_GT(output.at("changed"), 0);
    EXPECT_EQ(explored("count", "12").at("exploration"), result.at("exploration")) << "by seed";
}

TEST(Exploration, OfACleanKernelChangesNothing) {
    const json result = explored("", "12");
    ASSERT_FALSE(result.is_discarded());
    EXPECT_EQ(result.at("verdict"), "ok");
    EXPECT_TRUE(result.at("exploration").at("changed").empty());
    EXPECT_EQ(
        result.at("exploration").at("outcome"),
        "the outputs are the same in 12 other schedules: harmless only as far as tried"
    );
}

}  // namespace
}  // namespace wl::test
