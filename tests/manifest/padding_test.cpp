// --inputs nan-padding: where the reference reads nothing, and only there.
#include "instrumentation/manifest/padding.h"

#include "instrumentation/base/error.h"
#include "instrumentation/manifest/manifest.h"
#include "tests/manifest/manifest_fixture.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace wl::manifest {
namespace {

struct Padding : ManifestFolder {
    void SetUp() override {
        ManifestFolder::SetUp();
        setenv("WARPLENS_PYTHON", WL_TEST_PYTHON, 1);
        write("k.cu", "");
    }

    Problem bound(
        const std::string& dtype,
        const std::string& shape,
        const std::string& returned,
        const std::string& inputs = "nan-padding"
    ) {
        std::ofstream("k.toml") << R"(args = [ { name = "A", dtype = ")" << dtype << R"(", shape = )" << shape
                                << R"(, fill = "normal" },
  { name = "C", dtype = "f32", shape = [1], output = true } ]
launch = { grid = [1], block = [1] }
reference = { python = "k.py" }
)";
        std::ofstream("k.py") << R"(import numpy as np
def reference(inputs, params):
    A = inputs["A"]
    return {"C": )" << returned
                              << "}\n";
        return bind(load("k.toml"), {{}, "", {}, inputs, 0});
    }
    // A letter for each element of A: n is NaN, the others as they are without.
    std::string pattern(
        const std::string& shape, const std::string& returned, const std::string& dtype = "f32"
    ) {
        const Problem plain = bound(dtype, shape, returned, ""), padded = bound(dtype, shape, returned);
        const Tensor &a = plain.args[0].data, &b = padded.args[0].data;
        std::string out;
        for (int64_t i = 0; i < elements(b.shape); ++i)
            out += std::isnan(at(b, i)) ? 'n' : at(a, i) == at(b, i) ? '.' : '?';
        said = padded.remarks.empty() ? "" : padded.remarks[0];
        return out;
    }
    std::string said;
};

TEST_F(Padding, ColumnsBehindTheRowsOwnOnesAreNaN) {
    EXPECT_EQ(pattern("[2, 5]", "A[:, :3].sum(axis=1)"), "...nn...nn");
    EXPECT_EQ(said, "--inputs nan-padding: NaN, as the reference does not read it, in A[:, 3:5]");
}

TEST_F(Padding, EachRowHasItsOwnLength) {
    EXPECT_EQ(pattern("[3, 4]", "[A[0, :4].sum(), A[1, :1].sum(), A[2, 2:].sum()]"), ".....nnnnn..");
    EXPECT_EQ(said, "--inputs nan-padding: NaN, as the reference does not read it, in A[1, 1:4], A[2, 0:2]");
}

TEST_F(Padding, ARowThatNobodyAsksForIsNaN) { EXPECT_EQ(pattern("[3, 2]", "A[[0, 2]]"), "..nn.."); }

TEST_F(Padding, TheMiddleAxisOfSequencesHasItsLengthForEachOfABatch) {
    EXPECT_EQ(pattern("[2, 1, 3, 1]", "[A[0, :, :2].sum(), A[1].sum()]"), "..n...");
}

TEST_F(Padding, HalvesHaveThemToo) { EXPECT_EQ(pattern("[4]", "A[1:3]", "f16"), "n..n"); }

TEST_F(Padding, WhereAllIsReadThereIsNone) {
    EXPECT_EQ(pattern("[2, 3]", "A * 2"), "......");
    EXPECT_EQ(
        said, "--inputs nan-padding: the reference reads every input that was asked for, so there is no NaN"
    );
}

TEST_F(Padding, WhatIsMultipliedByZeroIsRead) { EXPECT_EQ(pattern("[2]", "A * [1, 0]"), ".."); }

TEST_F(Padding, ItIsAskedForAWhileAtMost) {
    EXPECT_EQ(pattern("[900, 2]", "A"), std::string(1800, '.'));
    EXPECT_NE(said.find("; it was asked 1500 times, and what lies beyond that is as it was"), said.npos)
        << said;
}

TEST_F(Padding, WithoutAReferenceToAskItIsAnError) {
    bound("f32", "[2]", "A");
    std::ofstream("k.toml") << R"(args = [ { name = "A", dtype = "f32", shape = [2], fill = "normal" } ]
launch = { grid = [1], block = [1] }
)";
    try {
        bind(load("k.toml"), {{}, "", {}, "nan-padding", 0});
        FAIL() << "there is nobody to ask";
    } catch (const Error& error) {
        EXPECT_NE(
            std::string(error.what())
                .find("the Python reference is asked what it does not read, and k.toml has none"),
            std::string::npos
        ) << error.what();
    }
}

}  // namespace
}  // namespace wl::manifest
