// The emulator's answers beside the GPU's, form by form.
#pragma once

#include "tests/conformance/golden.h"

#include <set>

namespace wl::conformance {

std::string key_of(const ptx::Form& form);  // names a row of the table: "add | u16|u32 |  | d a b"

// What became of the cases of one form that have an answer.
struct Grade {
    const ptx::Form* form = nullptr;
    size_t generated = 0;    // cases in all
    size_t cases = 0;        // with an answer
    size_t stale = 0;        // whose answer is of another kernel
    size_t unsupported = 0;  // cases that the emulator refuses
    size_t differing = 0;    // cases with a wrong element or an incident
    uint64_t elements = 0, wrong = 0;
    std::string refused, different;  // the first of each: the case's name and why
    std::vector<std::string> lines;  // every case that is not equal, for a person
};

// Why a form is not all equal, as a line of not_yet.txt says it after its key; empty: it is.
std::string shortfall(const Grade& grade);

// Of the rows of one family, in order, without running anything if `run` is false.
std::vector<Grade> grade(const ptx::Family& family, const Golden& golden, bool run = true);

// Lines "key : text"; '#' starts a comment.
std::map<std::string, std::string> read_notes(const std::string& path);

}  // namespace wl::conformance
