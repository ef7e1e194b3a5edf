// `warplens record` on a program that uses a GPU, which here is WarpLens itself above a driver whose device
// is emulated (tests/gpu/driver).
#include "instrumentation/launches/launch_file.h"
#include "tests/support/program.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace wl::test {
namespace {

using launches::After;
using launches::RecordedLaunch;
using Json = nlohmann::json;

const std::vector<std::string> kDevice = {"LD_LIBRARY_PATH=" WL_DRIVER_FOLDER};

const char* const kSource = R"(
struct Field { const float* from; float* to; int n; };
__device__ float factor = 2.5f;
__global__ void scale(Field f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < f.n) f.to[i] = factor * f.from[i];
}
)";
const char* const kManifest = R"(entry = "scale"
args = [
  { name = "f", fields = [
    { name = "from", dtype = "f32", shape = [100], fill = "normal" },
    { name = "to", dtype = "f32", shape = [SIZE], output = true },
    { name = "n", dtype = "s32", value = 100 } ] },
]
[launch]
grid = [4]
block = [32]
)";

struct Program {
    TemporaryFolder folder;
    std::vector<std::string> words;
    explicit Program(const std::string& size = "100") {
        std::string manifest = kManifest;
        manifest.replace(manifest.find("SIZE"), 4, size);
        write_file(folder.path + "/scale.cu", kSource);
        write_file(folder.path + "/scale.toml", manifest);
        words = {
            WL_PROGRAM,
            "run",
            folder.path + "/scale.toml",
            "--on",
            "gpu",
            "--quiet",
            "-o",
            folder.path + "/x.wlcap"};
    }
    std::string file() const { return folder.path + "/x.wllaunch"; }
    Said record(std::vector<std::string> options, const std::vector<std::string>& environment = kDevice)
        const {
        options.insert(options.begin(), {"record", "-o", file()});
        options.emplace_back("--");
        options.insert(options.end(), words.begin(), words.end());
        return warplens(options, environment);
    }
};

TEST(Record, ALaunchIsKeptAsItWasAndRunsAgain) {
    const Program program;
    const Said said = program.record({"--kernel", "scale", "--json"});
    ASSERT_EQ(said.status, 0) << said.err;
    const Json told = Json::parse(said.out);
    EXPECT_EQ(told["kernel"], "scale(Field)");
    EXPECT_EQ(told["of_kernel"], 1);
    EXPECT_EQ(told["grid"], (Json{4, 1, 1}));
    EXPECT_EQ(told["on"], "emulated device");
    EXPECT_TRUE(told["ptx"]);
    const RecordedLaunch l = launches::read_launch(program.file());
    EXPECT_EQ(l.command, program.words);
    EXPECT_EQ(l.params.size(), 24U);
    ASSERT_EQ(l.memory.size(), 3U);
    EXPECT_EQ(l.memory[0].name, "factor");
    EXPECT_EQ(l.memory[0].before.size(), 4U);
    EXPECT_EQ(l.memory[1].before.size(), 400U);
    EXPECT_EQ(l.memory[1].after, After::unchanged);
    EXPECT_EQ(l.memory[2].after, After::changed);
    const Said again = warplens({"run", program.file(), "--json", "-o", program.folder.path + "/y.wlcap"});
    ASSERT_EQ(again.status, 0) << again.out << again.err;
    const Json outputs = Json::parse(again.out)["outputs"];
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_EQ(outputs[0]["name"], "arg0+8");
    EXPECT_EQ(outputs[0]["max_abs_difference"], 0);
}

TEST(Record, KernelsAreCountedWhereNoneIsNamed) {
    const Program program;
    const Said said = program.record({"--json"});
    ASSERT_EQ(said.status, 0) << said.err;
    const Json told = Json::parse(said.out);
    ASSERT_EQ(told["launched"].size(), 1U);
    EXPECT_EQ(told["launched"][0]["kernel"], "scale(Field)");
    EXPECT_GE(told["launched"][0]["launches"], 1);
    EXPECT_NE(access(program.file().c_str(), F_OK), 0);
}

TEST(Record, WhatIsNotLaunchedIsSaid) {
    const Program program;
    Said said = program.record({"--kernel", "scal"});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("launches no kernel named scal; did you mean scale?"), std::string::npos)
        << said.err;
    said = program.record({"--kernel", "scale", "--launch", "1000"});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find(" times, and --launch 1000 was asked for"), std::string::npos) << said.err;
    said = warplens({"record", "--kernel", "k", "--", "true"});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(
        said.err.find("true launched no kernel by a CUDA driver that could be watched"), std::string::npos
    ) << said.err;
    said = warplens({"record", "--", "./no-such-program"});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("./no-such-program cannot be started: No such file"), std::string::npos)
        << said.err;
    EXPECT_EQ(warplens({"record"}).status, 2);
}

TEST(Record, ALaunchThatFailsIsKeptWithItsReason) {
    const Program program("90");
    const Said said = program.record({"--kernel", "scale"});
    EXPECT_EQ(said.status, 0) << said.err;
    const RecordedLaunch l = launches::read_launch(program.file());
    EXPECT_EQ(l.fault, "CUDA_ERROR_ILLEGAL_ADDRESS");
    EXPECT_EQ(l.memory.back().after, After::unknown);
    const Said again = warplens({"diagnose", program.file(), "--json"});
    EXPECT_EQ(again.status, 1) << again.out << again.err;
    EXPECT_EQ(Json::parse(again.out)["findings"][0]["rule"], "out_of_bounds");
}

TEST(Record, ProgramsThatProgramsStartAreWatchedToo) {
    Program program;
    std::string line;
    for (const std::string& word : program.words) line += "'" + word + "' ";
    program.words = {"sh", "-c", line + "; exit 7"};
    const Said said = program.record({"--kernel", "scale"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_NE(said.err.find("sh ended with 7"), std::string::npos) << said.err;
    EXPECT_EQ(launches::read_launch(program.file()).entry, "_Z5scale5Field");
}

TEST(Record, MemoryBeyondTheLimitIsNotKept) {
    Program program("400000");
    const Said said = program.record({"--kernel", "scale", "--limit", "1"});
    ASSERT_EQ(said.status, 0) << said.err;
    const RecordedLaunch l = launches::read_launch(program.file());
    ASSERT_EQ(l.notes.size(), 1U);
    EXPECT_NE(l.notes[0].find("of 1600000 bytes"), std::string::npos) << l.notes[0];
}

}  // namespace
}  // namespace wl::test
