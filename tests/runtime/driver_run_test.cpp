// `warplens run -- PROGRAM` of programs of the driver API: driver_situations.cpp, built by the host's
// compiler alone.
#include "tests/support/program.h"

#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::test {
namespace {

using nlohmann::json;

Said run(const std::string& what, std::vector<std::string> options = {}) {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--", WL_DRIVER_PROGRAM, what});
    return warplens(options);
}

// What it tells does not depend on where lines are broken.
bool has(const std::string& text, const std::string& part) {
    std::string flat = text;
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    return flat.find(part) != std::string::npos;
}

TEST(DriverPrograms, TheBrokenOneIsFoundAndItsTwinIsNot) {
    const Said wrong = run("wrong"), right = run("right");
    EXPECT_EQ(wrong.status, 1);
    EXPECT_TRUE(has(wrong.err, "launch 1: shift, grid 1x1x1, block 256x1x1; ")) << wrong.err;
    EXPECT_TRUE(has(wrong.err, "[1] race_shared (256 times)")) << wrong.err;
    EXPECT_TRUE(has(wrong.err, "findings: 1 launch, 1 with findings of its own")) << wrong.err;
    EXPECT_EQ(right.status, 0);
    EXPECT_EQ(right.out, "CUDA_SUCCESS\n1\n");
    EXPECT_TRUE(has(right.err, "s; ok ok: 1 launch, ")) << right.err;
}

TEST(DriverPrograms, MemoryOfEveryKindAndVariablesHoldWhatTheyHoldOnAGpu) {
    const Said said = run("memory");
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out, "6 6 6 12 7\n");
}

// Of which NVRTC makes what the emulator can run: PTX, with the lines of the source.
TEST(DriverPrograms, MachineCodeThatNvrtcIsAskedForIsPtx) {
    const std::string nvrtc = std::string(WL_CUDA) + "/lib/libnvrtc.so.13";
    const Said said = warplens({"run", "--", WL_NVRTC_PROGRAM, nvrtc});
    EXPECT_EQ(said.out, "PTX 8\n");
    EXPECT_EQ(said.status, 1) << said.err;
    EXPECT_TRUE(has(said.err, "launch 1: shift, grid 1x1x1, block 64x1x1; ")) << said.err;
    EXPECT_TRUE(has(said.err, "[1] race_shared")) << said.err;
    EXPECT_TRUE(has(said.err, "shift.cu:4")) << said.err;
}

TEST(DriverPrograms, ArraysTexturesAndSurfacesAreTheRuntimes) {
    const Said images = warplens({"run", "--", WL_TEXTURES_PROGRAM, "images"});
    EXPECT_EQ(images.out, "8 x 4, 4 channels of format 1\nscaled 32, as they are 32, written 32\n")
        << images.err;
    EXPECT_EQ(images.status, 0) << images.err;
    const Said refused = warplens({"run", "--", WL_TEXTURES_PROGRAM, "refused"});
    EXPECT_EQ(refused.out, "CUDA_ERROR_NOT_SUPPORTED CUDA_ERROR_INVALID_VALUE CUDA_ERROR_INVALID_VALUE \n")
        << refused.err;
}

TEST(DriverPrograms, AKernelGetsATensorMapByValue) {
    const Said said = warplens({"run", "--", WL_TILES_PROGRAM});
    EXPECT_EQ(said.out, "CUDA_ERROR_INVALID_VALUE\nCUDA_SUCCESS\nCUDA_SUCCESS\nCUDA_SUCCESS\n0 wrong\n")
        << said.err;
    EXPECT_EQ(said.status, 0) << said.err;
}

TEST(DriverPrograms, MemoryIsMappedWhereTheProgramSays) {
    const auto mapped = [](const char* what) { return warplens({"run", "--", WL_MAPPED_PROGRAM, what}); };
    const Said beside = mapped("side by side");
    EXPECT_EQ(
        beside.out,
        "supported, pieces\nCUDA_SUCCESS\nCUDA_SUCCESS\n512\n2\nCUDA_ERROR_INVALID_VALUE CUDA_SUCCESS\n"
    );
    EXPECT_EQ(beside.status, 0) << beside.err;
    const Said gone = mapped("unmapped");
    EXPECT_EQ(gone.status, 1) << gone.err;
    EXPECT_TRUE(has(gone.err, "0 bytes into allocation 1, which the program had freed")) << gone.err;
    const Said refused = mapped("refused");
    EXPECT_EQ(
        refused.out,
        "supported, pieces\nCUDA_SUCCESS\nCUDA_ERROR_INVALID_VALUE CUDA_ERROR_NOT_SUPPORTED "
        "CUDA_ERROR_INVALID_VALUE "
        "CUDA_ERROR_NOT_SUPPORTED CUDA_ERROR_INVALID_VALUE\n"
    );
    EXPECT_TRUE(has(refused.err, "or the same memory twice (cuMemMap), which is not supported"))
        << refused.err;
}

