// What is said of kernels that were compared in part, with nothing, or by a limit that decides nothing. Each
// kernel of tests/kernels/verdicts is broken by a fault, and clean without it.
#include "instrumentation/capture/verdict.h"

#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace wl::test {
namespace {

using nlohmann::json;

std::string kernel(const std::string& name) {
    return source_path("tests/kernels/verdicts/" + name + ".toml");
}

struct Answer {
    int status = -1;
    json all;
    const json& output(size_t i = 0) const { return all.at("outputs").at(i); }
    std::string verdict() const { return all.at("verdict"); }
    std::string note() const { return output().value("note", ""); }
    std::string decided_by() const { return output().at("limit").at("decided_by"); }
};

Answer asked(const std::string& path, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"diagnose", path, "--json", "--search", "0"});
    const Said said = warplens(more);
    Answer out{said.status, json::parse(said.out, nullptr, false)};
    EXPECT_FALSE(out.all.is_discarded()) << said.out << said.err;
    return out;
}
Answer diagnosed(const std::string& name, const std::vector<std::string>& more = {}) {
    return asked(kernel(name), more);
}
std::string text_of(const std::string& name, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"diagnose", kernel(name), "--search", "0"});
    return warplens(more).out;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A kernel of that folder with another manifest.
struct Edited {
    TemporaryFolder folder;
    std::string manifest;
    Edited(const std::string& name, const std::vector<std::pair<std::string, std::string>>& changes) {
        for (const char* end : {".cu", ".py"})
            write_file(
                folder.path + "/" + name + end, read_file(source_path("tests/kernels/verdicts/" + name + end))
            );
        std::string text = read_file(kernel(name));
        for (const auto& [from, to] : changes) {
            const size_t at = text.find(from);
            EXPECT_NE(at, std::string::npos) << from;
            if (at != std::string::npos) text.replace(at, from.size(), to);
        }
        manifest = folder.path + "/" + name + ".toml";
        write_file(manifest, text);
    }
};

TEST(Verdict, AWorstCaseThatSaysNothingLeavesItToTheProbableLimit) {
    const Answer clean = diagnosed("sum");
    EXPECT_EQ(clean.status, 0);
    EXPECT_EQ(clean.decided_by(), "probable");
    const json limit = clean.output().at("limit");
    EXPECT_GT(limit.at("worst_case").get<double>(), 0.1 * limit.at("typical").get<double>());
    EXPECT_LT(clean.output().at("bound").get<double>(), 0.01 * limit.at("typical").get<double>());
    EXPECT_EQ(limit.at("failure"), 1e-6);
    const Answer zero = diagnosed("sum", {"--fault", "zero"});
    EXPECT_EQ(zero.status, 1) << "0.0 for two million is inside no limit that decides";
    EXPECT_TRUE(has(zero.all.at("findings").at(0).at("explanation"), "probable limit decided"));
    EXPECT_TRUE(has(text_of("sum"), "probable, 0.092 % of the typical 2e+06"));
    EXPECT_EQ(diagnosed("sum", {"--preset", "few"}).decided_by(), "worst case");
}

TEST(Verdict, ABoundThatIsVacuousIsNoVerdict) {
    for (const std::vector<std::string>& fault : std::vector<std::vector<std::string>>{
             {      },
             { "--fault", "zero"}
    }) {
        std::vector<std::string> options{"--preset", "cancelling"};
        options.insert(options.end(), fault.begin(), fault.end());
        const Answer said = diagnosed("sum", options);
        EXPECT_EQ(said.status, 3);
        EXPECT_EQ(said.verdict(), "incomplete");
        EXPECT_EQ(said.output().at("verdict"), "undecided");
        EXPECT_TRUE(said.output().at("ok").is_null());
        EXPECT_TRUE(has(said.note(), "the bound is vacuous: by the probable limit up to 1.84e+03 is allowed"))
            << said.note();
    }
    const Said accepted = warplens({"accept", kernel("sum"), "--presets", "cancelling", "--fault", "zero"});
    EXPECT_EQ(accepted.status, 1);
    EXPECT_TRUE(has(accepted.out, "y is not decided: the bound is vacuous")) << accepted.out;
    const Edited own(
        "sum",
        {
            {"terms = \"N\"", "terms = \"N\"\ntolerance = 1"}
    }
    );
    EXPECT_EQ(asked(own.manifest, {"--preset", "cancelling"}).status, 0) << "a limit of one's own decides";
    EXPECT_EQ(asked(own.manifest, {"--preset", "cancelling", "--fault", "zero"}).status, 1);
}

