// Every hazard of tests/kernels/hazards: the broken kernel has a finding of its rule at the lines that the
// source marks, its clean twin has none. Through the command line, as a user meets it.
#include "tests/support/hazards.h"

#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

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
        Hazard{"stage", "reuse", "race_shared"},
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
        Hazard{"flip", "proxy", "proxy_fence"},
        Hazard{"reread", "cached", "read_only_load"},
        Hazard{"tiles", "read", "async_copy_wait"},
        Hazard{"tiles", "write", "async_copy_wait"},
        Hazard{"tiles", "proxy", "proxy_fence"},
        Hazard{"tiles", "few", "deadlock"},
        Hazard{"tiles", "many", "deadlock"},
        Hazard{"phase", "parity", "deadlock"},
        Hazard{"phase", "init", "mbarrier_misuse"},
        Hazard{"scatter", "lanes", "race_global"},
        Hazard{"scatter", "same", "race_global"},
        Hazard{"scatter", "branch", "race_global"},
        Hazard{"pool", "after", "out_of_bounds"},
        Hazard{"pool", "past", "out_of_bounds"},
        Hazard{"pool", "twice", "out_of_bounds"},
        Hazard{"blur", "once", "race_shared"},
        Hazard{"blur", "twice", "race_shared"},
        Hazard{"memo", "benign", "race_global"},
        Hazard{"relay", "deaf", "deadlock"},
        Hazard{"lock", "kept", "deadlock"},
        Hazard{"lock", "loop", "endless_loop"},
        Hazard{"lock", "stack", "out_of_bounds"},
        Hazard{"window", "global", "out_of_bounds"},
        Hazard{"window", "shared", "out_of_bounds"},
        Hazard{"gather", "paired", "divergent_barrier"},
        Hazard{"window", "local", "out_of_bounds"},
        Hazard{"window", "misaligned", "misaligned"},
        Hazard{"window", "neighbour", "out_of_bounds"},
        Hazard{"steps", "together", "race_warp"},
        Hazard{"signal", "bare", "race_shared"},
        Hazard{"signal", "blind", "race_shared"},
        Hazard{"shelf", "among", "race_global"},
        Hazard{"shelf", "blocks", "race_global"},
        Hazard{"halves", "behind", "out_of_bounds"},
        Hazard{"halves", "before", "out_of_bounds"},
        Hazard{"rounds", "uneven", "divergent_barrier"},
        Hazard{"detour", "inside", "divergent_barrier"},
        Hazard{"detour", "fewer", "divergent_barrier"},
        Hazard{"detour", "called", "divergent_barrier"},
        Hazard{"detour", "left", "divergent_barrier"},
        Hazard{"tail", "used", "shuffle_misuse"},
        Hazard{"chain", "relaxed", "race_global"},
        Hazard{"lookback", "apart", "race_global"}
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
        "detour",
        "turn",
        "gather",
        "lanes",
        "total",
        "pack",
        "stage",
        "flip",
        "reread",
        "tiles",
        "phase",
        "copies",
        "rows",
        "window",
        "lock",
        "scatter",
        "pool",
        "blur",
        "memo",
        "relay",
        "steps",
        "signal",
        "shelf",
        "halves",
        "rounds",
        "tail",
        "chain",
        "lookback"
    ),
    [](const testing::TestParamInfo<const char*>& kernel) { return std::string(kernel.param); }
);

// ---- one finding a cause, with what mends it

std::vector<json> causes(const char* kernel, const char* fault) {
    std::vector<json> out;
    const json result = diagnosed(kernel, fault);
    for (const json& f : result.at("findings"))
        if (!f.contains("caused_by")) out.push_back(f);
    return out;
}

TEST(Causes, AreOneFindingEach) {
    const std::vector<std::pair<const char*, const char*>> faults = {
        {"turn",   "raw"       },
        {"blur",   "once"      },
        {"gather", "divergent" },
        {"gather", "paired"    },
        {"phase",  "init"      },
        {"stage",  "wait"      },
        {"stage",  "reuse"     },
        {"window", "misaligned"},
        {"copies", "register"  }
    };
    for (const auto& [kernel, fault] : faults)
        EXPECT_EQ(causes(kernel, fault).size(), 1U) << kernel << " " << fault;
}

