// The answer as machines of others read it: SARIF 2.1.0, JUnit's XML, GitHub's annotations. And an answer
// that cannot be written is an error.
#include "tests/support/program.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <sys/wait.h>

namespace wl::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Said told(const std::string& format, Words words) {
    words.insert(words.end(), {"--format", format, "--quiet"});
    return warplens(words);
}

const Words kSmall = {"--shape", "1,1,64,64"};
Words small(Words words) {
    words.insert(words.end(), kSmall.begin(), kSmall.end());
    return words;
}
Words broken(const std::string& verb) { return small({verb, "v2c_3", "--fault", "32x"}); }

// What the standard requires (SARIF 2.1.0, 3.13 to 3.58), of what we write.
void expect_sarif(const json& log) {
    EXPECT_EQ(log.at("version"), "2.1.0");
    EXPECT_TRUE(log.at("$schema").get<std::string>().ends_with("sarif-schema-2.1.0.json"));
    ASSERT_TRUE(log.at("runs").is_array());
    for (const json& run : log.at("runs")) {
        const json& driver = run.at("tool").at("driver");
        EXPECT_EQ(driver.at("name"), "WarpLens");
        for (const json& rule : driver.at("rules")) {
            EXPECT_FALSE(rule.at("id").get<std::string>().empty());
            EXPECT_FALSE(rule.at("shortDescription").at("text").get<std::string>().empty());
        }
        for (const json& i : run.at("invocations")) EXPECT_TRUE(i.at("executionSuccessful").is_boolean());
        for (const json& result : run.at("results")) {
            EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
            const std::array<std::string, 4> levels{"none", "note", "warning", "error"};
            EXPECT_NE(
                std::find(levels.begin(), levels.end(), result.at("level").get<std::string>()), levels.end()
            );
            const auto index = result.at("ruleIndex").get<size_t>();
            ASSERT_LT(index, driver.at("rules").size());
            EXPECT_EQ(driver.at("rules").at(index).at("id"), result.at("ruleId"));
            for (const char* list : {"locations", "relatedLocations"}) {
                if (!result.contains(list)) continue;
                for (const json& location : result.at(list)) {
                    const json& place = location.at("physicalLocation");
                    EXPECT_GE(place.at("region").at("startLine").get<int>(), 1);
                    const auto uri = place.at("artifactLocation").at("uri").get<std::string>();
                    EXPECT_TRUE(std::regex_match(uri, std::regex("(file:///)?[A-Za-z0-9._~/%-]+"))) << uri;
                }
            }
        }
    }
}

json sarif(const Words& words, int status) {
    const Said said = told("sarif", words);
    EXPECT_EQ(said.status, status) << said.err;
    const json log = json::parse(said.out, nullptr, false);
    EXPECT_FALSE(log.is_discarded()) << said.out;
    expect_sarif(log);
    return log;
}

TEST(Formats, SarifHasEachFindingAtItsLine) {
    for (const char* verb : {"diagnose", "run", "hazards"}) {
        const json all =
            sarif(broken(verb), verb == std::string("hazards") ? 0 : 1).at("runs").at(0).at("results");
        if (verb == std::string("hazards")) {
            EXPECT_TRUE(all.empty()) << "the values alone are wrong";
            continue;
        }
        EXPECT_EQ(all.at(0).at("ruleId"), "constant_factor");
        EXPECT_EQ(all.at(0).at("level"), "error");
        EXPECT_EQ(all.at(1).at("level"), "note") << "a consequence";
        const json& place = all.at(0).at("locations").at(0).at("physicalLocation");
        const std::string line = source_place("kernels/v2c_3.cu", "l_add = warp_reduce_sum(l_add)");
        EXPECT_EQ(
            place.at("artifactLocation").at("uri").get<std::string>() + ":" +
                std::to_string(place.at("region").at("startLine").get<int>()),
            "file://" + line
        );
    }
    EXPECT_TRUE(sarif(small({"diagnose", "v2c_3"}), 0).at("runs").at(0).at("results").empty());
}

// The change that was proven, as an editor applies it: the source with it is right.
TEST(Formats, SarifHasTheChangeThatMendsAsAFix) {
    const std::string toml = source_path("tests/kernels/search/centre.toml");
    const json log = sarif({"diagnose", toml, "--fault", "sign", "--search", "300"}, 1);
    const json& results = log.at("runs").at(0).at("results");
    const json& fixes = results.at(0).at("fixes");
    ASSERT_EQ(fixes.size(), 1U);
    EXPECT_EQ(fixes.at(0).at("description").at("text"), "`+` should be `-`");
    const json& change = fixes.at(0).at("artifactChanges").at(0);
    const auto uri = change.at("artifactLocation").at("uri").get<std::string>();
    EXPECT_TRUE(uri.ends_with("tests/kernels/search/centre.cu")) << uri;
    const json& replaced = change.at("replacements").at(0);
    const json& region = replaced.at("deletedRegion");
    const std::string place = source_place("tests/kernels/search/centre.cu", "+ mean) * scale;");
    const int line = std::stoi(place.substr(place.rfind(':') + 1));
    EXPECT_EQ(region.at("startLine"), line);
    EXPECT_EQ(region.at("endLine"), line + 1);
    EXPECT_EQ(region.at("startColumn"), 1);
    EXPECT_EQ(region.at("endColumn"), 1);
    const auto text = replaced.at("insertedContent").at("text").get<std::string>();
    EXPECT_TRUE(text.find("- mean) * scale;\n") != text.npos && text.ends_with(";\n")) << text;
    for (size_t k = 1; k < results.size(); ++k) EXPECT_FALSE(results.at(k).contains("fixes"));
}