TEST(Verdict, OneLargeElementWidensNoOthersEstimate) {
    EXPECT_EQ(diagnosed("outlier").status, 0);
    const Answer off = diagnosed("outlier", {"--fault", "off"});
    EXPECT_EQ(off.status, 1);
    const json finding = off.all.at("findings").at(0);
    EXPECT_TRUE(has(finding.at("title"), "63 of 64 elements")) << finding;
    EXPECT_TRUE(has(finding.at("explanation"), "returns no y.scale")) << finding;
}

TEST(Verdict, AnEstimateThatMayBeTooTightAccusesNobody) {
    const Answer right = diagnosed("decode");
    EXPECT_EQ(right.status, 3);
    EXPECT_TRUE(right.all.at("findings").empty());
    EXPECT_TRUE(has(right.note(), "may be too tight")) << right.note();
    EXPECT_TRUE(has(right.note(), "let the reference return o.scale")) << right.note();
    EXPECT_EQ(diagnosed("decode", {"--fault", "half"}).status, 1) << "no rounding goes so far";
    const Edited terms(
        "decode",
        {
            {"[fault.half]", "[output.o]\nterms = \"S\"\n\n[fault.half]"}
    }
    );
    EXPECT_EQ(asked(terms.manifest).status, 0);
    EXPECT_EQ(asked(terms.manifest, {"--fault", "half"}).status, 1);
    const Edited rtol(
        "decode",
        {
            {"[fault.half]", "[output.o]\nrtol = 1e-5\ntolerance = 1e-8\n\n[fault.half]"}
    }
    );
    EXPECT_EQ(asked(rtol.manifest).decided_by(), "tolerance");
    EXPECT_EQ(asked(rtol.manifest).status, 0);
    EXPECT_EQ(asked(rtol.manifest, {"--fault", "half"}).status, 1);
}

TEST(Verdict, AReferenceOfAnotherShapeIsAnErrorWithBothShapes) {
    for (const auto& [preset, shape] : {
             std::pair{"one_row", "(1, 100)"},
             {"flat",    "(7700,)" }
    }) {
        const Answer said = diagnosed("rows", {"--preset", preset, "--fault", "first"});
        EXPECT_EQ(said.status, 2) << preset;
        EXPECT_EQ(said.verdict(), "error");
        EXPECT_TRUE(has(said.note(), shape)) << said.note();
        EXPECT_TRUE(has(said.note(), "(77, 100)")) << said.note();
    }
    const Answer scale = diagnosed("rows", {"--preset", "scale_of_one_row"});
    EXPECT_EQ(scale.status, 2);
    EXPECT_TRUE(has(scale.note(), "y.scale of the reference has the shape (1, 100)")) << scale.note();
    EXPECT_EQ(diagnosed("rows").status, 0);
    EXPECT_EQ(diagnosed("rows", {"--fault", "first"}).status, 1);
}

