// Reading the kernels with hazards, and asking warplens about them.
#include "tests/support/hazards.h"

#include "tests/support/program.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

namespace wl::test {

namespace {

const std::string kFolder = "tests/kernels/hazards/";

}  // namespace

std::vector<HazardCase> hazard_cases() {
    std::vector<std::string> kernels;
    for (const auto& entry : std::filesystem::directory_iterator(source_path(kFolder)))
        if (entry.path().extension() == ".toml") kernels.push_back(entry.path().stem().string());
    std::sort(kernels.begin(), kernels.end());
    std::vector<HazardCase> cases;
    for (const std::string& kernel : kernels) {
        std::istringstream manifest(read_file(source_path(kFolder + kernel + ".toml")));
        HazardCase next{kernel, "", ""};
        std::smatch found;
        for (std::string line; std::getline(manifest, line);) {
            if (std::regex_search(line, found, std::regex(R"(^\[fault\.(\w+)\])"))) next.fault = found[1];
            if (!std::regex_search(line, found, std::regex("^(title|about) = \"(.*)\""))) continue;
            next.about = found[2];
            cases.push_back(next);
        }
    }
    return cases;
}

std::set<int> marked_lines(const std::string& kernel, const std::string& fault) {
    std::istringstream source(read_file(source_path(kFolder + kernel + ".cu")));
    std::set<int> lines;
    std::string line;
    const std::regex mark(R"((first|second|here): )" + fault + R"(\b)");
    for (int number = 1; std::getline(source, line); ++number) {
        const size_t comment = line.find("//");
        if (comment != std::string::npos && std::regex_search(line.substr(comment), mark))
            lines.insert(number);
    }
    return lines;
}

nlohmann::json diagnosed(const std::string& kernel, const std::string& fault) {
    std::vector<std::string> args = {
        "diagnose", source_path(kFolder + kernel + ".toml"), "--json", "--search", "0"};
    if (!fault.empty()) args.insert(args.end(), {"--fault", fault});
    return nlohmann::json::parse(warplens(args).out, nullptr, false);
}

std::set<int> lines_of(const nlohmann::json& finding) {
    std::set<int> lines;
    for (const char* place : {"where", "other"})
        if (finding.contains(place) && finding.at(place).value("line", 0) != 0)
            lines.insert(finding.at(place).at("line").get<int>());
    return lines;
}

bool is_at(const nlohmann::json& finding, const std::set<int>& marked) {
    const std::set<int> lines = lines_of(finding);
    return !lines.empty() && std::includes(marked.begin(), marked.end(), lines.begin(), lines.end());
}

}  // namespace wl::test
