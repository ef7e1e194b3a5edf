// What operations did to which bytes, as far as later ones may not be ordered after them, and the races among
// them. By byte: of writes and reads those that no later one is ordered after.
#pragma once

#include "instrumentation/order/timelines.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace wl::order {

constexpr uint32_t kNoSite = UINT32_MAX;

// Bytes [begin, end) that one instruction of a launch, or a copy, read or wrote.
struct Touch {
    uint64_t begin = 0, end = 0;
    uint32_t site = kNoSite;
    bool write = false;
    bool strong = false;  // atomic or volatile: two of these are no race
    bool early = false;   // before a programmatic launch waited for what is before it
    bool operator==(const Touch&) const = default;
};

// What an operation did. That of a launch is made when somebody first looks: where all work is in order
// nobody does.
struct Touches {
    std::vector<Touch> all;
    std::function<std::vector<Touch>()> make;  // empty: they are made
    bool lost = false;                         // what they are made from was too much to be kept
};
using TouchesPointer = std::shared_ptr<Touches>;
const std::vector<Touch>& made(Touches& touches);

// Of two operations and two of their instructions; all bytes of these together.
struct Race {
    OperationPointer first, second;  // in the order in which the program issued them
    Touch one, two;
    uint64_t begin = 0, end = 0;  // where they meet first
    uint64_t bytes = 0;
};

struct Entry {
    OperationPointer operation;
    uint32_t site = kNoSite;
    bool write = false, strong = false, fences = false;
};

struct Piece {
    uint64_t end = 0;
    std::vector<Entry> entries;
};

// Operations of one timeline, while there is no other: they are ordered.
struct Pending {
    OperationPointer operation;
    TouchesPointer touches;
    bool fences = false;
};

constexpr size_t kMostPieces = size_t{1} << 19;   // about 100 MiB
constexpr size_t kMostPending = size_t{1} << 18;  // touches, about 10 MiB
constexpr size_t kMostEntries = 8;                // of a piece
constexpr size_t kMostRaces = 64;                 // of one operation

struct History {
    std::map<uint64_t, Piece> pieces;  // by their first byte
    std::vector<Pending> pending;
    size_t pending_touches = 0;
    bool forgot = false;  // of `pending`, some that were too many
    bool full = false;    // something that was too much to be kept was not compared
};

struct Found {
    std::vector<Race> races;
    // Operations whose strong writes the new one reads by strong reads, with fences in both: what these order
    // is not followed, and races with them are left out.
    std::vector<OperationPointer> handed_on;
};

// What the operation did, compared with all before. `fences`: its code has fences, or accesses that order
// others.
Found add(
    History& history, const OperationPointer& operation, const TouchesPointer& touches, bool fences = false
);
// What comes before whoever sees what was written there last.
Clock written_by(History& history, uint64_t begin, uint64_t end);
// All of it: the host has waited for every operation.
void clear(History& history);

}  // namespace wl::order
