// Every stored answer of a GPU beside the emulator's: bit for bit, or within the bounds of
// conformance/bounds.h. All elements of all cases, none sampled.
#include "instrumentation/base/text.h"
#include "tests/conformance/emulate.h"
#include "tests/conformance/proof.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using wl::conformance::Golden;
using wl::conformance::Grade;

const std::string kFolder = WL_SOURCE_DIR "/tests/golden/ptx/";

Golden golden_of(const wl::ptx::Family& family) {
    return wl::conformance::read_golden(kFolder + wl::conformance::slug(family.title) + ".golden");
}

// What is known about a form, and removed from `known` so that what is left names no form.
std::string taken(std::map<std::string, std::string>& known, const std::string& key) {
    const auto node = known.extract(key);
    return node.empty() ? "" : node.mapped();
}

class Conformance : public testing::TestWithParam<size_t> {};

TEST_P(Conformance, EveryFormAnswersAsTheGpuExceptWhereListed) {
    const wl::ptx::Family& family = wl::ptx::families()[GetParam()];
    auto known = wl::conformance::read_notes(kFolder + "not_yet.txt");
    for (const Grade& g : grade(family, golden_of(family))) {
        const std::string key = wl::conformance::key_of(*g.form), listed = taken(known, key),
                          found = shortfall(g);
        if (g.cases > 0)
            fmt::print("{}: {} cases, {} elements, {} mismatches\n", key, g.cases, g.elements, g.wrong);
        EXPECT_EQ(g.stale, 0u) << key << ": the GPU answered other kernels than are generated now";
        if (found == listed) continue;
        std::string cases;
        for (const std::string& line : g.lines) cases += "\n    " + line;
        ADD_FAILURE() << key
                      << "\n  tests/golden/ptx/not_yet.txt says: " << (listed.empty() ? "equal" : listed)
                      << "\n  it is now: " << (found.empty() ? "equal; delete the line" : found) << cases;
    }
}

std::string name_of_family(const testing::TestParamInfo<size_t>& family) {
    return wl::conformance::slug(wl::ptx::families()[family.param].title);
}

INSTANTIATE_TEST_SUITE_P(
    Gpu, Conformance, testing::Range<size_t>(0, wl::ptx::families().size()), name_of_family
);

TEST(ConformanceNotes, EveryFormHasAnAnswerOfAGpuOrAReasonWhyNot) {
    auto reasons = wl::conformance::read_notes(kFolder + "no_golden.txt");
    for (const wl::ptx::Family& family : wl::ptx::families())
        for (const Grade& g : grade(family, golden_of(family), false)) {
            const std::string key = wl::conformance::key_of(*g.form), reason = taken(reasons, key);
            EXPECT_NE(g.cases == 0, reason.empty())
                << key << (reason.empty() ? ": no answer and no reason" : ": answered; delete its reason");
        }
    for (const auto& [key, reason] : reasons) ADD_FAILURE() << "no form is called " << key;
}

TEST(ConformanceNotes, TheDocumentSaysWhatTheTableAndTheAnswersSay) {
    EXPECT_EQ(
        wl::read_text_file(WL_SOURCE_DIR "/docs/ptx.md"),
        wl::conformance::document(WL_SOURCE_DIR "/tests/golden/ptx")
    ) << "stale: build ptx_docs and write its output to docs/ptx.md";
}

// Every case that ptxas takes, with or without an answer: the emulator refuses none but those of rows that
// say so.
TEST(ConformanceNotes, WhatARowDoesNotExceptIsExecuted) {
    const auto known = wl::conformance::read_notes(kFolder + "not_yet.txt");
    for (const wl::ptx::Family& family : wl::ptx::families()) {
        const Golden golden = golden_of(family);
        for (const wl::ptx::Form& form : family.forms) {
            if (wl::conformance::is_refused(form) || known.count(wl::conformance::key_of(form))) continue;
            for (const wl::conformance::Case& c : wl::conformance::cases_of(form)) {
                if (golden.refused.count(c.name) != 0 || golden.answers.count(c.name) != 0) continue;
                const std::string refusal = wl::conformance::refusal_of(c);
                EXPECT_TRUE(refusal.empty()) << c.name << ": " << refusal;
            }
        }
    }
}

TEST(ConformanceNotes, EveryListedFormIsInTheTable) {
    auto known = wl::conformance::read_notes(kFolder + "not_yet.txt");
    for (const wl::ptx::Family& family : wl::ptx::families())
        for (const wl::ptx::Form& form : family.forms) taken(known, wl::conformance::key_of(form));
    for (const auto& [key, why] : known) ADD_FAILURE() << "no form is called " << key;
}

}  // namespace
