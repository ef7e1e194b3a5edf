// The kernels of tests/kernels/hazards: their faults, where these are, and what warplens says of them.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace wl::test {

struct HazardCase {
    std::string kernel, fault;  // no fault: the clean twin
    std::string about;          // of the fault, or of the kernel
};
// By kernel, each clean first, then its faults in the order of the manifest.
std::vector<HazardCase> hazard_cases();

// Lines whose comment names the fault: "// first: raw", "// second: raw; first: war", "// here: exit".
std::set<int> marked_lines(const std::string& kernel, const std::string& fault);

// The answer of `warplens diagnose --json`; discarded when there was none.
nlohmann::json diagnosed(const std::string& kernel, const std::string& fault);

// The lines that a finding names.
std::set<int> lines_of(const nlohmann::json& finding);
// Does it name lines, and only marked ones?
bool is_at(const nlohmann::json& finding, const std::set<int>& marked);

}  // namespace wl::test
