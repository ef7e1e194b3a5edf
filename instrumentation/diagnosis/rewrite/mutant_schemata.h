// Many changes in one text, each made where a variable of the device has its number: compiled once, run
// often.
#pragma once

#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include <cstddef>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

// A piece of the text that can stand there in several forms, one of which is taken.
struct Slot {
    enum class Kind : uint8_t { statement, value, condition, step, insertion };
    Kind kind = Kind::statement;
    size_t begin = 0, end = 0;  // offsets; of an insertion both are one
    int line = 0, last_line = 0;
    std::string name;   // of the variable whose first value it is; empty: of a type that is found by it
    bool alone = true;  // false: what a head without braces governs
    int body = 0;       // index in Source::bodies
};

// In order; none overlaps another.
std::vector<Slot> slots_of(const Source& source);
// The slot that holds all edits of the change; -1: there is none, the change needs a text of its own.
int slot_of(const std::vector<Slot>& slots, const Rewrite& change);

// The variables' names: 32-bit numbers of the device, 0: none. By the second another change is made besides.
constexpr const char *kSwitch = "wl_switch", *kSecondSwitch = "wl_second_switch";
constexpr size_t kSwitchedLines = 1'000'000;  // lines of the change k are counted from (k + 1) times this

struct MutantSchemata {
    std::string text;
    std::vector<int> numbers;  // of each change, from 1
    std::vector<int> besides;  // of those that the second variable makes, from 1
};
struct Placed {
    const Rewrite* change = nullptr;
    int slot = 0;
};
// Of two changes of one slot the first variable's is made.
MutantSchemata mutant_schemata(
    const Source& source,
    const std::vector<Slot>& slots,
    const std::vector<Placed>& changes,
    const std::vector<Placed>& besides = {}
);

}  // namespace wl::diagnosis::rewrite
