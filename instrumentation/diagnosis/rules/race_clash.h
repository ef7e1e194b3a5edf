// How two racing accesses go together: what mends them follows from it, which of them is to blame, and which
// races are one.
#pragma once

#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rules/rules.h"

#include <cstddef>
#include <string>
#include <vector>

namespace wl::diagnosis {

enum class Clash : uint8_t {
    plain,   // something should order them
    beside,  // one is atomic, the other is not
    update,  // one line reads, changes and writes a place that others do too
};
Clash clash_of(const Symptoms& s, const Cause& cause);

// The access that a reader is sent to is `first`: the plain one beside an atomic, the one before which a
// barrier is missing.
bool blames_first(const Symptoms& s, const Cause& cause, const Mending* mending);

// The title and what to do, of a clash that is not plain and that no barrier was found to mend.
std::string clash_title(const Symptoms& s, const Cause& cause, const std::string& variable);
std::string clash_advice(const Symptoms& s, const Cause& cause);

// What a race is about, to tell which are one and the same to a reader.
struct RaceKey {
    std::string variable;
    int mending = Ordering::kNone;
};
// Findings about one variable that share the blamed line, or go with one change, are told once: the first
// says how many there are and where. One `told` a finding.
void merge_similar(std::vector<capture::Finding>& findings, const std::vector<RaceKey>& told);

}  // namespace wl::diagnosis