TEST(Verdict, WhereTheReferenceIsNanNothingIsComparedAndThatIsCounted) {
    const Answer part = diagnosed("rows", {"--preset", "first_row_known", "--fault", "first"});
    EXPECT_EQ(part.status, 3);
    EXPECT_EQ(part.output().at("compared"), 100);
    EXPECT_EQ(part.output().at("elements"), 7700);
    EXPECT_EQ(part.output().at("unknown"), 7600);
    EXPECT_TRUE(
        has(text_of("rows", {"--preset", "first_row_known"}), "output y: ok; 100 of 7700 elements compared")
    );
    const Answer none = diagnosed("rows", {"--preset", "nothing_known"});
    EXPECT_EQ(none.status, 3);
    EXPECT_EQ(none.output().at("compared"), 0);
    const Edited meant(
        "rows",
        {
            {"terms = 1", "terms = 1\npartial = true"}
    }
    );
    EXPECT_EQ(asked(meant.manifest, {"--preset", "first_row_known"}).status, 0);
    EXPECT_EQ(asked(meant.manifest, {"--preset", "nothing_known"}).status, 3)
        << "of nothing there is no part";
}

TEST(Verdict, AnOutputThatTheReferenceLacksIsIncomplete) {
    for (const auto& [preset, there] : {
             std::pair{"misspelt", "it has Y"   },
             {"empty",    "it has none"}
    }) {
        const Answer said = diagnosed("rows", {"--preset", preset});
        EXPECT_EQ(said.status, 3);
        EXPECT_EQ(said.verdict(), "incomplete");
        EXPECT_TRUE(has(said.note(), "no tensor named y")) << said.note();
        EXPECT_TRUE(has(said.note(), there)) << said.note();
        EXPECT_TRUE(
            has(text_of("rows", {"--preset", preset}), "incomplete: no findings, but y is not compared")
        );
    }
    const Edited waived(
        "rows",
        {
            {"terms = 1", "compare = false"}
    }
    );
    EXPECT_EQ(asked(waived.manifest, {"--preset", "empty"}).status, 0);
    EXPECT_TRUE(has(asked(waived.manifest).note(), "compare = false"));
}

TEST(Verdict, OutputsInStructsAreComparedToo) {
    const Answer clean = diagnosed("packed");
    EXPECT_EQ(clean.status, 0);
    EXPECT_EQ(clean.output().at("name"), "p.y");
    EXPECT_EQ(clean.output().at("compared"), 64);
    EXPECT_EQ(diagnosed("packed", {"--fault", "off"}).status, 1);
    const Edited ruled(
        "packed",
        {
            {"[fault.off]", "[output.\"p.y\"]\ntolerance = 2\n\n[fault.off]"}
    }
    );
    EXPECT_EQ(asked(ruled.manifest).decided_by(), "tolerance");
}

TEST(Verdict, WhatNobodyWroteIsFoundWithoutAReference) {
    EXPECT_EQ(diagnosed("unwritten").verdict(), "incomplete")
        << "there is no reference, and nothing is wrong";
    const Answer nothing = diagnosed("unwritten", {"--fault", "nothing"});
    EXPECT_EQ(nothing.status, 1);
    EXPECT_EQ(nothing.all.at("findings").at(0).at("rule"), "never_written");
    EXPECT_TRUE(has(nothing.all.at("findings").at(0).at("title"), "256 of 256 elements of y"));
    EXPECT_TRUE(has(nothing.all.at("findings").at(0).at("explanation"), "block (0,0,0), warp 0, lane 0"));

    const json hole = diagnosed("unwritten", {"--fault", "hole"}).all.at("findings").at(0);
    EXPECT_TRUE(has(hole.at("title"), "are never written: elements 96 to 127")) << hole;
    EXPECT_EQ(hole.at("where").at("block"), json::array({1, 0, 0}));
    EXPECT_EQ(hole.at("where").at("warp"), 1);
    EXPECT_EQ(hole.at("where").at("lanes"), "0");
    EXPECT_EQ(hole.at("where").at("element"), json::array({0, 96}));

    const json tail = diagnosed("unwritten", {"--preset", "tail"}).all.at("findings").at(0);
    EXPECT_TRUE(has(tail.at("explanation"), "block number 4, warp 0, lane 0")) << tail;
    EXPECT_TRUE(has(tail.at("explanation"), "the launch has 4 blocks, 0 to 3: the grid is too small"))
        << tail;
}

