// A person's own change, tried: "57: < -> <=", "tile.cuh:12: + -> -".
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/search.h"

#include <optional>
#include <string>

namespace wl::diagnosis {

struct Idea {
    std::string file;  // a header's, as the end of its path; empty: the source
    int line = 0;
    std::string was, now;  // was empty: put in before the line's first word
};
// Throws Error that says how an idea is written.
Idea parse_idea(const std::string& text);

struct Tried {
    std::optional<Mended> mended;
    std::string text;  // what came of it, a sentence
};
// Wherever the line says `was`, one place after the other. Throws Error when it does not.
Tried try_idea(const Symptoms& s, const Idea& idea);

}  // namespace wl::diagnosis
