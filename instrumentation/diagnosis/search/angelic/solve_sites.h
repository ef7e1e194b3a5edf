// One site after the other: by how much what stands there would have to differ, for each thread, each block,
// or all alike.
#pragma once

#include "instrumentation/diagnosis/search/angelic/groups.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace wl::diagnosis {

struct Needed {
    size_t site = 0;
    Alike alike = Alike::all;
    bool whole = false;   // of all blocks
    bool scales = false;  // the differences are of what it is multiplied by
    struct Place {
        int64_t thread = 0;  // of the launch
        int turn = 0;        // of its own: below kTurns
        double was = 0;      // what stood there last
        double by = 0;       // the difference
        double allowed = 0;  // of the value that is needed
    };
    std::vector<Place> places;  // one for each that has its own
};
std::optional<Needed> needed_at(HoleBench& bench, size_t site);

// Of a value that is only added up, by a thread's turns or by all of a block, how much more its sum would
// have to be.
struct SumNeeded {
    size_t site = 0;
    bool whole = false;  // of all blocks
    struct Group {
        std::vector<int64_t> threads;  // of the launch, those that come by
        int64_t rows = 0;              // how often they do
        double more = 0, allowed = 0;
    };
    std::vector<Group> groups;
};
std::optional<SumNeeded> sum_needed_at(HoleBench& bench, size_t site);

// What a value of a right program may be off by, of itself: some roundings of floats.
constexpr double kRounding = 4e-6;

// What is done to a site, or to every place of a set: what one writes, no other number.
struct Alteration {
    char sign = '*';
    double number = 1;
};
inline constexpr std::array kAlterations = {
    Alteration{'*', 0.5},
    Alteration{'*', 2  },
    Alteration{'*', -1 },
    Alteration{'-', 0.5},
    Alteration{'+', 0.5},
    Alteration{'-', 1  },
    Alteration{'+', 1  }
};
// The first of `most` that mends where that number is open; nothing: none.
std::optional<Alteration> alteration_of(HoleBench& bench, size_t number, size_t most);

}  // namespace wl::diagnosis
