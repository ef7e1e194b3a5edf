// What `warplens diagnose` says of a kernel of the story, and the lines that it names.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wl::test {

// The answer of `warplens diagnose KERNEL --json MORE`; fails the test when it ends in an error.
nlohmann::json diagnose(const std::string& kernel, const std::vector<std::string>& more);

// The text of the line that a place names.
std::string source_line(const nlohmann::json& where);

// Fails the test unless the finding's text has that part.
void expect_text(const nlohmann::json& finding, const char* key, const std::string& part);

}  // namespace wl::test
