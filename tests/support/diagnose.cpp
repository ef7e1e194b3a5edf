// Through the command line; what the rules say, without the search.
#include "tests/support/diagnose.h"

#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <sstream>

namespace wl::test {

using nlohmann::json;

json diagnose(const std::string& kernel, const std::vector<std::string>& more) {
    std::vector<std::string> args{"diagnose", kernel, "--json", "--search", "0"};
    args.insert(args.end(), more.begin(), more.end());
    const Said said = warplens(args);
    EXPECT_LT(said.status, 2) << said.err;
    return said.out.empty() ? json() : json::parse(said.out);
}

std::string source_line(const json& where) {
    std::istringstream text(read_file(where.at("file").get<std::string>()));
    std::string out;
    for (int i = 0; i < where.at("line").get<int>(); ++i) std::getline(text, out);
    return out;
}

void expect_text(const json& finding, const char* key, const std::string& part) {
    EXPECT_NE(finding.at(key).get<std::string>().find(part), std::string::npos) << finding.dump(1);
}

}  // namespace wl::test
