// Operations of several streams under `warplens run -- PROGRAM`: what nothing orders is a finding with both
// places, and right programs have none. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

// With the host's lines, as `warplens nvcc` has them.
const std::string kWithLines = std::string(kAsPtx) + " -Xcompiler=-g1";

struct Order : testing::Test {
    static TemporaryFolder* folder;

    static void SetUpTestSuite() { compiled((folder = new TemporaryFolder)->path, "order", kWithLines); }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!std::filesystem::exists(folder->path + "/order"))
            GTEST_SKIP() << "no nvcc: " << read_file(folder->path + "/said");
    }
    static Said run(std::vector<std::string> words, const std::vector<std::string>& options = {}) {
        words.insert(words.begin(), {"--", folder->path + "/order"});
        words.insert(words.begin(), options.begin(), options.end());
        words.insert(words.begin(), "run");
        return warplens(words);
    }
    static nlohmann::json finding(const std::string& what) {
        const Said said = run({what}, {"--json"});
        EXPECT_EQ(said.status, 1) << what << said.err;
        const auto json = nlohmann::json::parse(said.out, nullptr, false);
        EXPECT_TRUE(json.is_object()) << what << said.out;
        EXPECT_EQ(json.at("findings").size(), 1u) << what << json.dump(1);
        return json.at("findings").empty() ? nlohmann::json() : json.at("findings")[0];
    }
    // The line of tests/runtime/order.cu that holds this, the nth.
    static int line_of(const std::string& part, int nth = 1) {
        std::istringstream text(read_file(source_path("tests/runtime/order.cu")));
        int number = 0;
        for (std::string line; std::getline(text, line);) {
            ++number;
            if (has(line, part) && --nth == 0) return number;
        }
        return -1;
    }
};
TemporaryFolder* Order::folder = nullptr;

TEST_F(Order, WhatNothingOrdersIsAFindingAndItsTwinIsNone) {
    for (const char* what :
         {"event",
          "early_event",
          "legacy",
          "fill",
          "copy",
          "halves",
          "free",
          "graph",
          "again",
          "late",
          "late_again"}) {
        const nlohmann::json f = finding(what);
        EXPECT_EQ(f.value("rule", ""), "race_stream") << what;
        const Said right = run({what, "right"});
        EXPECT_EQ(right.status, 0) << what << right.err;
        EXPECT_TRUE(has(right.err, "ok: ")) << what << right.err;
    }
}

TEST_F(Order, WhatOneStreamDidIsKeptForAsFewLaunchesAsTheNoteSays) {
    const Said said = run({"late_many"}, {"--json"});
    const std::string note = "the accesses of operations that nothing orders were too many to be kept";
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_TRUE(has(said.out, note)) << said.out;
    EXPECT_TRUE(has(run({"late_many"}).err, note));
    EXPECT_FALSE(has(run({"late_many", "right"}).err, note));
}

TEST_F(Order, BothPlacesAndWhatWouldOrderThemAreNamed) {
    const nlohmann::json f = finding("event");
    EXPECT_EQ(f.at("where").at("line"), line_of("y[i] = 2 * x[i]"));
    EXPECT_EQ(f.at("other").at("line"), line_of("x[i] = value + i"));
    const std::string text = f.at("explanation");
    EXPECT_TRUE(has(text, "16384 bytes from byte 0 of allocation 1 on")) << text;
    const std::string first = "order.cu:" + std::to_string(line_of("produce<<<16, 256, 0, d.a>>>(d.x, 1)")),
                      second =
                          "order.cu:" + std::to_string(line_of("consume<<<16, 256, 0, d.b>>>(d.x, d.y)"));
    EXPECT_TRUE(
        has(text,
            "cudaEventRecord(event, stream 1) after launch 1, produce(float*, float) at " + first +
                ", then cudaStreamWaitEvent(stream 2, event) before launch 2")
    ) << text;
    EXPECT_TRUE(has(text, second)) << text;
}

TEST_F(Order, CallsOfTheHostAreNamedByTheirLines) {
    const nlohmann::json copy = finding("copy");
    EXPECT_EQ(copy.at("where").at("line"), line_of("cudaMemcpyDeviceToHost, right ? d.a : d.b"));
    EXPECT_TRUE(has(copy.at("title"), "what launch 1, produce(float*, float) writes in stream 1")) << copy;
    const nlohmann::json fill = finding("fill");
    EXPECT_EQ(fill.at("other").at("line"), line_of("cudaMemset(d.x, 1, kBytes)"));
    EXPECT_TRUE(has(fill.at("explanation"), "cudaStreamNonBlocking does not wait")) << fill;
    EXPECT_TRUE(has(finding("free").at("title"), "frees what launch 2")) << finding("free");
}

