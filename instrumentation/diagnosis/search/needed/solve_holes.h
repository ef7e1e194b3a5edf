// One hole after the other: by how much what stands there would have to differ, for each thread, each block,
// or all alike.
#pragma once

#include "instrumentation/diagnosis/search/needed/holes.h"
#include "instrumentation/diagnosis/search/source_trials.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// An element of an output that a trial compares.
struct Element {
    std::string output;
    int64_t at = 0;
    int64_t thread = 0;  // of the launch: its last writer
    double got = 0, reference = 0, limit = 0;
    double step = 0;  // from one value of its format to the next, there
    bool bad = false;
};

enum class Alike : uint8_t { all, block, thread, turn };  // who has the same difference

struct Needed {
    size_t hole = 0;
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
// Groups of turns, and of the elements that follow them.
struct Groups {
    std::vector<int64_t> of_element;  // -1: it follows none
    std::vector<int64_t> of_turn;     // by thread and turn
    int64_t count = 0;
};

// What trials share, of one text; for one thread alone.
struct HoleBench {
    const SourceTrials& t;
    Prover& prover;
    TrialOptions options;
    int64_t block_threads = 0, threads = 0;  // of a block, of the launch
    std::function<Trial(const TrialOptions&)> run;
    std::vector<Element> elements;  // as the program leaves them
    bool reals = true;              // all of them
    bool follow = false;            // at the last hole: every wrong one follows what is there
    std::map<std::pair<std::string, int64_t>, size_t> places = {};  // in `elements`
};

// Nothing where the program as it is is not wrong there, or where who wrote its outputs is not known.
bool look_at_elements(HoleBench& bench);

std::optional<Needed> needed_at(HoleBench& bench, size_t hole);

// What is done to a hole, or to every place of a set: what one writes, no other number.
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
