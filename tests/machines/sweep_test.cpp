// `warplens sweep`: the product of what is asked for, on processes, devices and machines; parts and their
// table.
#include "instrumentation/capture/file.h"
#include "tests/support/program.h"
#include "tests/support/sshd.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace wl::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kGemm = source_path("tests/kernels/gemm.toml"),
                  kSums = source_path("tests/kernels/sums.toml");

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

json asked(
    const std::vector<std::string>& words, int status, const std::vector<std::string>& environment = {}
) {
    const Said said = warplens(with(words, {"--json"}), environment);
    EXPECT_EQ(said.status, status) << said.out << said.err;
    return said.out.empty() ? json() : json::parse(said.out);
}

// What does not depend on where and how fast it ran.
std::vector<json> what_was_seen(const json& sweep) {
    std::vector<json> out;
    for (json run : sweep.at("runs")) {
        run.erase("seconds"), run.erase("place"), run.erase("capture");
        out.push_back(std::move(run));
    }
    return out;
}

TEST(Sweep, EveryCombinationIsARowInOrder) {
    const json both = asked({"sweep", kSums, kGemm, "--set", "COLUMNS=48", "--seeds", "2", "--jobs", "2"}, 2);
    EXPECT_EQ(both.at("verdict"), "error");
    EXPECT_EQ(both.at("runs").at(1).at("verdict"), "ok");
    EXPECT_NE(both.at("runs").at(2).at("said").get<std::string>().find("COLUMNS"), std::string::npos);
    const json sums =
        asked({"sweep", kSums, "--set", "COLUMNS=48,16", "--set", "ROWS=32,64", "--seeds", "2"}, 0);
    EXPECT_EQ(sums.at("verdict"), "ok");
    EXPECT_EQ(sums.at("cases"), 8);
    std::vector<std::string> rows;
    for (const json& run : sums.at("runs"))
        rows.push_back(fmt::format("{} {}", run.at("set").get<std::string>(), run.at("seed").get<int>()));
    EXPECT_EQ(
        rows,
        (std::vector<std::string>{
            "COLUMNS=48 ROWS=32 0",
            "COLUMNS=48 ROWS=32 1",
            "COLUMNS=48 ROWS=64 0",
            "COLUMNS=48 ROWS=64 1",
            "COLUMNS=16 ROWS=32 0",
            "COLUMNS=16 ROWS=32 1",
            "COLUMNS=16 ROWS=64 0",
            "COLUMNS=16 ROWS=64 1"})
    );
    EXPECT_EQ(sums.at("runs").at(7).at("shape"), "seed 1, ROWS=64 COLUMNS=16");
    EXPECT_EQ(sums.at("runs").at(7).at("compared"), "out: 64 of 64 elements compared");
}

TEST(Sweep, WhatFailsIsKeptAndTold) {
    const TemporaryFolder folder;
    const std::string keep = folder.path + "/bad/here";
    const std::vector<std::string> words{
        "sweep",
        kGemm,
        "--faults",
        "none,last",
        "--presets",
        "all",
        "--schedules",
        "2",
        "-o",
        keep,
        "--jobs",
        "2"};
    const json j = asked(words, 1);
    std::map<std::string, std::vector<std::string>> verdicts;
    size_t kept = 0;
    for (const json& run : j.at("runs")) {
        const std::string kernel = fs::path(run.at("kernel").get<std::string>()).filename();
        verdicts[kernel].push_back(run.at("verdict"));
        const std::string file = run.at("capture");
        EXPECT_EQ(file.empty(), run.at("verdict") == "ok");
        if (file.empty()) continue;
        ++kept;
        EXPECT_EQ(capture::read_capture(file).verdict, run.at("verdict").get<std::string>());
        EXPECT_EQ(capture::read_capture(file).launch.schedule_seed, run.at("schedule").get<uint64_t>());
    }
    EXPECT_EQ(verdicts.at("gemm.toml"), std::vector<std::string>(verdicts.at("gemm.toml").size(), "ok"));
    EXPECT_EQ(verdicts.size(), 2U);
    EXPECT_TRUE(fs::exists(keep + "/gemm+last-ragged-seed0-schedule1.wlcap"));
    EXPECT_EQ(static_cast<size_t>(std::distance(fs::directory_iterator(keep), {})), kept);
    const Said text = warplens({"sweep", kGemm, "--faults", "none,last", "-o", keep});
    EXPECT_EQ(text.status, 1);
    for (const char* part :
         {"gemm.toml as it stands seed 0",
          "gemm.toml+last as it stands seed 0",
          "captures of what failed: 1",
          "findings: 1 of 2 runs"})
        EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
}