TEST_F(Order, TheBytesAreThoseThatBothTouch) {
    const nlohmann::json f = finding("halves");
    EXPECT_TRUE(has(f.at("explanation"), "4 bytes from byte 8188 of allocation 1 on")) << f;
}

TEST_F(Order, AProgrammaticLaunchThatReadsBeforeItWaits) {
    const nlohmann::json f = finding("programmatic");
    EXPECT_EQ(f.at("rule"), "race_early_launch");
    EXPECT_EQ(f.at("where").at("line"), line_of("early ? x[threadIdx.x] : 0"));
    EXPECT_EQ(f.at("other").at("line"), line_of("x[threadIdx.x] = threadIdx.x"));
    const std::string call = "at order.cu:" + std::to_string(line_of("cudaLaunchKernelEx(&config"));
    EXPECT_TRUE(has(f.at("explanation"), call)) << f;
    const Said right = run({"programmatic", "right"});
    EXPECT_EQ(right.status, 0) << right.err;
}

TEST_F(Order, TheHostThatTouchesWhatWorkMayStillUse) {
    for (const char* what : {"refill", "mapped", "registered", "read_copy", "read_last"}) {
        EXPECT_EQ(finding(what).at("rule"), "race_host") << what;
        const Said right = run({what, "right"});
        EXPECT_EQ(right.status, 0) << what << right.err;
    }
    const nlohmann::json f = finding("refill");
    EXPECT_EQ(f.at("where").at("line"), line_of("host[5] = 42"));
    EXPECT_EQ(
        f.at("other").at("line"), line_of("cudaMemcpyAsync(d.x, host, kBytes, cudaMemcpyHostToDevice, d.a)")
    );
    EXPECT_TRUE(has(f.at("explanation"), "the host writes byte 20 of")) << f;
    EXPECT_EQ(finding("read_copy").at("where").at("line"), line_of("host[7])"));
    EXPECT_EQ(finding("read_last").at("where").at("line"), line_of("host[8])"));
    // Of memory whose pages others share, what is there when the host waits tells.
    EXPECT_TRUE(has(finding("registered").at("explanation"), "where it waits for it, the host changed them"));
}

TEST_F(Order, AnotherOrderShowsWhatTheRaceChanges) {
    const std::string text = finding("answer").at("explanation");
    EXPECT_TRUE(has(text, "1 of 1 copy to the host brought other bytes, first cudaMemcpyAsync() at order.cu:")
    ) << text;
    EXPECT_TRUE(
        has(text, "it ended with status 7 instead of 0; the last that it printed was: 4096 of 4096 wrong")
    ) << text;
    const Said none = run({"answer"}, {"--explore", "0"});
    EXPECT_FALSE(has(none.err, "other bytes")) << none.err;
    const Said right = run({"legacy", "right"}, {"--explore", "3"});
    EXPECT_EQ(right.status, 0) << right.err;
    EXPECT_TRUE(has(right.err, "The program was run 3 times more")) << right.err;
}

TEST_F(Order, RightSamplesHaveNoFinding) {
    const Said said = run({"samples"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_TRUE(has(said.err, "ok: ")) << said.err;
    EXPECT_FALSE(has(said.err, "compared")) << said.err;
}

// Compiled with a default stream for each thread, which blocking streams do not wait for.
TEST_F(Order, TheDefaultStreamOfAThread) {
    ASSERT_TRUE(compiled(folder->path, "order", kWithLines + " -default-stream per-thread", "threads"));
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"legacy"},
             { "legacy", "right"}
    }) {
        std::vector<std::string> line{"run", "--", folder->path + "/threads"};
        line.insert(line.end(), words.begin(), words.end());
        const Said said = warplens(line);
        EXPECT_EQ(said.status, 1) << said.err;
        EXPECT_TRUE(has(said.err, "the per-thread default stream")) << said.err;
    }
    EXPECT_EQ(warplens({"run", "--", folder->path + "/threads", "event", "right"}).status, 0);
}

TEST_F(Order, AllFormatsHoldTheFinding) {
    for (const char* format : {"sarif", "github", "junit"}) {
        const Said said = run({"copy"}, {"--format", format});
        EXPECT_EQ(said.status, 1) << said.err;
        EXPECT_TRUE(has(said.out, "race_stream")) << said.out;
    }
}

TEST_F(Order, WithoutTheCheckOfRacesNothingIsCompared) {
    const Said said = run({"event"}, {"--check", "uninitialised"});
    EXPECT_EQ(said.status, 0) << said.err;
}

}  // namespace
}  // namespace wl::test
