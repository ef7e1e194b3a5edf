// The JSON object that scripts rely on, field by field.
#include "instrumentation/capture/json.h"
#include "tests/support/synthetic_capture.h"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace wl::capture {
namespace {

using nlohmann::json;

TEST(CaptureJson, HasEveryFieldThatScriptsRelyOn) {
    Capture capture = testing::synthetic_capture(11);
    capture.launch.seed = 5;
    const json object = json::parse(summary_json(capture, "diagnose"));
    EXPECT_EQ(object["warplens"], "0.1.0");
    EXPECT_EQ(object["verb"], "diagnose");
    EXPECT_EQ(object["kernel"], "attention");
    EXPECT_EQ(object["faults"], json({"32x"}));
    EXPECT_EQ(object["on"], "cpu");
    EXPECT_EQ(object["seed"], 5);
    EXPECT_EQ(object["verdict"], "findings");
    EXPECT_EQ(object["covered"]["blocks"], 64);
    EXPECT_EQ(object["covered"]["blocks_compared"], 64);
    EXPECT_EQ(
        object["covered"]["checks"], json({"races", "uninitialised", "bounds", "barriers", "reference"})
    );
    EXPECT_EQ(object["covered"]["schedules"], 1);
    EXPECT_EQ(object["unsupported"], json::array());
    EXPECT_EQ(object["seconds"]["compile"], 0.07);
    const json& output = object["outputs"].at(0);
    EXPECT_EQ(output["name"], "O");
    EXPECT_EQ(output["ok"], false);
    EXPECT_EQ(output["nan"], 0);
    EXPECT_DOUBLE_EQ(output["max_abs_difference"], capture.outputs[0].max_difference);
    EXPECT_DOUBLE_EQ(output["bound"], 1.0 / 1024);
}

TEST(CaptureJson, AFindingSaysWhereAndWhatFollowsFromIt) {
    const json object = json::parse(summary_json(testing::synthetic_capture(11), "run"));
    const json& cause = object["findings"].at(0);
    EXPECT_EQ(cause["rule"], "constant_factor");
    const json where = {
        {"file",      "attention.cu"},
        {"line",      22            },
        {"tile",      "l"           },
        {"element",   {0, 0}        },
        {"block",     {3, 1, 0}     },
        {"warp",      0             },
        {"lanes",     "0-31"        },
        {"iteration", 0             },
        {"epoch",     1             }
    };
    EXPECT_EQ(cause["where"], where) << "block 11 of a grid of 8 x 8";
    EXPECT_EQ(cause["other"]["line"], 23);
    EXPECT_EQ(cause["evidence"]["ratio"], 32.0);
    EXPECT_NE(cause["proof"].get<std::string>().find("0 of 64"), std::string::npos);
    EXPECT_FALSE(cause.contains("caused_by"));
    const json& consequence = object["findings"].at(1);
    EXPECT_EQ(consequence["caused_by"], 0);
    EXPECT_FALSE(consequence.contains("other"));
    EXPECT_FALSE(consequence.contains("proof"));
    EXPECT_FALSE(consequence["where"].contains("warp"));
}

TEST(CaptureJson, AnOutputThatNobodyComparedIsNeitherOkNorNot) {
    Capture capture = testing::synthetic_capture();
    capture.outputs[0].verdict = Verdict::not_compared;
    capture.outputs[0].note = "no reference named O";
    const json output = json::parse(summary_json(capture, "run"))["outputs"].at(0);
    EXPECT_TRUE(output["ok"].is_null());
    EXPECT_TRUE(output["max_abs_difference"].is_null());
    EXPECT_EQ(output["note"], "no reference named O");
}

TEST(CaptureJson, WhateverTheTextAndNumbersTheResultParses) {
    Capture capture = testing::synthetic_capture();
    capture.launch.executor = "gpu: NVIDIA H200";
    capture.findings[0].title = "quote \" backslash \\ newline \n byte \xff end";
    capture.findings[0].evidence = {
        {"ratio", std::numeric_limits<double>::quiet_NaN()}
    };
    const json object = json::parse(summary_json(capture, "run"));
    EXPECT_EQ(object["on"], "gpu");
    EXPECT_EQ(object["findings"].at(0)["title"], "quote \" backslash \\ newline \n byte \xef\xbf\xbd end");
    EXPECT_TRUE(object["findings"].at(0)["evidence"]["ratio"].is_null());
    EXPECT_EQ(json::parse(finding_json(capture, capture.findings[1])), object["findings"].at(1));
}

}  // namespace
}  // namespace wl::capture
