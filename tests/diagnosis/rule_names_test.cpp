// The table of rules is complete, and docs/cli.md lists what it says.
#include "instrumentation/diagnosis/rules/names.h"
#include "instrumentation/diagnosis/rules/rules.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

namespace wl::diagnosis {
namespace {

std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::set<std::string> names() {
    std::set<std::string> all;
    for (const RuleName& rule : rule_names()) EXPECT_TRUE(all.insert(rule.name).second) << rule.name;
    return all;
}

// String literals of the statements that give a finding its rule.
std::set<std::string> given() {
    std::set<std::string> all;
    const std::regex statement(R"(\.rule = ([^;]*?)[,;])"), literal(R"re("(\w+)")re");
    using std::filesystem::recursive_directory_iterator;
    std::vector<std::string> files;
    for (const char* folder : {"diagnosis", "runtime"})
        for (const auto& file :
             recursive_directory_iterator(std::string(WL_SOURCE_DIR "/instrumentation/") + folder))
            if (file.path().extension() == ".cpp") files.push_back(file.path());
    for (const std::string& file : files) {
        const std::string text = read(file);
        for (std::sregex_iterator s(text.begin(), text.end(), statement), end; s != end; ++s) {
            const std::string value = (*s)[1];
            for (std::sregex_iterator l(value.begin(), value.end(), literal); l != end; ++l)
                all.insert((*l)[1]);
        }
    }
    for (int kind = 0; kind < 64; ++kind)
        if (const char* name = fault_name(static_cast<execution::Incident::Kind>(kind))) all.insert(name);
    return all;
}

TEST(RuleNames, AreThoseThatFindingsHave) {
    const std::set<std::string> known = names(), found = given();
    EXPECT_GT(found.size(), 12u);
    for (const std::string& name : found) EXPECT_TRUE(known.contains(name)) << name << " is not in the table";
    // Of races and of the search's changes rules are named where they are told apart.
    std::string elsewhere = read(WL_SOURCE_DIR "/instrumentation/diagnosis/prove/ordering.cpp");
    for (const char* file : {"values", "operands", "operations"})
        elsewhere += read(std::string(WL_SOURCE_DIR "/instrumentation/diagnosis/search/") + file + ".cpp");
    for (const char* file : {"signs", "numbers", "names", "terms", "conditions", "moves"})
        elsewhere += read(std::string(WL_SOURCE_DIR "/instrumentation/diagnosis/rewrite/") + file + ".cpp");
    elsewhere += read(WL_SOURCE_DIR "/instrumentation/diagnosis/search/idea.cpp");
    for (const std::string& name : known)
        EXPECT_TRUE(found.contains(name) || elsewhere.find('"' + name + '"') != std::string::npos) << name;
}

TEST(RuleNames, StandInTheManualWithWhatTheySay) {
    const std::string page = read(WL_SOURCE_DIR "/docs/cli.md");
    std::string table = "| rule | what it says |\n| --- | --- |\n";
    for (const RuleName& rule : rule_names())
        table += std::string("| `") + rule.name + "` | " + rule.says + " |\n";
    const size_t at = page.find("| rule | what it says |\n");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(page.substr(at, page.find("\n\n", at) + 1 - at), table) << "put this into docs/cli.md";
}

}  // namespace
}  // namespace wl::diagnosis