TEST(Causes, OfARaceAreProvenByTheBarrierThatIsMissing) {
    for (const auto& [kernel, fault, mending] : std::vector<std::array<const char*, 3>>{
             {"turn",    "raw",   "a block barrier before %/turn.cu:17"   },
             {"turn",    "war",   "a block barrier before %/turn.cu:9"    },
             {"turn",    "waw",   "a block barrier before %/turn.cu:13"   },
             {"stage",   "reuse", "a block barrier before %/stage.cu:15"  },
             {"lanes",   "raw",   "a __syncwarp() before %/lanes.cu:12"   },
             {"scatter", "lanes", "a __syncwarp() before %/scatter.cu:10" },
             {"total",   "fence", "a __threadfence() before the atomic at"}
    }) {
        const json f = causes(kernel, fault).at(0);
        EXPECT_EQ(f.at("evidence_kind"), "proven") << f;
        const std::string proof = f.at("proof");
        std::string wanted = mending;
        if (const size_t folder = wanted.find('%'); folder != std::string::npos)
            wanted.replace(folder, 1, source_path("tests/kernels/hazards"));
        EXPECT_NE(proof.find(wanted), std::string::npos) << proof;
        EXPECT_NE(proof.find("no race is left"), std::string::npos) << proof;
    }
}

TEST(Causes, OfACopyUsedTooEarlyAreProvenByTheWaitThatIsOffByOne) {
    const std::string proof = causes("stage", "wait").at(0).at("proof");
    EXPECT_NE(
        proof.find("with 1 in place of 2 at " WL_SOURCE_DIR
                   "/tests/kernels/hazards/stage.cu:18 no copy is used"),
        std::string::npos
    ) << proof;
}

TEST(Causes, ThatNoBarrierMendsAreNotProven) {
    for (const auto& [kernel, fault] : std::vector<std::pair<const char*, const char*>>{
             {"scatter", "same"  },
             {"total",   "count" },
             {"total",   "ticket"}
    }) {
        for (const json& f : causes(kernel, fault)) {
            EXPECT_EQ(f.at("evidence_kind"), "witness") << f;
            EXPECT_EQ(f.at("proof").get<std::string>().find("with a"), std::string::npos) << f;
        }
    }
}

TEST(Causes, OfBarriersOutOfStepNameBothBarriers) {
    const json f = causes("gather", "divergent").at(0);
    EXPECT_EQ(f.at("rule"), "divergent_barrier");
    EXPECT_EQ(f.at("where").at("line"), 13);
    EXPECT_EQ(f.at("other").at("line"), 27);
    EXPECT_EQ(f.at("where").at("lanes"), "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30");
    EXPECT_EQ(f.at("other").at("lanes"), "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31");
}

// ---- what is allowed and still worth a word

TEST(Notes, TellWhoHadExitedBeforeABarrier) {
    const auto notes = [](const char* fault) { return diagnosed("gather", fault).at("notes").dump(); };
    EXPECT_NE(
        notes("exit").find("exited before the __syncthreads() of line 15, 27: they count as arrived"),
        std::string::npos
    ) << notes("exit");
    EXPECT_NE(notes("exit").find("58 threads of block 2, from warp 1 on"), std::string::npos);
    EXPECT_EQ(notes("").find("exited"), std::string::npos) << notes("");
}

// ---- the calls through which an access was inlined, and both values

TEST(Findings, TellThroughWhichCallsAnAccessWasInlined) {
    const auto lines_of_calls = [](const char* fault) {
        std::vector<int> lines;
        const json result = diagnosed("blur", fault);
        for (const json& f : result.at("findings")) {
            const bool read_second = f.at("where").contains("inlined_at");
            const json &read = f.at(read_second ? "where" : "other"),
                       &store = f.at(read_second ? "other" : "where");
            EXPECT_FALSE(store.contains("inlined_at")) << "the store stands in the kernel itself";
            for (const json& call : read.at("inlined_at")) lines.push_back(call.at("line"));
            EXPECT_EQ(read.at("inlined_at").at(0).at("function"), "beside(float const*, int)");
        }
        return lines;
    };
    EXPECT_EQ(lines_of_calls("once"), (std::vector<int>{8, 19}));
    EXPECT_EQ(lines_of_calls("twice"), (std::vector<int>{8, 25}));
    const std::string text =
        warplens({"hazards", source_path("tests/kernels/hazards/blur.toml"), "--fault", "twice"}).out;
    std::string words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words += word + " ";
    EXPECT_NE(words.find("in beside(float const*, int) inlined at"), std::string::npos) << text;
    EXPECT_NE(words.find("blur.cu:25"), std::string::npos) << text;
}