TEST(Verdict, WhatNeedNotBeWrittenIsCountedOnly) {
    const Edited waived(
        "unwritten",
        {
            {"[fault.nothing]", "[output.y]\ncompare = false\n\n[fault.nothing]"}
    }
    );
    const Answer said = asked(waived.manifest, {"--fault", "nothing"});
    EXPECT_EQ(said.status, 0);
    EXPECT_EQ(said.output().at("unwritten"), 256);
    const Edited filled(
        "unwritten",
        {
            {"output = true", "fill = \"zeros\", output = true"}
    }
    );
    EXPECT_EQ(asked(filled.manifest, {"--fault", "nothing"}).output().at("unwritten"), 0);
}

TEST(Verdict, IntegersAreRightInEveryBitOrWrong) {
    EXPECT_EQ(diagnosed("whole").status, 0);
    EXPECT_EQ(diagnosed("whole").decided_by(), "exact");
    const Answer hundred = diagnosed("whole", {"--fault", "hundred"});
    EXPECT_EQ(hundred.status, 1);
    EXPECT_EQ(hundred.output(0).at("ok"), false);
    EXPECT_EQ(hundred.output(1).at("ok"), true);
    const Answer low = diagnosed("whole", {"--fault", "low"});
    EXPECT_EQ(low.status, 1) << "at 10^18 the last bit is beyond a double";
    EXPECT_EQ(low.output(1).at("ok"), false);
    EXPECT_EQ(low.output(1).at("max_abs_difference"), 1);
    const Edited allowed(
        "whole",
        {
            {"[fault.hundred]", "[output.c]\ntolerance = 200\n\n[fault.hundred]"}
    }
    );
    EXPECT_EQ(asked(allowed.manifest, {"--fault", "hundred"}).status, 0);
}

TEST(Verdict, ATolerancePassesForWhatItIs) {
    for (const auto& [text, why] : {
             std::pair{"tolerance = inf",  "tolerance is inf"              },
             {"tolerance = nan",  "tolerance is"                  },
             {"tolerance = -1.0", "tolerance is -1"               },
             {"rtol = 1.0",       "below 1: from 1 on zero passes"},
             {"rtol = inf",       "below 1"                       }
    }) {
        const Edited said(
            "rows",
            {
                {"terms = 1", text}
        }
        );
        const Answer refused = asked(said.manifest);
        EXPECT_EQ(refused.status, 2) << text;
        EXPECT_TRUE(has(refused.all.at("error"), why)) << refused.all;
        EXPECT_TRUE(has(refused.all.at("error"), "rows.toml:")) << refused.all;
    }
    const Edited huge(
        "rows",
        {
            {"terms = 1", "tolerance = 1e30"}
    }
    );
    const Answer vacuous = asked(huge.manifest, {"--fault", "first"});
    EXPECT_EQ(vacuous.status, 3);
    EXPECT_TRUE(has(vacuous.note(), "by the tolerance limit up to 1e+30 is allowed")) << vacuous.note();
}

TEST(Verdict, NoLineContradictsTheStatus) {
    const Said broken = warplens({"diagnose", kernel("rows"), "--preset", "broken"});
    EXPECT_EQ(broken.status, 2);
    EXPECT_FALSE(has(broken.out, "ok: no findings")) << broken.out;
    EXPECT_TRUE(has(broken.out, "error: no reference: ")) << broken.out;
    EXPECT_EQ(diagnosed("rows", {"--preset", "broken"}).verdict(), "error");
}

