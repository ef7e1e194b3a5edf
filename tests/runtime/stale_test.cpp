// What a program uses though it is not, or no longer, what was meant: memory that a node of a graph names,
// and what a call that failed should have written. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

const std::string kWithLines = std::string(kAsPtx) + " -Xcompiler=-g1";

struct Stale : testing::Test {
    static TemporaryFolder* folder;

    static void SetUpTestSuite() { compiled((folder = new TemporaryFolder)->path, "stale", kWithLines); }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!std::filesystem::exists(folder->path + "/stale"))
            GTEST_SKIP() << "no nvcc: " << read_file(folder->path + "/said");
    }
    static Said run(const std::vector<std::string>& words, const std::string& format = "text") {
        std::vector<std::string> line{"run", "--format", format, "--", folder->path + "/stale"};
        line.insert(line.end(), words.begin(), words.end());
        return warplens(line);
    }
    static nlohmann::json finding(const std::string& what, const std::string& rule) {
        const Said said = run({what}, "json");
        EXPECT_EQ(said.status, 1) << what << said.err;
        const auto json = nlohmann::json::parse(said.out, nullptr, false);
        EXPECT_TRUE(json.is_object()) << what << said.out;
        for (const auto& f : json.at("findings"))
            if (f.at("rule") == rule) return f;
        ADD_FAILURE() << what << json.dump(1);
        return {};
    }
    static int line_of(const std::string& part, int nth = 1) {
        std::istringstream text(read_file(source_path("tests/runtime/stale.cu")));
        int number = 0;
        for (std::string line; std::getline(text, line);) {
            ++number;
            if (has(line, part) && --nth == 0) return number;
        }
        return -1;
    }
};
TemporaryFolder* Stale::folder = nullptr;

TEST_F(Stale, MemoryThatANodeNames) {
    for (const char* what :
         {"staging",
          "reused",
          "overwritten",
          "freed",
          "freed_device",
          "returned",
          "vector",
          "small_vector"}) {
        EXPECT_FALSE(finding(what, "stale_capture").is_null()) << what;
        const Said right = run({what, "right"});
        EXPECT_EQ(right.status, 0) << what << right.err;
        EXPECT_TRUE(has(right.err, "ok: ")) << what << right.err;
    }
}

TEST_F(Stale, BothPlacesOfANodesMemoryAreNamed) {
    const nlohmann::json f = finding("reused", "stale_capture");
    EXPECT_EQ(f.at("where").at("line"), line_of("cudaMemcpyAsync(d.x, host, kBytes", 2)) << f;
    EXPECT_EQ(f.at("other").at("line"), line_of("cudaMemcpy(d.y, other")) << f;
    EXPECT_TRUE(has(f.at("explanation"), "the launch by cudaGraphLaunch() at stale.cu:")) << f;
    const nlohmann::json freed = finding("freed", "stale_capture");
    EXPECT_EQ(freed.at("other").at("line"), line_of("cudaFreeHost(host)")) << freed;
}

TEST_F(Stale, InputsPutIntoTheSameBufferAreMeant) {
    const Said said = run({"inputs"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_FALSE(has(said.err, "node of a graph")) << said.err;
}

// Both findings come from one argument, which is known by a run with another allocation's address in its
// place.
TEST_F(Stale, AnArgumentThatPointsToOtherMemoryThanWasMeant) {
    const std::string written = finding("workspace", "out_of_bounds").at("explanation");
    EXPECT_TRUE(
        has(written,
            "The address of allocation 3 is in byte 16 of parameter 0. With that of allocation 4 there "
            "(1024 bytes, which nobody has written and no argument of this launch points to) the "
            "launch has no finding")
    ) << written;
    const std::string read = finding("workspace", "uninitialised").at("explanation");
    EXPECT_TRUE(has(
        read, "Nobody wrote allocation 4 because byte 16 of parameter 0 of launch 1 holds another address"
    )) << read;
    EXPECT_EQ(run({"workspace", "right"}).status, 0);
}

TEST_F(Stale, WhatAFailedCallShouldHaveWritten) {
    const nlohmann::json f = finding("copied_back", "error_ignored");
    EXPECT_EQ(f.at("where").at("line"), line_of("cudaMemcpy(got.data(), d.x")) << f;
    EXPECT_EQ(f.at("other").at("line"), line_of("add_one<<<2, 2048>>>(d.x)")) << f;
    EXPECT_TRUE(has(f.at("explanation"), "2048x1x1 threads a block")) << f;
    const nlohmann::json used = finding("used", "error_ignored");
    EXPECT_EQ(used.at("where").at("line"), line_of("y[i] = 2 * x[i]")) << used;
    EXPECT_TRUE(has(finding("failed_copy", "error_ignored").at("explanation"), "cudaErrorInvalidValue"));
    EXPECT_EQ(run({"failed_copy", "right"}).status, 0);
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"copied_back", "right"},
             {"used",             "right"},
             {"input_used"}
    })
        EXPECT_FALSE(has(run(words).err, "error_ignored")) << words[0];
}

}  // namespace
}  // namespace wl::test
