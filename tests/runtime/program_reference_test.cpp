// `warplens run --launch N --reference REFERENCE -- PROGRAM`: against another build, a recorded launch and a
// function of NumPy. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <fstream>
#include <gtest/gtest.h>

namespace wl::test {
namespace {

constexpr const char* kFunctions = R"(
import numpy as np

def right(out, x, n, factor):
    return x[:n] * factor

def in_place(out, x, n, factor):
    out[:n] = x[:n] * factor

def by_name(out, x, n, factor):
    return {"arg0": x * factor}

def wrong(out, x, n, factor):
    return x * factor + 1

def two(out, x, n, factor):
    return out, x

def long(out, x, n, factor):
    return np.zeros(n + 1)

def fails(out, x, n, factor):
    raise RuntimeError("no such thing")
)";

struct ProgramReference : testing::Test {
    static TemporaryFolder* folder;

    static std::string at(const std::string& name) { return folder->path + "/" + name; }
    static void SetUpTestSuite() {
        folder = new TemporaryFolder;
        if (!compiled(folder->path, "reference", kAsPtx, "good")) return;
        for (const char* build : {"wide", "bad", "other", "factor", "short"})
            std::filesystem::copy_file(at("good"), at(build));
        std::ofstream(at("functions.py")) << kFunctions;
    }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!std::filesystem::exists(at("wide"))) GTEST_SKIP() << "no nvcc: " << read_file(at("said"));
    }

    static Said run(
        const std::string& program, const std::string& reference, std::vector<std::string> more = {}
    ) {
        std::vector<std::string> words{
            "run", "--launch", "2", "--reference", reference, "-o", at("out.wlcap")};
        words.insert(words.end(), more.begin(), more.end());
        words.insert(words.end(), {"--", at(program)});
        return warplens(words);
    }
};
TemporaryFolder* ProgramReference::folder = nullptr;

TEST_F(ProgramReference, AnotherBuildThatLeavesTheSameIsOk) {
    const Said said = run("good", at("wide"));
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_TRUE(has(said.out, "ok: no findings; arg0: 1000 of 1000 elements compared")) << said.out;
    EXPECT_TRUE(has(said.out, "compared with launch 2 (")) << said.out;
    EXPECT_TRUE(has(said.out, "/wide")) << said.out;
    EXPECT_TRUE(has(said.err, "/good:\n") && has(said.err, "/wide:\n")) << said.err;
}

TEST_F(ProgramReference, AWrongElementIsNamedWithWhoWroteIt) {
    for (const std::string& reference : {at("good"), at("functions.py") + ":right"}) {
        const Said said = run("bad", reference);
        EXPECT_EQ(said.status, 1) << said.out << said.err;
        EXPECT_TRUE(
            has(said.out, "arg0 differs from the reference in 1 of 1000 elements: element 37 of 1000\n")
        ) << said.out;
        EXPECT_TRUE(has(said.out, "the first was written by block (0,0,0), warp 1, lane 5.")) << said.out;
        EXPECT_TRUE(has(said.out, "reference.cu:15")) << said.out;
    }
}

TEST_F(ProgramReference, ALaunchFileIsAReferenceAndTheJoinedOneRunsAgain) {
    const Said kept = warplens({"run", "--launch", "2", "-o", at("kept.wllaunch"), "--", at("good")});
    EXPECT_EQ(kept.status, 0) << kept.err;
    EXPECT_EQ(run("good", at("kept.wllaunch")).status, 0);
    EXPECT_EQ(run("bad", at("kept.wllaunch")).status, 1);
    const Said again = warplens({"run", at("out.wllaunch"), "-o", at("again.wlcap")});
    EXPECT_EQ(again.status, 1) << again.out << again.err;
}

TEST_F(ProgramReference, AFunctionReturnsChangesOrNamesWhatIsLeft) {
    for (const char* function : {"right", "in_place", "by_name"}) {
        const Said said = run("good", at("functions.py:") + function);
        EXPECT_EQ(said.status, 0) << function << said.out << said.err;
        EXPECT_TRUE(has(said.out, std::string("functions.py:") + function)) << said.out;
    }
    const Said wrong = run("good", at("functions.py:wrong"));
    EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
    EXPECT_TRUE(has(wrong.out, "arg0 differs from the reference in 1000 of 1000 elements: every element\n"))
        << wrong.out;
}

TEST_F(ProgramReference, WhatAFunctionDoesWrongIsAnError) {
    const std::pair<const char*, const char*> all[] = {
        {"nothing", "has no function nothing"                                                   },
        {"fails",   "no such thing"                                                             },
        {"two",     "two returned 2 arrays; the launch changed what 1 parameters point to: arg0"},
        {"long",    "long returned 1001 elements for arg0, and 1000 are there"                  }
    };
    for (const auto& [function, why] : all) {
        const Said said = run("good", at("functions.py:") + function);
        EXPECT_EQ(said.status, 2) << function << said.out;
        EXPECT_TRUE(has(said.err, why)) << said.err;
    }
}

TEST_F(ProgramReference, OtherInputsOrParametersAreNoVerdict) {
    const std::pair<const char*, const char*> all[] = {
        {"other",  "both found other inputs: "                                    },
        {"factor", "both were given other parameters: they differ from byte 16 on"},
        {"short",  "both were given other parameters"                             }
    };
    for (const auto& [build, why] : all) {
        const Said said = run("good", at(build));
        EXPECT_EQ(said.status, 3) << build << said.out << said.err;
        EXPECT_TRUE(has(said.out, "incomplete: launch 2 (")) << said.out;
        EXPECT_TRUE(has(said.out, why)) << said.out;
    }
    const Said json = run("good", at("other"), {"--json"});
    EXPECT_TRUE(has(json.out, "\"verdict\": \"incomplete\"")) << json.out;
}

TEST_F(ProgramReference, WrongUsesAreToldInOneSentence) {
    const Said no_launch = warplens({"run", "--reference", at("good"), "--", at("good")});
    EXPECT_EQ(no_launch.status, 2);
    EXPECT_TRUE(has(no_launch.err, "--reference compares one launch; name it with --launch N"))
        << no_launch.err;
    EXPECT_TRUE(has(run("good", "a.wlcap").err, "is a capture, which lacks what the launch found"));
    EXPECT_TRUE(has(run("good", "none.py:f").err, "--reference: there is no file none.py"));
    EXPECT_TRUE(has(run("good", at("nowhere")).err, "nowhere cannot be started"));
}

}  // namespace
}  // namespace wl::test