TEST(Sweep, WrongWordsAreSaidBeforeAnythingRuns) {
    const std::map<std::string, std::vector<std::string>> wrong = {
        {"--faults lost: gemm has none, stride, last, sync", {kGemm, "--faults", "lost"}},
        {"--part 3/2: write I/N",                            {kGemm, "--part", "3/2"}   },
        {"--set N: write NAME=VALUE",                        {kGemm, "--set", "N"}      },
        {"--device is of --on gpu",                          {kGemm, "--device", "0"}   },
        {"unknown kernel \"gemn\"",                          {"gemn"}                   }
    };
    for (const auto& [message, words] : wrong) {
        const Said said = warplens(with({"sweep"}, words));
        EXPECT_EQ(said.status, 2);
        EXPECT_EQ(said.out, "");
        EXPECT_NE(said.err.find(message), std::string::npos) << said.err;
    }
}

class Parts : public testing::Test {
protected:
    TemporaryFolder folder;
    std::vector<std::string> words{"sweep", kSums, kGemm, "--seeds", "2", "--faults", "none"};

    std::string part(const std::string& which) {
        const std::string file = folder.path + "/" + std::string(1, which[0]) + ".json";
        write_file(file, warplens(with(words, {"--json", "--part", which})).out);
        return file;
    }
};

TEST_F(Parts, MakeTheTableOfTheWhole) {
    const json whole = asked(words, 0);
    const std::vector<std::string> files{part("2/3"), part("1/3"), part("3/3")};
    const json merged = asked({"sweep", "--merge", files[0], files[1], files[2]}, 0);
    EXPECT_EQ(what_was_seen(merged), what_was_seen(whole));
    EXPECT_EQ(merged.at("missing"), json::array());
    const Said without = warplens({"sweep", "--merge", files[0], files[1]});
    EXPECT_EQ(without.status, 3);
    EXPECT_NE(without.out.find("part 3 of 3 is missing\n"), std::string::npos) << without.out;
    const Said twice = warplens({"sweep", "--merge", files[0], files[0]});
    EXPECT_EQ(twice.status, 2);
    EXPECT_NE(twice.err.find("part 2 of 3 is there twice"), std::string::npos) << twice.err;
    words = {"sweep", kSums, "--seeds", "6"};
    const Said other = warplens({"sweep", "--merge", files[1], part("2/3")});
    EXPECT_NE(other.err.find("is of another sweep than"), std::string::npos) << other.err;
    write_file(folder.path + "/x", "{}");
    EXPECT_NE(
        warplens({"sweep", "--merge", folder.path + "/x"}).err.find("is not what `warplens sweep"),
        std::string::npos
    );
}

// The script as Slurm runs it: once for each index, with its number in the environment.
TEST_F(Parts, TheJobArrayIsAScriptThatRunsThem) {
    const std::string keep = folder.path + "/out put";
    const Said said = warplens(with(words, {"--slurm", "--parts", "3", "--jobs", "2", "-o", keep}));
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_TRUE(said.out.starts_with("#!/bin/sh\n#SBATCH ")) << said.out;
    for (const char* line : {"#SBATCH --array=1-3\n", "#SBATCH --cpus-per-task=2\n", "# 4 runs in 3 parts."})
        EXPECT_NE(said.out.find(line), std::string::npos) << said.out;
    EXPECT_EQ(said.out.find("gpus-per-task"), std::string::npos);
    // The folder in which it was printed is gone by now.
    std::string script = said.out;
    const size_t cd = script.find("\ncd ");
    script.replace(cd, script.find('\n', cd + 1) - cd, "\ncd '" + folder.path + "' || exit");
    write_file(folder.path + "/job.sh", script);
    fs::create_directories(keep);
    std::vector<std::string> merge{"sweep", "--merge"};
    for (const char* index : {"1", "2", "3"}) {
        const std::string run = fmt::format("SLURM_ARRAY_TASK_ID={} sh {}/job.sh", index, folder.path);
        EXPECT_EQ(std::system(run.c_str()), 0);
        merge.push_back(fmt::format("{}/part-{}.json", keep, index));
    }
    EXPECT_EQ(what_was_seen(asked(merge, 0)), what_was_seen(asked(words, 0)));
    const Said gpu = warplens(with(words, {"--slurm", "--on", "gpu", "--device", "all"}));
    EXPECT_NE(gpu.out.find("#SBATCH --gpus-per-task=1\n"), std::string::npos) << gpu.out;
}

