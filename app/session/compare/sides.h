// The two sides of a comparison, and the search for a tile that differs.
#pragma once

#include "app/session/tile_view.h"
#include "instrumentation/analysis/compare.h"
#include "instrumentation/capture/capture.h"

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct DifferenceQuery {
    const capture::Capture* a = nullptr;
    std::shared_ptr<const capture::Capture> b;  // null: an earlier iteration of A
    int iterations = 0;                         // that earlier
    int tile = -1;                              // of A; the search begins behind it and goes round the end
    int probe = -1;                             // of that mark alone; -1: of every mark
    std::vector<int> agreeing;                  // marks of which all pairs are known to agree
};

// How far a search is; it is asked every row whether it shall stop.
struct DifferenceEffort {
    std::atomic<bool> stop = false;
    std::atomic<int64_t> elements = 0;
};

// Ends with this object, soon. A has to outlive it.
struct DifferenceSearch {
    DifferenceEffort effort;
    int64_t of = 1;     // elements there are to look at
    int from = -1;      // behind that tile
    int selected = -1;  // the tile that was shown when it began
    std::future<int> found;
    DifferenceSearch() = default;
    DifferenceSearch(const DifferenceSearch&) = delete;
    DifferenceSearch& operator=(const DifferenceSearch&) = delete;
    ~DifferenceSearch();
};

struct Counted {
    std::optional<analysis::CaptureComparison> answer;
    std::string problem;  // why there is none
};

// When B came to be: a change of the source is shown from the earlier of both to the later.
enum class Made : uint8_t {
    before,  // A: it was A, or was kept
    beside,  // it was opened: as with two files, A is the first
    after,   // it ran from here while A was shown
};

struct Against {
    std::string name;                               // of B: "before v2c_3.cu was saved", "v2c_3 --seed 1"
    std::shared_ptr<const capture::Capture> other;  // null: B is an earlier iteration of A, or nothing
    int iterations = 0;                             // that earlier; 0: `other` decides
    Made made = Made::beside;
    int fix_of = -1;      // of A's findings the one whose patch B ran with; -1: B is something else
    bool shown = false;   // tiles stand against B in place of their reference
    uint64_t number = 0;  // another whenever what is shown is
    Counted counted;      // A with `other`
    std::future<Counted> counting;
    std::unique_ptr<DifferenceSearch> search;  // under way, for the next tile that differs
    Against() = default;
    Against(Against&&) = default;
    Against& operator=(Against&&) = default;
};

}  // namespace wl::app