TEST(Verdict, SeedsAndPresetsAreRunAndNamed) {
    EXPECT_EQ(diagnosed("ragged", {"--fault", "tail"}).status, 0) << "the shape as it stands shows nothing";
    const Answer found = diagnosed("ragged", {"--fault", "tail", "--seeds", "2", "--presets", "all"});
    EXPECT_EQ(found.status, 1);
    ASSERT_EQ(found.all.at("runs").size(), 6U);
    EXPECT_EQ(found.all.at("runs").at(4).at("preset"), "ragged");
    EXPECT_EQ(found.all.at("runs").at(4).at("verdict"), "findings");
    EXPECT_EQ(found.all.at("runs").at(1).at("shape"), "seed 1, N=96");
    EXPECT_EQ(found.all.at("runs").at(1).at("verdict"), "ok");
    EXPECT_EQ(found.all.at("params").at("N"), 100) << "in full stands the first of the worst";
    const Answer clean = diagnosed("ragged", {"--seeds", "2", "--presets", "all"});
    EXPECT_EQ(clean.status, 0);
    EXPECT_EQ(clean.verdict(), "ok");
    EXPECT_TRUE(has(text_of("ragged", {"--seeds", "3"}), "ok: 3 of 3 runs"));
    const Answer typo = diagnosed("ragged", {"--presets", "raged"});
    EXPECT_EQ(typo.status, 2);
    EXPECT_TRUE(has(typo.all.at("error"), "did you mean ragged?")) << typo.all;
    EXPECT_TRUE(has(text_of("ragged"), "ok: no findings; y: 96 of 96 elements compared; seed 0, N=96"));
}

TEST(Verdict, HazardsSaysNothingAboutValues) {
    const Said said =
        warplens({"hazards", kernel("ragged"), "--preset", "ragged", "--fault", "tail", "--json"});
    EXPECT_EQ(said.status, 0);
    const json output = json::parse(said.out).at("outputs").at(0);
    EXPECT_EQ(output.at("verdict"), "not compared");
    EXPECT_EQ(output.at("wanted"), false);
}

TEST(Verdict, TheTableOfStatusesIsTheOneInTheManual) {
    const std::string page = read_file(source_path("docs/cli.md"));
    for (const capture::VerdictWord& word : capture::kVerdictWords) {
        const std::string row = "| `" + std::string(word.name) + "` | " + std::to_string(word.status) +
            " | " + std::string(word.meaning) + " |";
        EXPECT_TRUE(has(page, row)) << row;
    }
}

TEST(Verdict, JsonComesForErrorsToo) {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"diagnose", "none.toml", "--json"},
             { "run",      "v2c_3",      "--json",      "--sed", "1"},
             { "diagnose", "v2c_3",       "--json",    "--on", "gpu"}
    }) {
        const Said said = warplens(words);
        const json answer = json::parse(said.out, nullptr, false);
        ASSERT_FALSE(answer.is_discarded()) << said.out;
        EXPECT_EQ(answer.at("verdict"), said.status == 3 ? "unsupported" : "error");
        EXPECT_FALSE(said.err.empty());
    }
}

// The least, the largest and the difference are of finite elements: where there are none, that is said.
TEST(Verdict, AnOutputThatIsAllNaNHasNoRangeAndNoDifference) {
    const TemporaryFolder folder;
    const std::string path = folder.path + "/root.toml";
    write_file(
        folder.path + "/root.cu", "__global__ void root(float* y) { y[threadIdx.x] = sqrtf(-1.0f); }\n"
    );
    write_file(
        path,
        "source = \"root.cu\"\nargs = [{ name = \"y\", dtype = \"f32\", shape = [64], output = true }]\n"
        "[launch]\ngrid = [1]\nblock = [64]\n[reference]\npython = \"root.py\"\n[output.y]\nterms = 1\n"
    );
    write_file(
        folder.path + "/root.py",
        "import numpy as np\n\ndef reference(inputs, params):\n    return {'y': np.ones(64)}\n"
    );
    const Answer answer = asked(path);
    for (const char* key : {"max_abs_difference", "range"})
        EXPECT_TRUE(answer.output().at(key).is_null()) << key;
    const std::string text = warplens({"run", path, "-o", folder.path + "/root.wlcap", "--search", "0"}).out;
    EXPECT_TRUE(has(text, "Every element of y is NaN; the reference lies in [1, 1].")) << text;
    EXPECT_TRUE(has(text, "64 of 64 elements compared; all NaN, reference in [1, 1]; allowed ")) << text;
    EXPECT_TRUE(has(text, "not finite        -  wrong")) << text;
}

}  // namespace
}  // namespace wl::test
