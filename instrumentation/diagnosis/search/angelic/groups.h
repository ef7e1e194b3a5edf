// Who has the same difference at a site, and which elements follow it.
#pragma once

#include "instrumentation/diagnosis/search/angelic/site_runs.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace wl::diagnosis {

constexpr double kPart = 0.0625;  // of a value: the first difference that is tried

enum class Alike : uint8_t { all, block, thread, turn };  // who has the same difference

// An element that many make together, as a loss beside gradients: it only has to be right in the end.
constexpr int64_t kShared = -2;

// Groups of turns, and of the elements that follow them.
struct Groups {
    std::vector<int64_t> of_element;  // -1: it follows none; kShared: several
    std::vector<int64_t> of_turn;     // by thread and turn
    int64_t count = 0;
};

// Each element follows its own writer.
Groups groups_of(const HoleBench& bench, Alike alike);
// Of each thread, where some elements of several outputs follow other threads as well, which is found out
// once. Nothing where none does, or all do.
std::optional<Groups> groups_beside_shared(HoleBench& bench, int site, double by, bool scales);
// Which of a thread's turns an element follows: tried one after the other.
std::optional<Groups> groups_by_turn(HoleBench& bench, int site, const Outcome& probe);

// What was there with nothing changed, of each group.
struct Begin {
    int64_t pivot = -1;  // its worst element; -1: all of them are right
    int64_t kept = -1;   // then one that follows what is there; -1: none
    int64_t turn = -1;   // one that was there; -1: none
    double was = 0;
    bool counts() const { return pivot >= 0 || kept >= 0; }
};
// Of a probe, in which all had a difference; empty where a wrong element follows nobody who was there.
std::vector<Begin> begin_of(const HoleBench& bench, const Groups& groups, const Outcome& probe);

}  // namespace wl::diagnosis
