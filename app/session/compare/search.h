// Looking for the next tile in which A and B differ, on a thread of its own: tiles can be huge.
#pragma once

#include "app/session/tile_view.h"
#include "instrumentation/capture/capture.h"

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
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

// The tile of A; -1: none differs, or it was stopped. Throws Error for elements that cannot be read.
int next_different(const DifferenceQuery& query, DifferenceEffort& effort);

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
std::unique_ptr<DifferenceSearch> start_search(DifferenceQuery query);

// What the two may differ by at an element: both bounds together.
float bound_of_pair(const TileSource& a, const TileSource& b, int row, int col);

}  // namespace wl::app
