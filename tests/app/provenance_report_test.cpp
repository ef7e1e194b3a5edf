// Provenance in the window: the answers that are read.
#include "app/worker/provenance_report.h"

#include "instrumentation/base/error.h"

#include <cmath>
#include <gtest/gtest.h>

namespace wl::app {
namespace {

std::string element(const char* tile, int col, int order, const char* state, const char* got = "2") {
    return R"({"tile": ")" + std::string(tile) + R"(", "element": [3, )" + std::to_string(col) +
        R"(], "state": ")" + state + R"(", "order": )" + std::to_string(order) +
        R"(, "iteration": 1, "got": )" + got +
        (std::string(state) == "not compared" ? "}" : R"(, "reference": 2.5, "bound": 0.25})");
}

std::string answer() {
    return R"({"question": "--tile O", "block": 2, "asked": )" + element("O", 0, 0, "wrong") +
        R"(, "elements": [)" + element("P", 0, 10, "right") + "," + element("P", 1, 10, "wrong", "9") + "," +
        element("P", 2, 10, "wrong") + "," + element("l", 0, 30, "not compared", R"("nan")") +
        R"(], "first_wrong": )" + element("P", 1, 10, "wrong", "9") +
        R"(, "lines": [{"file": "a/b.cu", "line": 41, "inlined_at": [127], "text": "x += y;", "suspect": true,
        "instructions": ["add.f32", "mul.f32"], "times": 64, "site": 5, "warp": 1, "lane": 7, "order": 20,
        "value": "4.5", "misled": true, "decided_by": [{"kind": "guard", "file": "a/b.cu", "line": 40,
        "inlined_at": [], "text": "if (x) y", "warp": 1, "lane": 3, "value": "true", "out_of": ["n", "lane"]},
        {"kind": "address", "file": "", "line": 0, "inlined_at": [], "text": "", "warp": 1, "lane": 7,
        "value": "0x0", "out_of": []}]}], "evidence": {"belongs_to": [3, 4]}, "inputs": [{"memory": "Q", "bytes": 8, "offsets": [0, 7], "uninitialised": false,
        "elements": 4, "first": [0, 1], "last": [0, 4]}, {"memory": "shared", "bytes": 4, "offsets": [16, 19],
        "uninitialised": true}], "not_followed": ["tex.2d"]})";
}

TEST(ProvenanceReport, GoesBackInKernelTimeWithOneLinkForEachMark) {
    const ProvenanceReport r = provenance_report(answer());
    EXPECT_EQ(r.question, "--tile O");
    EXPECT_EQ(r.block, 2);
    EXPECT_EQ(r.asked.tile, "O");
    EXPECT_EQ(r.asked.state, ProvenanceElement::State::wrong);
    ASSERT_EQ(r.links.size(), 3U);
    EXPECT_EQ(r.links[0].element.tile, "l") << "what came last is first";
    EXPECT_TRUE(std::isnan(r.links[0].element.got));
    EXPECT_TRUE(std::isnan(r.links[0].element.reference)) << "it was not compared";
    EXPECT_EQ(r.links[1].kind, ProvenanceLink::Kind::line);
    EXPECT_EQ(r.links[1].line, 41);
    EXPECT_EQ(r.links[1].inlined_at, std::vector{127});
    EXPECT_EQ(r.links[1].lane, 7);
    EXPECT_EQ(r.links[1].value, "4.5");
    EXPECT_EQ(r.links[1].instructions, "add.f32, mul.f32");
    EXPECT_TRUE(r.links[1].suspect);
    EXPECT_TRUE(r.links[1].misled);
    ASSERT_EQ(r.links[1].deciders.size(), 1U) << "one without a line cannot be shown";
    EXPECT_EQ(r.links[1].deciders[0].kind, ProvenanceDecider::Kind::guard);
    EXPECT_EQ(r.links[1].deciders[0].line, 40);
    EXPECT_EQ(r.links[1].deciders[0].lane, 3);
    EXPECT_EQ(r.links[1].deciders[0].out_of, "n, lane");
    ASSERT_TRUE(r.belongs_to.has_value());
    EXPECT_EQ(*r.belongs_to, (Element{3, 4}));
    const ProvenanceLink& p = r.links[2];
    EXPECT_EQ(p.elements, 3);
    EXPECT_EQ(p.wrong, 2);
    EXPECT_TRUE(p.first_wrong);
    EXPECT_EQ(p.element.at, (Element{3, 1})) << "its first wrong element stands for it";
    EXPECT_EQ(p.element.got, 9);
}

TEST(ProvenanceReport, NamesInputsAndWhatNobodyWrote) {
    const ProvenanceReport r = provenance_report(answer());
    ASSERT_EQ(r.inputs.size(), 2U);
    EXPECT_EQ(r.inputs[0], "Q  4 elements [0,1] .. [0,4]");
    EXPECT_EQ(r.inputs[1], "shared  4 bytes at offsets 16 .. 19, which nobody wrote");
    EXPECT_EQ(r.not_followed, std::vector<std::string>{"tex.2d"});
}

TEST(ProvenanceReport, ARefusalHasItsReasonAndAnythingElseIsAnError) {
    EXPECT_EQ(provenance_report(R"({"question": "--tile X", "error": "no X"})").problem, "no X");
    EXPECT_THROW(provenance_report("half a li"), Error);
    EXPECT_THROW(provenance_report(R"({"question": "--tile O", "block": 2})"), Error);
}

}  // namespace
}  // namespace wl::app
