// `warplens run -- PROGRAM`: unmodified programs of nvcc, their kernels in the emulator. Skipped where there
// is no nvcc.
#include "instrumentation/launches/launch_file.h"
#include "tests/runtime/compiled.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::test {
namespace {

using nlohmann::json;

// Compiled once, with the compiler's and the runtime's files of the wheels.
struct Programs : testing::Test {
    static TemporaryFolder* folder;

    static std::string build(const std::string& name, const std::string& flags) {
        return compiled(folder->path, "situations", flags, name) ? folder->path + "/" + name : "";
    }

    static void SetUpTestSuite() { compiled((folder = new TemporaryFolder)->path, "situations"); }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!std::filesystem::exists(folder->path + "/situations"))
            GTEST_SKIP() << "no nvcc: " << read_file(folder->path + "/said");
    }

    static Said run(const std::string& what, std::vector<std::string> options = {}) {
        options.insert(options.begin(), "run");
        options.insert(options.end(), {"--", folder->path + "/situations", what});
        return warplens(options);
    }
    static json answer(const std::string& what) {
        const Said said = run(what, {"--json"});
        return json::parse(said.out, nullptr, false);
    }
};
TemporaryFolder* Programs::folder = nullptr;

TEST_F(Programs, TheBrokenOneIsFoundAndItsTwinIsNot) {
    const Said wrong = run("wrong"), right = run("right");
    EXPECT_EQ(wrong.status, 1);
    EXPECT_EQ(wrong.out, "");
    EXPECT_TRUE(has(wrong.err, "launch 1: void shift<false>(float*), grid 1x1x1, block 256x1x1; "))
        << wrong.err;
    EXPECT_TRUE(has(wrong.err, "[1] race_shared (256 times)")) << wrong.err;
    EXPECT_TRUE(has(wrong.err, "situations.cu:")) << wrong.err;
    EXPECT_TRUE(has(wrong.err, "findings: 1 launch, 1 with findings of its own")) << wrong.err;
    EXPECT_EQ(right.status, 0);
    EXPECT_TRUE(has(right.err, "s; ok\nok: 1 launch, ")) << right.err;
}

TEST_F(Programs, MemoryOfEveryKindAndVariablesHoldWhatTheyHoldOnAGpu) {
    const Said said = run("variables");
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out, "6 6 8 18\n");
}

// 2^80 rows of nothing are none, and 2^64 bytes are not 0.
TEST_F(Programs, ExtentsOfAnySizeAreAnsweredAtOnce) { EXPECT_EQ(run("extents").out, "0 0 1 1\n"); }

TEST_F(Programs, GraphsTexturesAndThreads) {
    EXPECT_EQ(run("graph").out, "1 16\n");
    EXPECT_EQ(run("texture").out, "4 7\n");
    EXPECT_EQ(run("threads").out, "0 wrong\n");
}

// What would leave everything as it is needs no second run; what accumulates is run each time.
TEST_F(Programs, ATimingLoopIsOneLine) {
    const Said said = run("loop");
    EXPECT_EQ(said.out, "timed 8\n");
    EXPECT_TRUE(has(said.err, "launches 1-103: scale(float*), grid 1x1x1, block 256x1x1; x 103, "))
        << said.err;
    EXPECT_TRUE(has(said.err, "98 not executed again, as they would change nothing; ok")) << said.err;
    EXPECT_TRUE(has(said.err, "note: times that the program measures are the emulator's, not a GPU's"))
        << said.err;
    const Said first = run("loop", {"--first", "2"});
    EXPECT_TRUE(has(first.err, "98 not executed again, as they would change nothing; 3 left out by --first"))
        << first.err;
}

TEST_F(Programs, TheStatusIsTheProgramsOwnUnlessThereAreFindings) {
    const Said said = run("status");
    EXPECT_EQ(said.status, 5);
    EXPECT_EQ(
        said.err,
        "the program ended with status 5\nok: 0 launches, 0 with findings of their own; values simulated by "
        "the CPU emulator\n"
    );
}

TEST_F(Programs, WhatKernelsPrintComesWhenTheProgramWaits) {
    EXPECT_EQ(run("print").out, "before\nlane 0\nlane 1\n");
}

TEST_F(Programs, AFailedAssertionStopsTheDeviceAsOnAGpu) {
    const Said said = run("assert");
    EXPECT_EQ(said.status, 1);
    EXPECT_EQ(said.out, "cudaErrorAssert\n");
    EXPECT_TRUE(has(said.err, "[1] assertion")) << said.err;
}

