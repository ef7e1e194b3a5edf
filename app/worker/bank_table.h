// Bank conflicts as the window shows them: what `warplens banks --json` answered.
#pragma once

#include "instrumentation/base/banks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

// One line of the source and one array of shared memory.
struct BankLine {
    std::string file, instruction, array;
    int line = 0;
    std::vector<int> inlined_at;  // lines of the calls, innermost first
    uint64_t requests = 0, wavefronts = 0, ideal = 0;
    int degree = 0;
    int64_t block = 0;  // linear, of the most expensive request
    int warp = 0;
    LaneAccesses request;
};

struct BankRemedy {
    std::string array, words;
    uint64_t before = 0, after = 0;  // wavefronts of the instructions that touch the array
    bool same_results = false;
};

struct BankTable {
    uint64_t wavefronts = 0, ideal = 0;
    std::vector<BankLine> lines;  // worst first
    std::vector<BankRemedy> remedies;
};

// Throws Error when the text is not such an answer.
BankTable bank_table(const std::string& json);

// A word of a request in its bank: what a square of the picture stands for.
struct BankWord {
    int phase = 0, bank = 0;
    int level = 0;  // how many other words of that phase lie in that bank before it
    int lane = 0;   // the first that asks for it
};
std::vector<BankWord> words_by_bank(const LaneAccesses& request);

}  // namespace wl::app
