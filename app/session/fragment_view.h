// What the fragments panel shows of an answered instruction: the matrix cell by cell, the values that should
// be there, and where in memory each element lies.
#pragma once

#include "app/session/fragment_cells.h"
#include "instrumentation/capture/capture.h"

#include <cstddef>
#include <cstdint>

namespace wl::app {

// Values that should be there, by the first of these that is known: what the memory holds by the leading
// dimension with which it was laid out; the transposed, where a finding says that the load takes its operand
// the wrong way round; the reference of the tile that is stored, loaded or marked.
FragmentView make_fragment_view(
    const fragments::Live& live, const capture::Capture& capture, uint64_t content
);

inline size_t fragment_index(const fragments::Map& map, int lane, int element) {
    return static_cast<size_t>(lane) * static_cast<size_t>(map.layout.elements) +
        static_cast<size_t>(element);
}

}  // namespace wl::app