// What it prints is compared with what it printed on a GPU.
TEST(DriverPrograms, SeveralProcessesHaveOneMemory) {
    std::ifstream file(WL_SOURCE_DIR "/docs/measured/interprocess-h100.json");
    const json measured = json::parse(file).at("answers");
    for (const char* how : {"handle", "descriptor", "pool"}) {
        std::string expected;
        for (const json& line : measured.at(how).at("out")) expected += line.get<std::string>() + "\n";
        const Said said = warplens({"run", "--", WL_INTERPROCESS_PROGRAM, how});
        EXPECT_EQ(said.out, expected) << said.err;
        EXPECT_EQ(said.status, 0) << said.err;
        const bool freed = has(said.err, "opens memory of another process that is not there");
        EXPECT_EQ(freed, std::string(how) == "handle") << said.err;
    }
}

TEST(DriverPrograms, LibrariesGraphsAndTheLinker) {
    const Said library = run("library"), linked = run("link");
    EXPECT_EQ(library.out, "CUDA_SUCCESS\n10 8 4 1024\n") << library.err;
    EXPECT_EQ(run("graph").out, "1 4\n");
    EXPECT_EQ(linked.out, "8\nCUDA_ERROR_NO_BINARY_FOR_GPU\n");
    EXPECT_TRUE(has(linked.err, "the program links a.cubin, which is machine code")) << linked.err;
}

TEST(DriverPrograms, FunctionsAreFoundByNameAndVersion) {
    EXPECT_EQ(run("addresses").out, "1 1 1 CUDA_SUCCESS 1\n");
}

TEST(DriverPrograms, AModuleOfMachineCodeIsToldWhatToLoad) {
    const Said said = run("cubin");
    EXPECT_EQ(said.out, "CUDA_ERROR_NO_BINARY_FOR_GPU\n");
    EXPECT_EQ(said.status, 3);
    EXPECT_TRUE(
        has(said.err, "the program loads a module of machine code only (sm_90), and no PTX to emulate;")
    ) << said.err;
}

TEST(DriverPrograms, ALaunchWithTooFewParametersIsRefused) {
    const Said said = run("few");
    EXPECT_EQ(said.out, "CUDA_ERROR_INVALID_VALUE\nCUDA_ERROR_INVALID_VALUE\nCUDA_ERROR_INVALID_VALUE\n");
    EXPECT_TRUE(has(said.err, "a launch of scale passes 0 of 2 parameters")) << said.err;
    EXPECT_TRUE(has(said.err, "a launch of scale passes 8 bytes of parameters; there are 12")) << said.err;
    EXPECT_TRUE(has(said.err, "a launch of scale passes 1 of 2 parameters")) << said.err;
}

// No size is given of an argument that is pointed at: its bytes are looked at.
TEST(DriverPrograms, AnArgumentOfAnotherSizeThanItsParameterIsNoOk) {
    const auto run = [](const char* word) { return warplens({"run", "--", WL_ARGUMENTS_PROGRAM, word}); };
    const Said wide = run("double"), tenth = run("tenth"), packed = run("packed_doubles");
    const Said narrow = run("narrow"), overlap = run("overlap");
    for (const Said& said : {wide, tenth, packed, narrow, overlap}) EXPECT_EQ(said.status, 3) << said.err;
    EXPECT_TRUE(has(narrow.err, "parameter 1 of spread is a double of 8 bytes and gets ")) << narrow.err;
    EXPECT_TRUE(has(narrow.err, "are the float 0.5")) << narrow.err;
    EXPECT_TRUE(has(overlap.err, "takes 8 bytes, and argument 2 begins 4 bytes after its address"))
        << overlap.err;
    EXPECT_TRUE(has(wide.err, "parameter 1 of damp is a float of 4 bytes and gets 0")) << wide.err;
    EXPECT_TRUE(has(wide.err, "are the double 0.5")) << wide.err;
    EXPECT_TRUE(has(tenth.err, "are the double 0.1")) << tenth.err;
    EXPECT_TRUE(has(packed.err, "passes 32 bytes of parameters; there are 20")) << packed.err;
    for (const auto& [word, value] : {
             std::pair{"float",  "0 19\n"  },
             std::pair{"zero",   "0 0\n"   },
             std::pair{"packed", "0 16\n"  },
             std::pair{"wide",   "0 15.5\n"}
    }) {
        const Said right = run(word);
        EXPECT_EQ(right.status, 0) << word << right.err;
        EXPECT_EQ(right.out, value) << word;
    }
}

