// Runs of a text that holds sites, with one of them open, and what every element came to.
#pragma once

#include "instrumentation/diagnosis/search/angelic/sites.h"
#include "instrumentation/diagnosis/search/source_trials.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// Arrays of device memory.
template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& v) {
    std::vector<std::byte> out(v.size() * sizeof(T));
    std::memcpy(out.data(), v.data(), out.size());
    return out;
}
template <typename T>
std::vector<T> array_of(const execution::GlobalMemory& memory, const char* name, size_t count) {
    std::vector<T> out(count);
    const execution::Allocation* a = execution::find_named(memory, name);
    if (a != nullptr) std::memcpy(out.data(), a->bytes.data(), std::min(a->bytes.size(), count * sizeof(T)));
    return out;
}

// An element of an output that a trial compares.
struct Element {
    std::string output;
    int64_t at = 0;
    int64_t thread = 0;  // of the launch: its last writer; -1: it is as it was before, and right
    double got = 0, reference = 0, limit = 0;
    double step = 0;  // from one value of its format to the next, there
    bool bad = false;
};

// What trials share, of one text; for one thread alone.
struct HoleBench {
    const SourceTrials& t;
    TrialOptions options;
    int64_t block_threads = 0, threads = 0;  // of a block, of the launch
    std::function<Trial(const TrialOptions&)> run;
    std::vector<Element> elements;                    // as the program leaves them
    bool reals = true;                                // all of them
    int outputs = 0;                                  // that they are of
    std::optional<std::vector<uint8_t>> shared = {};  // elements that many threads make, once that is known
    bool follow = false;           // at the last site: every wrong one follows what is there
    bool repeats = false;          // and some thread came by more than once
    std::vector<float> seen = {};  // what was there, by turn
    std::map<std::pair<std::string, int64_t>, size_t> places = {};  // in `elements`
};

struct Launch {
    int64_t block_threads = 0, threads = 0;
};
Launch launch_of(const SourceTrials& t);

// False where the program as it is is not wrong there, or where who wrote what is wrong is not known.
bool look_at_elements(HoleBench& bench);
// Whether all have a writer, and are numbers that differences can be told of.
bool is_solvable(const HoleBench& bench);

struct BenchText {
    const std::string& ptx;
    Launch launch;
    bool whole = false;     // all blocks; else what changes are tried on
    bool solvable = false;  // nothing is looked at where its elements are not
};
// Each number below `count` once, by several threads with a bench each. How many of them count, as in_turn:
// none where the text does not run as the kernel does.
size_t on_benches(
    SourceTrials& t, const BenchText& text, size_t count, const std::function<void(HoleBench&, size_t)>& look
);

constexpr int64_t kMostThreads = 1 << 16;  // of a launch that is looked at
constexpr double kQuick = 5e5;             // warp instructions of one whose blocks are all looked at

struct Outcome {
    Trial trial;
    std::vector<double> got;  // by element; NaN: not written
    std::vector<float> seen;  // by turn
    std::vector<int> times;   // by thread
};

// With that site or set open. `by`: a difference a turn, of what is there or of what it is multiplied by;
// empty: none.
Outcome run_with(HoleBench& bench, int number, bool scales, std::vector<float> by);

}  // namespace wl::diagnosis