TEST(Formats, SarifOfCheckAcceptAndOfWhatCannotBeRun) {
    const json check = sarif({"check", source_path("tests/kernels/unsupported.cu")}, 3).at("runs").at(0);
    EXPECT_EQ(check.at("results").at(0).at("ruleId"), "unsupported");
    EXPECT_EQ(
        check.at("results").at(0).at("locations").at(0).at("physicalLocation").at("region").at("startLine"), 5
    );
    const json accept = sarif(
        {"accept", source_path("tests/kernels/gemm.toml"), "--fault", "last", "--presets", "ragged"}, 1
    );
    EXPECT_GE(accept.at("runs").at(0).at("results").size(), 2U);
    const json error = sarif({"diagnose", "none.toml"}, 2).at("runs").at(0);
    EXPECT_EQ(error.at("results").at(0).at("ruleId"), "error");
    EXPECT_FALSE(error.at("invocations").at(0).at("executionSuccessful"));
    EXPECT_TRUE(sarif({"diagnose", source_path("tests/kernels/gemm.toml"), "--sead"}, 2).contains("runs"));
}

// Well-formed as far as our own writer can get it wrong: every element that opens closes, and nothing is
// unescaped.
void expect_xml(const std::string& text) {
    EXPECT_EQ(text.rfind("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", 0), 0U);
    std::vector<std::string> open;
    const std::regex tag(R"re(<(/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(/?)>)re");
    std::string rest = text.substr(text.find('\n') + 1);
    std::string between;
    for (std::smatch found; std::regex_search(rest, found, tag); rest = found.suffix()) {
        between += found.prefix();
        if (found[1].length() > 0) {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ(open.back(), found[2]);
            open.pop_back();
        } else if (found[4].length() == 0) {
            open.push_back(found[2]);
        }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ((between + rest).find('<'), std::string::npos) << between;
    EXPECT_FALSE(std::regex_search(between, std::regex("&(?!amp;|lt;|gt;|quot;|#)"))) << between;
}

TEST(Formats, JUnitFailsTheCaseOfARun) {
    const Said bad = told("junit", broken("diagnose"));
    EXPECT_EQ(bad.status, 1);
    expect_xml(bad.out);
    EXPECT_NE(bad.out.find("tests=\"1\" failures=\"1\" errors=\"0\""), std::string::npos) << bad.out;
    EXPECT_NE(bad.out.find("<failure type=\"constant_factor\" message=\""), std::string::npos);
    EXPECT_NE(bad.out.find("name=\"v2c_3+32x\""), std::string::npos);
    const Said good = told("junit", small({"diagnose", "v2c_3"}));
    expect_xml(good.out);
    EXPECT_NE(good.out.find("failures=\"0\" errors=\"0\""), std::string::npos) << good.out;
    EXPECT_EQ(good.out.find("<failure"), std::string::npos);
    const Said none = told("junit", {"diagnose", "none.toml"});
    expect_xml(none.out);
    EXPECT_NE(none.out.find("<error type=\"error\""), std::string::npos) << none.out;
}

TEST(Formats, JUnitHasACaseForEachOfSeveralRuns) {
    const std::string ragged = source_path("tests/kernels/verdicts/ragged.toml");
    const Said said =
        told("junit", {"diagnose", ragged, "--fault", "tail", "--seeds", "2", "--presets", "all"});
    EXPECT_EQ(said.status, 1);
    expect_xml(said.out);
    EXPECT_NE(said.out.find("tests=\"6\" failures=\"2\" errors=\"0\""), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("name=\"ragged+tail seed 1, N=96\""), std::string::npos) << said.out;
    const std::string rows = source_path("tests/kernels/verdicts/rows.toml");
    const Said part = told("junit", {"diagnose", rows, "--preset", "first_row_known"});
    EXPECT_EQ(part.status, 3);
    EXPECT_NE(part.out.find("<error type=\"incomplete\""), std::string::npos) << part.out;
}

TEST(Formats, GitHubAnnotatesTheLine) {
    const Said bad = told("github", broken("diagnose"));
    EXPECT_EQ(bad.status, 1);
    const std::string place = source_place("kernels/v2c_3.cu", "l_add = warp_reduce_sum(l_add)");
    const size_t colon = place.rfind(':');
    EXPECT_EQ(
        bad.out.rfind(
            "::error file=" + place.substr(0, colon) + ",line=" + place.substr(colon + 1) +
                ",title=constant_factor::l is 32x",
            0
        ),
        0U
    ) << bad.out;
    EXPECT_NE(bad.out.find("\n::notice "), std::string::npos) << "a consequence";
    EXPECT_NE(bad.out.find("32x: findings"), std::string::npos);
    EXPECT_EQ(told("github", small({"diagnose", "v2c_3"})).out.find("::"), std::string::npos);
    const Said none = told("github", {"diagnose", "none.toml"});
    EXPECT_EQ(none.out.rfind("::error title=error::there is no manifest", 0), 0U) << none.out;
    const std::string rows = source_path("tests/kernels/verdicts/rows.toml");
    EXPECT_EQ(
        told("github", {"diagnose", rows, "--preset", "first_row_known"})
            .out.rfind("::warning title=incomplete::", 0),
        0U
    );
}

// A folder and a source whose characters mean something to each format.
TEST(Formats, WhatMeansSomethingToAFormatIsEscaped) {
    const TemporaryFolder folder;
    const std::string odd = folder.path + "/a, b:c%d";
    std::filesystem::create_directory(odd);
    for (const char* end : {".cu", ".toml", ".py"})
        write_file(
            odd + "/softmax" + end, read_file(source_path(std::string("tests/kernels/places/softmax") + end))
        );
    const Words words{"diagnose", odd + "/softmax.toml", "--fault", "bad", "--search", "0"};
    const Said github = told("github", words);
    EXPECT_EQ(github.status, 1) << github.err;
    EXPECT_NE(github.out.find("/a%2C b%3Ac%25d/softmax.cu,line="), std::string::npos) << github.out;
    EXPECT_NE(github.out.find("/a, b:c%25d/softmax.cu:"), std::string::npos)
        << "in the message: " << github.out;
    const Said junit = told("junit", words);
    expect_xml(junit.out);
    EXPECT_NE(junit.out.find("(c &lt; 512 ? s : 2 * s)"), std::string::npos) << junit.out;
    const json place =
        sarif(words, 1).at("runs").at(0).at("results").at(0).at("locations").at(0).at("physicalLocation");
    const auto uri = place.at("artifactLocation").at("uri").get<std::string>();
    EXPECT_TRUE(uri.ends_with("/a%2C%20b%3Ac%25d/softmax.cu")) << uri;
}

TEST(Formats, JsonIsOneOfThem) {
    const Words words = small({"diagnose", "v2c_3"});
    json a = json::parse(told("json", words).out);
    Words shorter = words;
    shorter.emplace_back("--json");
    json b = json::parse(warplens(shorter).out);
    for (json* j : {&a, &b}) j->erase("seconds");
    EXPECT_EQ(a, b);
    EXPECT_EQ(told("text", words).out, warplens(words).out);
}

TEST(Formats, OkIsShortAndVerboseSaysWhatItRestsOn) {
    const Words words = small({"diagnose", "v2c_3"});
    const std::string brief = warplens(words).out;
    EXPECT_LE(std::count(brief.begin(), brief.end(), '\n'), 4) << brief;
    EXPECT_NE(brief.find("ok: no findings; O: 4096 of 4096 elements compared; seed 0"), std::string::npos)
        << brief;
    Words more = words;
    more.emplace_back("-v");
    const std::string verbose = warplens(more).out;
    EXPECT_NE(verbose.find("output O: ok; 4096 of 4096 elements compared"), std::string::npos) << verbose;
    EXPECT_NE(verbose.find("covered: "), std::string::npos) << verbose;
    Words wrong = broken("diagnose");
    EXPECT_EQ(warplens(wrong).out.find("evidence: "), std::string::npos);
    wrong.emplace_back("--verbose");
    EXPECT_NE(warplens(wrong).out.find("evidence: "), std::string::npos);
}

// Of a shell's command, whose exit status is the program's.
int status_of(const std::string& redirected, const std::string& arguments) {
    const TemporaryFolder folder;
    const std::string command = "cd " + folder.path + " && " WL_PROGRAM " " + arguments + " " + redirected;
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Output, WhatCannotBeWrittenIsAnError) {
    for (const char* arguments :
         {"kernels",
          "kernels --json",
          "--version",
          "help",
          "manual",
          "completion bash",
          "diagnose none.toml --json",
          "check " WL_SOURCE_DIR "/tests/kernels/banks.cu"}) {
        EXPECT_EQ(status_of(">/dev/full 2>err", arguments), 2) << arguments;
        EXPECT_EQ(status_of(">&- 2>err", arguments), 2) << arguments;
    }
    EXPECT_EQ(status_of(">/dev/null 2>err", "kernels"), 0);
    EXPECT_EQ(
        status_of(">/dev/full 2>err; s=$?; grep -q 'No space left on device' err && exit $s", "kernels"), 2
    );
}

TEST(Output, AClosedDescriptorIsNotTakenForACapture) {
    const TemporaryFolder folder;
    const std::string file = folder.path + "/o.wlcap";
    EXPECT_EQ(status_of(">&- 2>err", "run v2c_3 --shape 1,1,64,64 -o " + file), 2);
    EXPECT_EQ(warplens({"tiles", file}).status, 0) << "the capture is whole";
}

}  // namespace
}  // namespace wl::test
