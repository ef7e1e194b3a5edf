// Many mutants of a kind, each in a child process that may crash, hang or flood: what became of them.
#pragma once

#include "fuzz/mutant.h"

#include <cstdint>
#include <string>

namespace wl::fuzz {

struct Campaign {
    uint64_t first = 1, count = 1000;  // numbers of mutants
    double seconds = 0;                // the end, whatever the count; 0: none
    std::string findings;              // a folder for inputs that upset something; empty: they are not kept
    int most_findings = 100;           // the end
};

struct Outcome {
    uint64_t tried = 0, accepted = 0, refused = 0;
    uint64_t crashes = 0, hangs = 0, wrong = 0;  // wrong: an answer that may not be
    double seconds = 0, slowest = 0;             // slowest: of one mutant
    uint64_t slowest_number = 0;
};

Outcome run(const Kind& kind, const Campaign& campaign);

// One input from a file, in this process: the problem, or empty. For inputs that were kept.
Tried replay(const Kind& kind, const std::string& path);

}  // namespace wl::fuzz
