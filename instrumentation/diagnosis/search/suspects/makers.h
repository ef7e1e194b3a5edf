// Suspected lines that no value came through: what a source says could have changed it, and did not.
#pragma once

#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include <set>

namespace wl::diagnosis {

// The last token of what a head decides on: of `if` its `else` as well.
int last_decided(const rewrite::Source& source, const rewrite::Statement& head);

// What an element has that is not what it should be may be there because nobody wrote it: whoever writes that
// array or struct and what decides whether he does (`far`), and what all that is made of (2).
void add_writers(const rewrite::Source& source, int suspicion_rank, rewrite::SearchContext& context);

// What a suspected line names and a compiler makes no code of, as of a constant (1). `located`: lines of
// which there is code.
void add_constants(
    const rewrite::Source& source, const std::set<int>& located, rewrite::SearchContext& context
);

// What a suspected function makes and never asks for (1): there is no code of it.
void add_unread(const rewrite::Source& source, rewrite::SearchContext& context);

}  // namespace wl::diagnosis
