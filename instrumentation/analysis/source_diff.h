// What changed between two sources as they were compiled: a line diff that knows which fault switches were
// on.
#pragma once

#include <string>
#include <vector>

namespace wl::analysis {

struct SourceLine {
    int number = 0;  // in the file, from 1
    std::string text;
};

// The lines that a compiler sees once the macros WL_FAULT_... are decided: of conditionals over them alone
// only the branch taken, without its directives. Every other conditional stays as it stands. `faults` are the
// manifest's names, "32x" for WL_FAULT_32X.
std::vector<SourceLine> decided_lines(const std::string& text, const std::vector<std::string>& faults);

struct DiffLine {
    char mark = ' ';   // ' ' in both, '-' only in a, '+' only in b
    int a = 0, b = 0;  // line numbers in the files; 0: not there
    std::string text;
};

// A shortest list of lines to take out and put in (Myers 1986). Beyond kMostEdits edits the rest counts as
// replaced.
constexpr int kMostEdits = 4000;
std::vector<DiffLine> diff_lines(const std::vector<SourceLine>& a, const std::vector<SourceLine>& b);

// Changes with `context` equal lines around them; changes nearer than that share a hunk.
using Hunk = std::vector<DiffLine>;
std::vector<Hunk> hunks(const std::vector<DiffLine>& lines, size_t context);

// "@@ -120,7 +120,6 @@" and the lines, each with its mark.
std::string unified(const Hunk& hunk);

}  // namespace wl::analysis