TEST_F(Programs, ALaunchThatADeviceRefusesIsRefused) {
    const Said said = run("refused");
    EXPECT_EQ(said.out, "cudaErrorInvalidValue\n");
    EXPECT_TRUE(has(said.err, "refused: 2000x1x1 threads a block; 1024 are possible")) << said.err;
    EXPECT_EQ(said.status, 1);
    EXPECT_TRUE(has(said.err, "findings: 1 launch, 0 with findings of their own, 1 refused")) << said.err;
}

TEST_F(Programs, FreedMemoryIsNamed) {
    const Said said = run("freed");
    EXPECT_EQ(said.status, 1);
    EXPECT_TRUE(has(said.err, "0 bytes into allocation 1, which the program had freed")) << said.err;
}

TEST_F(Programs, ASecondDeviceAndAMissingFunctionAreToldByName) {
    const Said device = run("device"), missing = run("missing");
    EXPECT_EQ(device.out, "cudaErrorInvalidDevice\n");
    EXPECT_TRUE(has(device.err, "the program asks for device 1; there is one, device 0")) << device.err;
    EXPECT_EQ(missing.out, "cudaErrorNotSupported\n");
    EXPECT_TRUE(has(missing.err, "warplens: cudaImportExternalMemory is not supported\n")) << missing.err;
}

// Its status says that it failed, and that was for want of a call of ours.
TEST_F(Programs, AProgramThatGivesUpAfterAMissingFunctionIsUnsupported) {
    const Said said = run("gives up");
    EXPECT_EQ(said.status, 3) << said.err;
    EXPECT_TRUE(has(said.err, "the program ended with status 1\nunsupported: 0 launches")) << said.err;
    EXPECT_EQ(answer("gives up")["verdict"], "unsupported");
}

TEST_F(Programs, WhatWasLaunchedBeforeTheProgramDiedIsTold) {
    const Said died = run("die"), host = run("host");
    EXPECT_EQ(died.status, 128 + 9);
    EXPECT_TRUE(has(died.err, "launch 1: scale(float*)")) << died.err;
    EXPECT_TRUE(has(died.err, "was ended by signal 9 (Killed), after launch 1\nincomplete: 1 launch"))
        << died.err;
    const json killed = answer("die");
    EXPECT_EQ(killed["verdict"], "incomplete") << killed;
    EXPECT_EQ(killed["signal"], 9) << killed;
    EXPECT_EQ(host.status, 128 + 11);
    EXPECT_TRUE(has(host.err, "the host cannot read or write device memory")) << host.err;
}

TEST_F(Programs, AChildOfAForkCannotUseTheDeviceAndALaunchAtExitIsTold) {
    const Said forked = run("fork"), at_exit = run("atexit");
    EXPECT_EQ(forked.out, "child 0\nparent 2\n");
    EXPECT_TRUE(has(forked.err, "the program forked after it had used the device")) << forked.err;
    EXPECT_TRUE(has(forked.err, "ok: 1 launch")) << forked.err;
    EXPECT_EQ(at_exit.out, "at exit 6\n");
    EXPECT_TRUE(has(at_exit.err, "ok: 1 launch")) << at_exit.err;
}

TEST_F(Programs, TheAnswerAsJson) {
    const json wrong = answer("wrong");
    EXPECT_EQ(wrong.at("verdict"), "findings");
    EXPECT_EQ(wrong.at("launches").at(0).at("kernel"), "void shift<false>(float*)");
    EXPECT_EQ(wrong.at("findings").at(0).at("rule"), "race_shared");
    EXPECT_EQ(wrong.at("findings").at(0).at("launch"), 1);
    EXPECT_EQ(answer("status").at("exit_status"), 5);
}

