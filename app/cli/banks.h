// The report of `warplens banks` as text and as JSON.
#pragma once

#include "app/cli/print.h"
#include "instrumentation/diagnosis/banks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

std::string text_of(const diagnosis::BankReport& report, uint32_t site);  // the PTX instruction
std::string file_of(const diagnosis::BankReport& report, int source);
std::string array_name(const diagnosis::BankReport& report, int array);
std::vector<int> lanes_of(uint32_t mask);
// "pad each row by 4 elements: ...", "XOR swizzle: ...".
std::string remedy_words(const analysis::Remedy& remedy);

// "findings" when some request takes more wavefronts than it has phases.
std::string banks_verdict(const diagnosis::BankReport& report);
std::string banks_text(const diagnosis::BankReport& report, const Style& style);
std::string banks_json(const diagnosis::BankReport& report);

}  // namespace wl::app
