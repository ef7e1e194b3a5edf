// A mutated input with what is known of it, and the kinds of input there are. Every mutant follows from its
// number: the same on every machine.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

namespace wl::fuzz {

struct Mutant {
    std::string bytes;
    std::string how;  // what was changed, for people
    int seed = -1;    // which of the kind's seeds; -1: a file from elsewhere, of which nothing is known
    // Tables that were changed and whose hashes were renewed: what they say may be taken for true.
    std::set<std::string> renewed;
    bool same_answer = false;  // nothing that decides an answer was changed
};

struct Tried {
    bool accepted = false;
    std::string problem;  // what is wrong with the answer; empty: nothing
};

// `attempt` lets no wl::Error, Unsupported or Cancelled out: what else it throws is a finding, as are a
// signal and a case that does not end.
struct Kind {
    const char* name;
    const char* suffix;
    Mutant (*make)(uint64_t number);
    Tried (*attempt)(const Mutant& mutant);
    Mutant (*edited)(const std::string& edits) = nullptr;  // of kinds whose kept inputs are edits (edits.h)
};
std::span<const Kind> kinds();

}  // namespace wl::fuzz
