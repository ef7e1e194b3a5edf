// Expressions that have given values: of what is at hand, no longer than somebody writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

// Something at hand, with what it was at each of the same places.
struct AtHandValues {
    std::string text;  // binds tighter than any operator
    std::vector<double> at;
};

struct Wanted {
    std::vector<double> at;       // at each of the places
    std::vector<double> allowed;  // how far off an expression may be there
};

constexpr size_t kEnoughPlaces = 3;  // with fewer long expressions fit by chance

// The shortest first, `most` of them; each as an expression of floats. `itself`: index in `all` of what
// stands there now; it is the likeliest operand. Of one place alone, or of several that read the same, only
// what is short says anything.
std::vector<std::string> formed(
    const std::vector<AtHandValues>& all, size_t itself, const Wanted& wanted, size_t most
);

// The same where at some places what stands there is right: `c ? v : itself`, of a condition that tells these
// places apart from the others, by what is at hand.
std::vector<std::string> chosen(
    const std::vector<AtHandValues>& all, size_t itself, const Wanted& wanted, size_t most
);

// Conditions that hold at those places and at no other: the simplest first, `most` of them; two together
// where none alone does. With few places one fits by chance.
std::vector<std::string> conditions_where(
    const std::vector<AtHandValues>& all, const std::vector<uint8_t>& where, size_t most
);

}  // namespace wl::diagnosis