TEST_F(Programs, OneLaunchIsRecordedAsACaptureOrAsALaunchFile) {
    const std::string capture = folder->path + "/one.wlcap", file = folder->path + "/one.wllaunch";
    EXPECT_EQ(run("loop", {"--launch", "101", "-o", capture}).status, 0);
    const Said tiles = warplens({"diagnose", capture, "--json"});
    EXPECT_EQ(json::parse(tiles.out, nullptr, false).value("kernel", ""), "scale(float*)") << tiles.err;
    EXPECT_EQ(run("loop", {"--launch", "scale", "-o", file}).status, 0);
    const launches::RecordedLaunch launch = launches::read_launch(file);
    EXPECT_EQ(launch.entry, "_Z5scalePf");
    EXPECT_EQ(launch.command, (std::vector<std::string>{folder->path + "/situations", "loop"}));
    ASSERT_EQ(launch.params.size(), 8u);
    const auto& memory = launch.memory;
    const auto array =
        std::find_if(memory.begin(), memory.end(), [](const auto& m) { return !m.is_variable; });
    ASSERT_NE(array, memory.end());
    EXPECT_EQ(array->before.size(), 1024u);
    EXPECT_EQ(array->after, launches::After::unchanged);
    const Said none = run("loop", {"--launch", "7777"});
    EXPECT_EQ(none.status, 2);
    EXPECT_TRUE(has(none.err, "no launch 7777 was recorded")) << none.err;
}

TEST_F(Programs, WithoutPtxOrASharedRuntimeItIsToldHowToLink) {
    const std::string machine_code =
        build("machine_code", "-cudart shared -gencode arch=compute_80,code=sm_80");
    const Said code = warplens({"run", "--", machine_code, "right"});
    EXPECT_EQ(code.status, 3);
    EXPECT_TRUE(
        has(code.err,
            "the program holds machine code only (sm_80), and no PTX to emulate; build it with -cudart "
            "shared -gencode arch=compute_80,code=compute_80. Code of a static library of NVIDIA's "
            "(libcurand_static.a) has no PTX: link the shared one")
    ) << code.err;
}

// What nvcc links unless it is told otherwise: the runtime in the program, found there by its symbols.
TEST_F(Programs, ARuntimeInTheProgramIsTakenOverUnlessItIsStripped) {
    const std::string ptx = "-cudart static -gencode arch=compute_80,code=compute_80 -lineinfo";
    const std::string alone = build("alone", ptx), stripped = build("stripped", ptx + " -Xlinker -s");
    const Said wrong = warplens({"run", "--", alone, "wrong"});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_TRUE(has(wrong.err, "[1] race_shared (256 times)")) << wrong.err;
    EXPECT_EQ(warplens({"run", "--", alone, "variables"}).out, "6 6 8 18\n");
    const Said none = warplens({"run", "--", stripped, "status"}),
               some = warplens({"run", "--", stripped, "right"});
    EXPECT_EQ(none.status, 3);
    EXPECT_TRUE(has(none.err, "did not load the CUDA runtime as a shared library")) << none.err;
    EXPECT_EQ(some.status, 3);
    EXPECT_TRUE(
        has(some.err, "asks for private tables of NVIDIA's driver, as a CUDA runtime does that is linked")
    ) << some.err;
}

// What NVIDIA's library exports is there, if only to fail by name.
TEST(TheStandIn, HasEveryNameOfTheRuntime) {
    const std::string program = WL_PROGRAM, theirs = std::string(WL_CUDA) + "/lib/libcudart.so.13";
    const std::string ours = program.substr(0, program.rfind('/')) + "/stand-in/libcudart.so.13";
    void* const real = dlopen(theirs.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const stand_in = dlopen(ours.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(stand_in, nullptr) << dlerror();
    std::istringstream names(read_file(source_path("shim/cudart/names.inc")));
    int count = 0;
    for (std::string line; std::getline(names, line); ++count) {
        const std::string name = line.substr(8, line.size() - 9);  // WL_NAME(...)
        EXPECT_NE(dlsym(stand_in, name.c_str()), nullptr) << name;
        EXPECT_TRUE(real == nullptr || dlsym(real, name.c_str()) != nullptr) << name;
    }
    EXPECT_GT(count, 400);
}

TEST(ProgramsOfTheCommandLine, WrongUsage) {
    EXPECT_EQ(warplens({"run", "--"}).status, 2);
    const Said absent = warplens({"run", "--", "./no_such_program"});
    EXPECT_EQ(absent.status, 2);
    EXPECT_EQ(
        absent.err, "warplens: error: ./no_such_program cannot be started: No such file or directory\n"
    );
    const Said fault = warplens({"run", "--fault", "32x", "--", "true"});
    EXPECT_EQ(fault.status, 2);
    EXPECT_TRUE(has(fault.err, "a program is run as it is")) << fault.err;
}

}  // namespace
}  // namespace wl::test