TEST(Findings, TellBothValues) {
    const json shared = diagnosed("turn", "raw").at("findings").at(0);
    EXPECT_EQ(shared.at("evidence").at("value"), 0xbf800000) << "-1, which the load still found";
    EXPECT_NE(shared.at("explanation").get<std::string>().find("(-1 = 0xbf800000)"), std::string::npos)
        << shared;
    EXPECT_NE(shared.at("evidence").at("other_value"), 0xbf800000) << "what the store puts there";
    const json global = diagnosed("memo", "benign").at("findings").at(0);
    EXPECT_EQ(global.at("evidence").at("other_value"), 1) << "what block 0 stores";
    EXPECT_EQ(global.at("evidence").at("value"), 1) << "what block 1 reads";
    EXPECT_NE(global.at("explanation").get<std::string>().find("writes 0x1"), std::string::npos);
}

json explored(const std::string& fault, const char* schedules, const std::string& kernel = "total") {
    std::vector<std::string> args = {
        "hazards",
        source_path("tests/kernels/hazards/" + kernel + ".toml"),
        "--explore",
        schedules,
        "--json"};
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

TEST(Exploration, SaysWhichOrderOfAPairChangesWhat) {
    const json turned = explored("raw", "8", "turn").at("exploration");
    const json& directed = turned.at("directed");
    ASSERT_FALSE(directed.empty());
    const bool shown = std::any_of(directed.begin(), directed.end(), [](const json& s) {
        return s.at("in_order") == true && !s.at("outputs").empty() &&
            s.at("outputs").at(0).at("changed") > 0 && s.at("outputs").at(0).at("max_difference") > 0;
    });
    EXPECT_TRUE(shown) << directed.dump(1);
    EXPECT_NE(directed.at(0).at("order").get<std::string>().find(" before "), std::string::npos);
}

TEST(Exploration, BringsADirectedScheduleBackByItsSeed) {
    const json changed = explored("count", "2").at("exploration").at("changed");
    ASSERT_FALSE(changed.empty());
    ASSERT_TRUE(changed.at(0).contains("order")) << "both are directed";
    const auto counts = [](const std::string& schedule) {
        const std::vector<std::string> args = {
            "hazards",
            source_path("tests/kernels/hazards/total.toml"),
            "--fault",
            "count",
            "--schedule",
            schedule,
            "--json"};
        json range;
        const json result = json::parse(warplens(args).out);
        for (const json& o : result.at("outputs"))
            if (o.at("name") == "touched") range = o.at("range");
        return range;
    };
    const json found = counts(std::to_string(changed.at(0).at("schedule").get<uint64_t>()));
    EXPECT_EQ(counts("0"), json({6.0, 6.0}));
    EXPECT_LT(found.at(0), 6.0) << "an update is lost, as when it was found";
}

TEST(Exploration, CallsARaceHarmlessAsFarAsTried) {
    const json result = explored("benign", "12", "memo");
    const json& x = result.at("exploration");
    EXPECT_TRUE(x.at("changed").empty()) << x.at("changed").dump(1);
    EXPECT_GT(x.at("pairs_both_ways"), 0);
    const std::string outcome = x.at("outcome");
    EXPECT_NE(outcome.find("both orders of"), std::string::npos) << outcome;
    EXPECT_NE(outcome.find("harmless only as far as tried"), std::string::npos) << outcome;
    const std::string told = result.at("findings").at(0).at("explanation");
    EXPECT_NE(told.find("Harmless as far as tried: in 12 other schedules"), std::string::npos) << told;
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
