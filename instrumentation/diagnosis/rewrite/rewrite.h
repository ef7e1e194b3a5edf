// Small changes of a source, each as a person would make it.
#pragma once

#include "instrumentation/diagnosis/rewrite/change.h"
#include "instrumentation/diagnosis/rewrite/source.h"

#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

std::string rewritten(const std::string& text, const Rewrite& rewrite);
// What `patch -p1` takes, with three lines around; empty where both are the same. `file`: as the header names
// it, below a/ and b/.
std::string patch_of(const std::string& file, const std::string& was, const std::string& now);

// In the order in which they are worth trying: by score, then from the end of the text, where results are
// stored, to its begin. Of each text once.
std::vector<Rewrite> rewrites(const Source& source, const SearchContext& context);

// Variables that a line uses and that are declared without a value, by line.
struct Unset {
    std::string name;
    int line = 0;
};
std::vector<Unset> unset_at(const Source& source, int line);

}  // namespace wl::diagnosis::rewrite