TEST(SweepDevices, TheRunsAreSharedOut) {
    const std::vector<std::string> words{"sweep", kSums, "--seeds", "6", "--on", "gpu", "--device", "all"};
    const Said none = warplens(words, {"LD_LIBRARY_PATH=/nowhere"});
    if (none.err.find("libcuda") != std::string::npos) { EXPECT_EQ(none.status, 3); }
    const std::vector<std::string> two{"LD_LIBRARY_PATH=" WL_DRIVER_FOLDER, "EMULATED_DEVICES=2"};
    const json j = asked(words, 0, two);
    std::map<std::string, int> places;
    for (const json& run : j.at("runs")) ++places[run.at("place")];
    EXPECT_EQ(places["gpu 0"] + places["gpu 1"], 6) << j.dump(1);
    EXPECT_GT(places["gpu 0"], 0);
    EXPECT_GT(places["gpu 1"], 0);
    const Said third = warplens({"sweep", kSums, "--on", "gpu", "--device", "0,2"}, two);
    EXPECT_NE(third.err.find("`warplens devices` lists the numbers"), std::string::npos) << third.err;
}

class SweepHosts : public testing::Test {
protected:
    SshDaemon daemon;
    void SetUp() override {
        if (!fs::exists(kSshDaemon))
            GTEST_SKIP() << "there is no " << kSshDaemon << " (Debian: openssh-server)";
        ASSERT_TRUE(start(daemon));
    }
    json swept(const std::string& hosts, int status, const std::string& program = WL_PROGRAM) {
        return asked(
            {"sweep",
             kSums,
             "--seeds",
             "3",
             "--faults",
             "all",
             "--hosts",
             hosts,
             "--remote-warplens",
             program,
             "-o",
             daemon.folder.path + "/bad"},
            status,
            {daemon.environment}
        );
    }
};

TEST_F(SweepHosts, TheRunsAreSharedOutAndTheCapturesComeBack) {
    const json j = swept(daemon.user + "@127.0.0.1," + daemon.user + "@localhost", 1);
    std::map<std::string, int> places;
    for (const json& run : j.at("runs")) {
        ++places[run.at("place")];
        const bool faulty = run.at("kernel").get<std::string>().ends_with("+start");
        EXPECT_EQ(run.at("verdict"), faulty ? "findings" : "ok") << run.dump(1);
        if (faulty) { EXPECT_EQ(capture::read_capture(run.at("capture")).verdict, "findings"); }
    }
    EXPECT_EQ(places.size(), 2U) << j.dump(1);
    EXPECT_EQ(j.at("runs").size(), 6U);
    EXPECT_EQ(j.at("lost"), json::array());
}

TEST_F(SweepHosts, AMachineThatFailsHandsItsRunsToTheOthers) {
    const std::string good = daemon.user + "@127.0.0.1", dead = daemon.user + "@127.0.0.9";
    const json j = swept(dead + "," + good, 1);
    ASSERT_EQ(j.at("lost").size(), 1U);
    EXPECT_TRUE(j.at("lost").at(0).get<std::string>().starts_with("the connection to " + dead)) << j.dump(1);
    for (const json& run : j.at("runs")) EXPECT_EQ(run.at("place"), good);
    const json none = swept(good, 2, "/nowhere/warplens");
    EXPECT_EQ(none.at("verdict"), "error");
    EXPECT_EQ(none.at("runs").at(5).at("said"), "no machine was left to run it");
}

}  // namespace
}  // namespace wl::test
