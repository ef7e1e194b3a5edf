// The words of a verdict, with the exit status that each one has: the contract with scripts (docs/cli.md).
#pragma once

#include <array>
#include <string_view>

namespace wl::capture {

struct VerdictWord {
    std::string_view name;  // in JSON and in the capture file
    int status;             // of the command line
    std::string_view meaning;
};
constexpr std::array<VerdictWord, 5> kVerdictWords = {
    {
     {"ok", 0, "clean, as far as the verdict says that it looked"},
     {"findings", 1, "something is wrong, with a witness"},
     {"error", 2, "wrong usage, a problem of the tool, or a reference that was asked for and not had"},
     {"unsupported", 3, "the kernel needs what WarpLens lacks"},
     {"incomplete",
         3,
         "an output was compared with nothing, in part, or by a limit that decides nothing; or a description "
         "that is not yet checked may be at fault; or a program was ended by a signal, and that is its "
         "status"},
     }
};

// Of words that there are; of any other the error's.
constexpr int status_of(std::string_view verdict) {
    for (const VerdictWord& word : kVerdictWords)
        if (word.name == verdict) return word.status;
    return 2;
}

}  // namespace wl::capture
