// What could stand next on a command line: for the shells' completion.
#pragma once

#include <string>
#include <vector>

namespace wl::app {

// Spoken by the scripts of `warplens completion` alone.
constexpr const char* kCompleteVerb = "__complete";

struct Candidate {
    std::string word, about;  // about: in a few words; may be empty
};

// `words`: what was typed behind `warplens`, the word at the cursor last, which may be empty. Nothing where
// the shell should offer files. Never throws: what is half typed need not make sense.
std::vector<Candidate> complete(const std::vector<std::string>& words);

// One candidate a line, "WORD<tab>ABOUT".
int print_completions(const std::vector<std::string>& words);

}  // namespace wl::app
