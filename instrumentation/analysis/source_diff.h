// What changed between two sources as they were compiled: a line diff that knows which fault switches were
// on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wl::analysis {

// Of a text that outlives it: a source may have millions of lines.
struct SourceLine {
    int number = 0;  // in the file, from 1
    std::string_view text;
};

// The lines that a compiler sees once the macros WL_FAULT_... are decided: of conditionals over them alone
// only the branch taken, without its directives. Every other conditional stays as it stands. `faults` are the
// manifest's names, "32x" for WL_FAULT_32X.
std::vector<SourceLine> decided_lines(std::string_view text, const std::vector<std::string>& faults);

template <class Text>
struct MarkedLine {
    char mark = ' ';   // ' ' in both, '-' only in a, '+' only in b
    int a = 0, b = 0;  // line numbers in the files; 0: not there
    Text text;
};
using DiffLine = MarkedLine<std::string_view>;

// A shortest list of lines to take out and put in (Myers 1986). Beyond kMostEdits edits the rest counts as
// replaced.
constexpr int kMostEdits = 4000;
std::vector<DiffLine> diff_lines(const std::vector<SourceLine>& a, const std::vector<SourceLine>& b);

// Changes with `context` equal lines around them; changes nearer than that share a hunk. It has its own text.
using HunkLine = MarkedLine<std::string>;
using Hunk = std::vector<HunkLine>;
std::vector<Hunk> hunks(const std::vector<DiffLine>& lines, size_t context);

// The same change the other way: what only b has is taken out, what only a has is put in.
Hunk reversed(const Hunk& hunk);

// "@@ -120,7 +120,6 @@" and the lines, each with its mark.
std::string unified(const Hunk& hunk);

}  // namespace wl::analysis