TEST(DriverPrograms, FreedMemoryAndWhatADestroyedContextHeldAreNamed) {
    const Said freed = run("freed"), destroyed = run("destroyed");
    EXPECT_EQ(freed.status, 1);
    EXPECT_EQ(freed.out, "CUDA_ERROR_INVALID_VALUE\nCUDA_ERROR_INVALID_VALUE\n");
    EXPECT_TRUE(has(freed.err, "bytes into allocation 1, which the program had freed")) << freed.err;
    EXPECT_TRUE(has(freed.err, "the program copies or fills allocation 1, which it had freed")) << freed.err;
    EXPECT_TRUE(has(freed.err, "the program frees allocation 1 once more")) << freed.err;
    EXPECT_EQ(
        destroyed.out,
        "CUDA_ERROR_INVALID_CONTEXT\nCUDA_ERROR_CONTEXT_IS_DESTROYED\nCUDA_ERROR_INVALID_CONTEXT\n"
    );
    EXPECT_TRUE(has(destroyed.err, "the program goes on in a context that it destroyed")) << destroyed.err;
    EXPECT_TRUE(has(destroyed.err, "into allocation 1, which the program had freed")) << destroyed.err;
}

TEST(DriverPrograms, HandlesThatAreNoneAreToldByTheFunction) {
    const Said said = run("handles");
    EXPECT_EQ(
        said.out,
        "CUDA_ERROR_INVALID_HANDLE\nCUDA_ERROR_INVALID_HANDLE\nCUDA_ERROR_INVALID_HANDLE\nCUDA_ERROR_NOT_"
        "FOUND\n"
        "CUDA_ERROR_INVALID_HANDLE\nCUDA_ERROR_INVALID_HANDLE\nCUDA_ERROR_INVALID_CONTEXT\n"
    );
    for (const char* part :
         {"cuStreamSynchronize was given a stream that is not there, or that the program had destroyed",
          "cuEventRecord was given an event that is not there",
          "a launch was given no function of a loaded module",
          "cuModuleGetFunction was given a module that the program had unloaded",
          "cuCtxSetCurrent was given no context of this process"})
        EXPECT_TRUE(has(said.err, part)) << part << "\n" << said.err;
}

TEST(DriverPrograms, TheOrderOfCallsAndASecondDeviceAreTold) {
    const Said said = run("order");
    EXPECT_EQ(
        said.out, "CUDA_ERROR_NOT_INITIALIZED\nCUDA_ERROR_INVALID_CONTEXT\nCUDA_ERROR_INVALID_DEVICE\n"
    );
    EXPECT_TRUE(has(said.err, "the program calls cuDeviceGetCount before cuInit")) << said.err;
    EXPECT_TRUE(has(said.err, "the program calls the driver in a thread that has no context")) << said.err;
    EXPECT_TRUE(has(said.err, "the program asks for device 1; there is one, device 0")) << said.err;
}

TEST(DriverPrograms, WhatIsNotThereFailsByName) {
    const Said said = run("missing");
    EXPECT_EQ(said.out, "CUDA_ERROR_NOT_SUPPORTED\nCUDA_ERROR_NOT_SUPPORTED\n");
    EXPECT_TRUE(has(said.err, "cuMulticastCreate is not supported; the program got CUDA_ERROR_NOT_SUPPORTED"))
        << said.err;
    EXPECT_TRUE(has(said.err, "driver_situations asks for private tables of NVIDIA's driver")) << said.err;
}

TEST(DriverPrograms, AChildOfAForkCannotUseTheDeviceAndItsParentGoesOn) {
    const Said said = run("fork");
    EXPECT_EQ(said.out, "child 0\nparent 2\n");
    EXPECT_TRUE(has(said.err, "the program forked after it had used the device")) << said.err;
    EXPECT_TRUE(has(said.err, "ok: 1 launch")) << said.err;
}

TEST(DriverPrograms, TheAnswerAsJson) {
    const json wrong = json::parse(run("wrong", {"--json"}).out, nullptr, false);
    EXPECT_EQ(wrong.at("verdict"), "findings");
    EXPECT_EQ(wrong.at("launches").at(0).at("kernel"), "shift");
    EXPECT_EQ(wrong.at("findings").at(0).at("rule"), "race_shared");
}

// What cuda.h declares is there, if only to fail by name.
TEST(TheDriverStandIn, HasEveryNameOfTheDriver) {
    const std::string program = WL_PROGRAM;
    const std::string ours = program.substr(0, program.rfind('/')) + "/stand-in/libcuda.so.1";
    void* const stand_in = dlopen(ours.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(stand_in, nullptr) << dlerror();
    std::istringstream names(read_file(source_path("shim/cuda/names.inc")));
    int count = 0;
    for (std::string line; std::getline(names, line); ++count) {
        const std::string name = line.substr(8, line.find(',') - 8);  // WL_NAME(symbol, name, since)
        EXPECT_NE(dlsym(stand_in, name.c_str()), nullptr) << name;
    }
    EXPECT_GT(count, 600);
}

}  // namespace
}  // namespace wl::test
